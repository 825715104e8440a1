import { ApiError } from "#errors.ts";
import { DRAIN_SLACK_BYTES, DRAIN_WAIT_MS } from "#limits.ts";

/**
 * Reads a request's body within a limit and never holds more than that. A rejected body is read and dropped up to a
 * little past its limit, so that the client gets its response and keeps its connection; beyond that the connection is
 * closed. This happens before the response, because workerd drops a connection whose body was left unread.
 */

/** Requests whose body was not read to its end. Their connection must be closed, whatever the response. */
const unfinished = new WeakSet<Request>();

/**
 * Requests whose client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). The server sends it
 * when the body is first read, so everything that can be checked before that is.
 */
const waiting = new WeakSet<Request>();
export const markWaiting = (request: Request): void => void waiting.add(request);
export const isWaiting = (request: Request): boolean => waiting.has(request);

const CLOSE = { Connection: "close" };
/** A smaller body takes no more memory than its connection. */
const SMALL_BYTES = 16 * 1024;

/**
 * Called with the bytes that the body may take, before more than a small body is read. Throws if they are not
 * available.
 */
export type Admit = (bytes: number) => void;

export type ReadOptions = {
  /** How long the body may take to arrive; null where the HTTP server limits the time. */
  timeoutMs?: number | null;
  /** Called before a client that waits is told to send its body. Throws where the body would be rejected anyway. */
  beforeContinue?: () => void;
};

/**
 * Returns the bytes of the body, inflated if they are compressed. Throws an ApiError `too_large`,
 * `unsupported_media_type`, `invalid_request` or `request_timeout`.
 */
export async function readBody(
  request: Request,
  bytesMax: number,
  admit: Admit,
  options: ReadOptions = {},
): Promise<Uint8Array> {
  const encoding = request.headers.get("content-encoding");
  const zipped = encoding !== null && /^\s*(?:x-)?gzip\s*$/i.test(encoding);
  if (encoding !== null && !zipped && !/^\s*(?:identity)?\s*$/i.test(encoding)) {
    throw new ApiError(
      "unsupported_media_type",
      `The Content-Encoding "${encoding.slice(0, 40)}" is not supported. Send the body uncompressed or with gzip.`,
    );
  }
  const raw = await readRaw(request, bytesMax, admit, options);
  // A client may set the header on every request, even with an empty body.
  return zipped && raw.byteLength > 0 ? inflate(raw, bytesMax, admit) : raw;
}

/**
 * Reads and drops the body of a rejected request, but only briefly: the error does not wait for a slow client. Returns
 * false if more of the body is to come; the connection must then be closed.
 */
export async function dropBody(request: Request, bytesMax: number): Promise<boolean> {
  if (unfinished.has(request)) return false;
  if (request.bodyUsed || announcedLength(request) === 0) return true;
  // The client may send the body or not, so what comes next on the connection is unknown.
  if (waiting.has(request)) return false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooSlow = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, DRAIN_WAIT_MS, false);
  });
  const dropped = await Promise.race([dropAll(request, bytesMax), tooSlow]);
  clearTimeout(timer);
  return dropped;
}

async function dropAll(request: Request, bytesMax: number): Promise<boolean> {
  const length = announcedLength(request);
  try {
    if (length !== null && length <= SMALL_BYTES) {
      await request.arrayBuffer();
      return true;
    }
    const reader = request.body?.getReader();
    return reader === undefined || (await drop(reader, bytesMax + DRAIN_SLACK_BYTES));
  } catch {
    return false;
  }
}

