import { concatBytes } from "@noble/hashes/utils.js";
import { ApiError } from "#errors.ts";
import { FORM_PART_HEADER_BYTES_MAX, FORM_PARTS_MAX } from "#limits.ts";

/**
 * Reads a body of type `multipart/form-data` (RFC 7578). The runtimes' own `formData()` replaces bytes that are not UTF-8
 * and differs between them in what else it accepts, and a hash of replaced bytes would be wrong.
 */
export type FormPart = FormPartHead & { bytes: Uint8Array };

export type FormPartHead = {
  name: string;
  /** The part has a file name, so its bytes are a file and not the text of a field. */
  isFile: boolean;
  /** The Content-Type of the part; null if it has none. */
  type: string | null;
};

/** Throws an ApiError `invalid_request` for a form that is malformed or has too many parts. */
export function readForm(body: Uint8Array, contentType: string): FormPart[] {
  const parts: FormPart[] = [];
  const reader = new FormReader(contentType);
  // The bytes of a part that arrives whole are one piece.
  for (const found of reader.push(body)) {
    if (!(found instanceof Uint8Array)) parts.push({ ...found, bytes: NO_BYTES });
    else (parts.at(-1) as FormPart).bytes = found;
  }
  reader.end();
  return parts;
}

const NO_BYTES = new Uint8Array();

/** Reads a form that arrives in pieces, and holds no more of it than a boundary and the headers of a part. */
export class FormReader {
  readonly #delimiter: Uint8Array;
  /** What has arrived and is not read yet. */
  #unread: Uint8Array = NO_BYTES;
  #at: "start" | "preamble" | "boundary" | "head" | "content" | "end" = "start";
  /** The bytes before the content of a part: the line break of its blank line, which its delimiter shares if the part is empty. */
  #skipped = 0;
  #parts = 0;

  /** Throws an ApiError `invalid_request` if the type names no boundary. */
  constructor(contentType: string) {
    const found = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
    const boundary = found?.[1] ?? found?.[2];
    if (boundary === undefined) throw malformed("its Content-Type has no `boundary`");
    this.#delimiter = encoder.encode(`\r\n--${boundary}`);
  }

  /** Returns the heads of the parts that begin in these bytes, each followed by pieces of its content. Throws an ApiError `invalid_request`. */
  *push(bytes: Uint8Array): Generator<FormPartHead | Uint8Array> {
    const body = this.#unread.byteLength === 0 ? bytes : concatBytes(this.#unread, bytes);
    let at: number | null = 0;
    let read = 0;
    while (at !== null && this.#at !== "end") {
      if (this.#at === "content") at = yield* this.#readContent(body, at);
      else if (this.#at === "head") at = yield* this.#readHead(body, at);
      else at = this.#at === "boundary" ? this.#readBoundary(body, at) : this.#readStart(body, at);
      read = at ?? this.#kept;
    }
    // Not a view, which would keep the whole piece.
    this.#unread = this.#at === "end" ? NO_BYTES : body.slice(read);
  }

  /** Where what must be kept begins, if a step needs more bytes. */
  #kept = 0;
  #wait(from: number): null {
    this.#kept = from;
    return null;
  }

  /** The first delimiter may stand at the very start, without the line break. */
  #readStart(body: Uint8Array, at: number): number | null {
    const bare = this.#delimiter.subarray(2);
    if (this.#at === "start") {
      if (body.byteLength < bare.byteLength) return this.#wait(at);
      this.#at = startsWith(body, at, bare) ? "boundary" : "preamble";
      return this.#at === "boundary" ? at + bare.byteLength : at;
    }
    const found = indexOf(body, this.#delimiter, at);
    if (found === -1)
      return this.#wait(Math.max(at, body.byteLength - this.#delimiter.byteLength + 1));
    this.#at = "boundary";
    return found + this.#delimiter.byteLength;
  }

  /** What follows a delimiter: two dashes, or a line break behind the white space that RFC 2046 allows. */
  #readBoundary(body: Uint8Array, at: number): number | null {
    let end = at;
    while (body[end] === 0x20 || body[end] === 0x09) end += 1;
    if (end - at > FORM_PART_HEADER_BYTES_MAX) throw noLineBreak();
    if (body.byteLength < end + 2) return this.#wait(at);
    if (startsWith(body, at, DASHES)) {
      this.#at = "end";
      return at;
    }
    if (this.#parts === FORM_PARTS_MAX) throw malformed(`it has more than ${FORM_PARTS_MAX} parts`);
    if (!startsWith(body, end, LINE_BREAK)) throw noLineBreak();
    this.#at = "head";
    // An empty head ends with the line break that begins it.
    return end;
  }

  *#readHead(body: Uint8Array, at: number): Generator<FormPartHead, number | null> {
    const start = at + LINE_BREAK.byteLength;
    const end = indexOf(body, BLANK_LINE, at);
    const length = (end === -1 ? body.byteLength : end) - start;
    if (length > FORM_PART_HEADER_BYTES_MAX) throw endlessHead();
    if (end === -1) return this.#wait(at);
    this.#parts += 1;
    this.#at = "content";
    this.#skipped = LINE_BREAK.byteLength;
    yield readHeaders(decoder.decode(body.subarray(start, Math.max(start, end))));
    return end + LINE_BREAK.byteLength;
  }

