import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import type { App } from "#api/app.ts";
import type { ApiRequest, ApiResponse, HandleCall, HeaderLookup } from "#calls/exchange.ts";

/** A quarter of Node's read buffer. */
const SMALL_BODY_BYTES = 16 * 1024;

/**
 * Responds to a call with a small body, straight from `node:http` to the pipeline. Web objects (`Request`, `Headers`, `Response`
 * and their streams) would cost more than all the rest of such a call (docs/decisions/0035). Returns false, and leaves the request
 * untouched, if there is anything unusual about it: it then goes through web objects, and gets the same response.
 */
export function respondToSmallCall(
  calls: App["calls"],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): boolean {
  if (incoming.method !== "POST" || incoming.httpVersion !== "1.1") return false;
  // Without a query, whose characters a web URL would normalize.
  const call = calls.get(incoming.url as string);
  if (call === undefined) return false;
  const bodyBytes = smallBodyBytes(incoming.rawHeaders);
  if (bodyBytes === null) return false;
  void respond(call, incoming, outgoing, bodyBytes);
  return true;
}

async function respond(
  call: HandleCall,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  bodyBytes: number,
): Promise<void> {
  try {
    write(outgoing, await call(new SmallRequest(incoming, bodyBytes), incoming));
  } catch (error) {
    outgoing.destroy(error as Error);
  }
}

/** A host as nearly all clients send it. Others are checked and normalized by the parser of URLs. */
const isPlainHost = (host: string): boolean => /^[a-z0-9.-]+(?::\d{1,5})?$/.test(host);

/** Headers that make a request unusual. `smallBodyBytes` compares names of these lengths alone. */
const UNUSUAL: ReadonlySet<string> = new Set([
  "transfer-encoding",
  "content-encoding",
  "expect",
  "upgrade",
]);

/** The length of the body; null if it is large or not known, or if another header is unusual. */
function smallBodyBytes(rawHeaders: readonly string[]): number | null {
  let hosts = 0;
  let length = "0";
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    switch (name.length) {
      case 4:
        if (name.toLowerCase() !== "host") break;
        hosts += 1;
        if (!isPlainHost(rawHeaders[at + 1] as string)) return null;
        break;
      case 14:
        if (name.toLowerCase() === "content-length") length = rawHeaders[at + 1] as string;
        break;
      case 6:
      case 7:
      case 16:
      case 17:
        if (UNUSUAL.has(name.toLowerCase())) return null;
    }
  }
  if (hosts !== 1 || !/^\d{1,15}$/.test(length)) return null;
  return Number(length) <= SMALL_BODY_BYTES ? Number(length) : null;
}

class SmallRequest implements ApiRequest {
  readonly #incoming: IncomingMessage;
  readonly #bodyBytes: number;
  readonly method = "POST";
  readonly url: string;
  readonly headers: HeaderLookup;
  readonly body = null;
  bodyUsed = false;

  constructor(incoming: IncomingMessage, bodyBytes: number) {
    this.#incoming = incoming;
    this.#bodyBytes = bodyBytes;
    this.url = incoming.url as string;
    this.headers = new RawHeaders(incoming.rawHeaders);
  }

  arrayBuffer(): Promise<Uint8Array> {
    this.bodyUsed = true;
    return this.#bodyBytes === 0 ? Promise.resolve(NO_BYTES) : readAll(this.#incoming);
  }
}

const NO_BYTES = new Uint8Array();

/** By the parser's events: everything else that reads a stream costs several times as much. */
function readAll(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let bytes: Uint8Array = NO_BYTES;
    const add = (chunk: Buffer | null) => {
      if (chunk !== null) bytes = bytes.byteLength === 0 ? chunk : Buffer.concat([bytes, chunk]);
    };
    let isOver = false;
    const end = () => {
      isOver = true;
      resolve(bytes);
    };
    // Usually follows "end".
    const close = () => {
      if (isOver) return;
      if (!incoming.complete) return reject(new Error("The connection was closed"));
      // The client went away after it had sent everything.
      add(incoming.read());
      resolve(bytes);
    };
    if (incoming.destroyed) return close();
    incoming.on("data", add);
    incoming.on("end", end);
    incoming.on("close", close);
  });
}

/** Looks headers up where the parser has put them. Node's own `headers` makes an object of all of them. */
class RawHeaders implements HeaderLookup {
  readonly #raw: readonly string[];

  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  get(wanted: string): string | null {
    const raw = this.#raw;
    const lower = wanted.toLowerCase();
    let found: string | null = null;
    for (let at = 0; at < raw.length; at += 2) {
      const name = raw[at] as string;
      if (name.length !== lower.length || name.toLowerCase() !== lower) continue;
      const value = raw[at + 1] as string;
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }
}

function write(outgoing: ServerResponse, { status, headers, body }: ApiResponse): void {
  if (body instanceof ReadableStream) {
    outgoing.writeHead(status, headers);
    // Ends the stream, and with it the lease of its memory, also where the client goes away.
    pipeline(Readable.fromWeb(body as NodeStream), outgoing, () => {});
    return;
  }
  headers["Content-Length"] = String(body === null ? 0 : Buffer.byteLength(body));
  outgoing.writeHead(status, headers);
  outgoing.end(body);
}
