import { ApiError } from "#errors.ts";
import { MEMORY_GRANT_BYTES, SPACE_BYTES, UPLOAD_TIMEOUT_MS } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { FORM_TYPE, mediaType } from "#tools/media-type.ts";
import { createBlocks, receiveBody, type Sink, tooLarge } from "./body.ts";
import { otherFile } from "./body-types.ts";
import type { Call } from "./call.ts";
import type { MemoryLease } from "./memory-budget.ts";
import { type FormPartHead, FormReader } from "./multipart.ts";
import type { FileStore, ReceivedFile, StoredFile } from "./stored-file.ts";

/** The file of a call goes to the disk as it arrives: nothing of it is held in memory, and nothing is written before the call can be paid. */

/**
 * Receives the file of a call. With a quote, which needs none and for which none is stored, it may be left out. Throws an ApiError
 * `unsupported_media_type`, `too_large`, `invalid_request`, `request_timeout` or `unavailable`.
 */
export async function receiveFile(call: Call, isQuote: boolean): Promise<void> {
  const { deps, request, context, caller, connection } = call;
  const tool = call.tool as FileTool;
  const { file: rule } = tool;
  const contentType = request.headers.get("content-type");
  if (isQuote && contentType === null) return setFile(call, { ...NO_FILE, parts: null });
  const lease = isQuote ? null : deps.files.of(caller.account);
  const stored = new StoringSink(
    () => (isQuote ? NOWHERE : (deps.app.uploads as FileStore)).create(connection),
    rule.bytesMax,
    lease,
  );
  call.upload = {
    file: null,
    release() {
      stored.discard();
      lease?.release();
    },
  };
  const isForm = mediaType(contentType) === FORM_TYPE;
  if (isForm) call.lease = deps.budget.of(caller.account);
  const [sink, bytesMax] = isForm
    ? [
        new FormSink(tool, contentType as string, stored, createBlocks(call.lease), isQuote),
        rule.bytesMax + tool.bodyBytesMax + SPACE_BYTES,
      ]
    : [bodySink(fileTypeOf(tool, contentType, false), stored), rule.bytesMax];
  const file = await receiveBody(request, bytesMax, sink, {
    timeoutMs: UPLOAD_TIMEOUT_MS,
    onReceived(bytes) {
      context.receivedBytes = bytes;
    },
  });
  setFile(call, file);
}

function setFile(call: Call, file: ReceivedFile): void {
  call.upload = { release() {}, ...call.upload, file };
  call.lap("body");
}

type FileTool = Tool & Required<Pick<Tool, "file">>;

const NO_FILE = { path: "", type: "", sha256: "" };

const NOWHERE: FileStore = {
  create: async () => ({
    path: "",
    write: async () => {},
    close: async () => "",
    remove() {},
  }),
};

function fileTypeOf(tool: FileTool, contentType: string | null, isPart: boolean): string {
  const type = mediaType(contentType);
  if (tool.file.types.includes(type)) return type;
  throw otherFile(tool, contentType, isPart);
}

/** Bytes that go to a file, which is made for the first of them. */
class StoringSink implements Sink<Pick<ReceivedFile, "path" | "sha256">> {
  readonly #create: () => Promise<StoredFile>;
  readonly #bytesMax: number;
  readonly #lease: MemoryLease | null;
  #file: StoredFile | null = null;
  #bytes = 0;
  /** The bytes that the lease has granted. */
  #granted = 0;
  #isDiscarded = false;

  constructor(create: () => Promise<StoredFile>, bytesMax: number, lease: MemoryLease | null) {
    this.#create = create;
    this.#bytesMax = bytesMax;
    this.#lease = lease;
  }