async function readRaw(
  request: Request,
  bytesMax: number,
  admit: Admit,
  { timeoutMs = null, beforeContinue }: ReadOptions,
): Promise<Uint8Array> {
  const length = announcedLength(request);
  if (length !== null && length > bytesMax) {
    const dropped = await dropBody(request, bytesMax);
    if (!dropped) unfinished.add(request);
    throw tooLarge(bytesMax, `is ${length} bytes`, dropped);
  }
  if (length !== 0 && waiting.has(request)) beforeContinue?.();
  if (length !== null && length > SMALL_BYTES) admit(length);
  waiting.delete(request);
  const wait: Wait = { isOver: false };
  try {
    // The HTTP server enforces the announced length, so the bytes need not be counted.
    if (length !== null) {
      const reading = request.arrayBuffer();
      return new Uint8Array(
        await (timeoutMs === null ? reading : inTime(reading, wait, timeoutMs)),
      );
    }
    if (request.body === null) return new Uint8Array();
    return await inTime(
      collect(request.body, bytesMax, "is too large", admit, wait),
      wait,
      timeoutMs,
    );
  } catch (cause) {
    const error = cause instanceof ApiError ? cause : incomplete(cause);
    if (error.details.headers === CLOSE) unfinished.add(request);
    throw error;
  }
}

/** Ends when the time limit has passed. */
type Wait = { isOver: boolean };

async function inTime<Read>(
  reading: Promise<Read>,
  wait: Wait,
  timeoutMs: number | null,
): Promise<Read> {
  if (timeoutMs === null) return reading;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      wait.isOver = true;
      const detail = `The body did not arrive within ${timeoutMs / 1000} seconds. Send it again over a faster connection.`;
      reject(new ApiError("request_timeout", detail, { headers: CLOSE }));
    }, timeoutMs);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function inflate(raw: Uint8Array, bytesMax: number, admit: Admit): Promise<Uint8Array> {
  try {
    const source = new Blob([raw as Uint8Array<ArrayBuffer>]).stream();
    const inflated = source.pipeThrough(new DecompressionStream("gzip"));
    return await collect(inflated, bytesMax, "is too large when inflated", admit);
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError(
      "invalid_request",
      "The Content-Encoding is gzip, but the body is not valid gzip. Compress the body again, or send it uncompressed without the header.",
      {
        cause,
        errors: [{ header: "Content-Encoding", detail: "the body is not valid gzip" }],
      },
    );
  }
}

/** Returns all bytes of a stream. Beyond the limit it releases what it has read and drops the rest. */
async function collect(
  stream: ReadableStream<Uint8Array>,
  bytesMax: number,
  excess: string,
  admit: Admit,
  wait?: Wait,
): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let admitted = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || wait?.isOver) break;
    size += value.byteLength;
    if (size > bytesMax) {
      const dropped = await drop(reader, bytesMax + DRAIN_SLACK_BYTES - size);
      throw tooLarge(bytesMax, excess, dropped);
    }
    if (size > SMALL_BYTES && !admitted) {
      admitted = true;
      admit(bytesMax);
    }
    chunks.push(value);
  }
  return join(chunks, size);
}

/** Always copies: a chunk may be a view of a buffer that the connection reuses. */
function join(chunks: Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** Reads and discards the rest. It never cancels the stream, which would close the connection before the response. */
async function drop(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  bytesMax: number,
): Promise<boolean> {
  for (let left = bytesMax; left >= 0; ) {
    const { done, value } = await reader.read();
    if (done) return true;
    left -= value.byteLength;
  }
  return false;
}

const incomplete = (cause: unknown) =>
  new ApiError(
    "invalid_request",
    "The body ended before it was complete. Send the request again.",
    {
      cause,
      headers: CLOSE,
    },
  );

function tooLarge(bytesMax: number, excess: string, dropped: boolean): ApiError {
  const detail = `${excess}; the limit is ${bytesMax} bytes`;
  return new ApiError("too_large", `The body ${detail}.`, {
    members: { limit: bytesMax },
    errors: [{ pointer: "", detail }],
    ...(dropped ? {} : { headers: CLOSE }),
  });
}

/** The Content-Length; null for a chunked body. A request with neither has no body. */
function announcedLength(request: Request): number | null {
  const length = request.headers.get("content-length");
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}