  *#readContent(body: Uint8Array, at: number): Generator<Uint8Array, number | null> {
    const delimiter = this.#delimiter;
    const found = indexOf(body, delimiter, at);
    // The last bytes may be the beginning of a delimiter.
    const end = found === -1 ? body.byteLength - delimiter.byteLength + 1 : found;
    const start = at + this.#skipped;
    if (end > start) yield body.subarray(start, end);
    if (found !== -1) {
      this.#at = "boundary";
      return found + delimiter.byteLength;
    }
    if (end <= start) return this.#wait(at);
    this.#skipped = 0;
    return this.#wait(end);
  }

  /** Throws an ApiError `invalid_request` if the form is not complete. */
  end(): void {
    switch (this.#at) {
      case "end":
        return;
      case "boundary":
        throw noLineBreak();
      case "head":
        throw endlessHead();
      case "content":
        throw malformed("its last boundary is missing");
      default:
        throw malformed("its boundary does not occur in the body");
    }
  }
}

const noLineBreak = () => malformed("a boundary is not followed by a line break");
const endlessHead = () => malformed("the headers of a part have no end");

function readHeaders(headers: string): FormPartHead {
  const disposition = headerValue(headers, "content-disposition");
  if (disposition === undefined || !/^form-data\s*(?:;|$)/i.test(disposition)) {
    throw malformed("a part has no header `Content-Disposition: form-data`");
  }
  const encoding = headerValue(headers, "content-transfer-encoding");
  if (encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(encoding)) {
    throw malformed("a part has a Content-Transfer-Encoding; send its bytes unencoded");
  }
  let name: string | undefined;
  let isFile = false;
  for (const [, parameter = "", quoted, bare] of disposition.matchAll(PARAMETER)) {
    const value = quoted?.replace(/\\(["\\])/g, "$1").replaceAll("%22", '"') ?? bare ?? "";
    if (/^name$/i.test(parameter)) name ??= value;
    // A browser sends an empty file name for a field of a form in which no file was chosen.
    if (/^filename\*?$/i.test(parameter) && value !== "") isFile = true;
  }
  if (name === undefined) throw malformed("a part has no name");
  return { name, isFile, type: headerValue(headers, "content-type") ?? null };
}

const PARAMETER = /;\s*([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

function headerValue(headers: string, name: string): string | undefined {
  for (const line of headers.split("\r\n")) {
    const colon = line.indexOf(":");
    if (line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return undefined;
}

function indexOf(body: Uint8Array, sequence: Uint8Array, from: number): number {
  const first = sequence[0] as number;
  for (let at = body.indexOf(first, from); at !== -1; at = body.indexOf(first, at + 1)) {
    if (startsWith(body, at, sequence)) return at;
  }
  return -1;
}

function startsWith(body: Uint8Array, at: number, sequence: Uint8Array): boolean {
  for (let i = 0; i < sequence.length; i += 1) if (body[at + i] !== sequence[i]) return false;
  return true;
}

function malformed(reason: string): ApiError {
  const detail = `is not a valid multipart/form-data body: ${reason}`;
  return new ApiError("invalid_request", `The form ${detail}.`, {
    errors: [{ pointer: "", detail }],
  });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const DASHES = encoder.encode("--");
const LINE_BREAK = encoder.encode("\r\n");
const BLANK_LINE = encoder.encode("\r\n\r\n");