  async add(chunk: Uint8Array): Promise<void> {
    const bytes = this.#bytes + chunk.byteLength;
    if (bytes > this.#bytesMax) throw tooLarge(this.#bytesMax, "is too large", true, "The file");
    for (; this.#granted < bytes; this.#granted += MEMORY_GRANT_BYTES) {
      // What comes after the call has ended must take nothing.
      this.#requireKept();
      const waited = this.#lease?.take(MEMORY_GRANT_BYTES);
      if (waited !== undefined) await waited;
    }
    this.#requireKept();
    if (this.#file === null) {
      const made = await this.#create();
      this.#file = made;
      // It was discarded before there was a file to remove.
      if (this.#isDiscarded) made.remove();
    }
    this.#requireKept();
    this.#bytes = bytes;
    await this.#file.write(chunk);
  }

  bytes(): number {
    return this.#bytes;
  }

  /** Throws an ApiError `invalid_request` if there are none. */
  async join(): Promise<Pick<ReceivedFile, "path" | "sha256">> {
    this.#requireKept();
    if (this.#file === null) throw invalidFile("The file", "is empty");
    return { path: this.#file.path, sha256: await this.#file.close() };
  }

  discard(): void {
    if (this.#isDiscarded) return;
    this.#isDiscarded = true;
    this.#file?.remove();
  }

  #requireKept(): void {
    if (this.#isDiscarded) throw new Error("The file has been discarded");
  }
}

/** A body that is the file. */
const bodySink = (type: string, stored: StoringSink): Sink<ReceivedFile> => ({
  add: (chunk) => stored.add(chunk),
  bytes: () => stored.bytes(),
  join: async () => ({ ...(await stored.join()), type, parts: null }),
  discard: () => stored.discard(),
});

/** A form with the file and texts, which are held in memory one after the other. */
class FormSink implements Sink<ReceivedFile> {
  readonly #tool: FileTool;
  readonly #reader: FormReader;
  readonly #stored: StoringSink;
  readonly #isQuote: boolean;
  readonly #texts: Sink<Uint8Array>;
  readonly #parts: { head: FormPartHead; textBytes: number }[] = [];
  #type: string | null = null;
  #bytes = 0;

  constructor(
    tool: FileTool,
    contentType: string,
    stored: StoringSink,
    texts: Sink<Uint8Array>,
    isQuote: boolean,
  ) {
    this.#tool = tool;
    this.#reader = new FormReader(contentType);
    this.#stored = stored;
    this.#texts = texts;
    this.#isQuote = isQuote;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#bytes += chunk.byteLength;
    for (const found of this.#reader.push(chunk)) {
      const part = this.#parts.at(-1);
      if (!(found instanceof Uint8Array)) this.#begin(found);
      else if (part?.head.isFile) await this.#stored.add(found);
      else {
        this.#requireShort(found.byteLength);
        if (part !== undefined) part.textBytes += found.byteLength;
        await this.#texts.add(found);
      }
    }
  }

  #begin(head: FormPartHead): void {
    this.#parts.push({ head, textBytes: 0 });
    if (!head.isFile) return;
    if (this.#type !== null) throw invalidFile("The form", "has more than one file; send one");
    this.#type = fileTypeOf(this.#tool, head.type, true);
  }

  #requireShort(more: number): void {
    const { bodyBytesMax } = this.#tool;
    if (this.#texts.bytes() + more > bodyBytesMax)
      throw tooLarge(bodyBytesMax, "has too much text beside its file", true, "The form");
  }

  bytes(): number {
    return this.#bytes;
  }

  async join(): Promise<ReceivedFile> {
    this.#reader.end();
    const texts = await this.#texts.join();
    let at = 0;
    const parts = this.#parts.map(({ head, textBytes }) => {
      at += textBytes;
      return { ...head, bytes: texts.subarray(at - textBytes, at) };
    });
    const type = this.#type;
    if (type === null && this.#isQuote) return { ...NO_FILE, parts };
    if (type === null) throw invalidFile("The form", `has no file${unnamedFile(parts)}`);
    return { ...(await this.#stored.join()), type, parts };
  }

  discard(): void {
    this.#stored.discard();
    this.#texts.discard();
  }
}

const unnamedFile = (parts: readonly FormPartHead[]): string =>
  parts.some(({ name }) => name === "file")
    ? ": the part `file` has no file name. curl sends a file with `@` before its path"
    : "";

const invalidFile = (what: string, detail: string) =>
  new ApiError("invalid_request", `${what} ${detail}.`, { errors: [{ pointer: "", detail }] });
