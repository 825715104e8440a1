import { ApiError } from "#errors.ts";
import { DRAIN_SLACK_BYTES, DRAIN_WAIT_MS } from "#limits.ts";

/**
 * Reads a request's body within a limit; a body over it is never held whole. What is refused is read and dropped
 * up to a little past its limit, so that the client gets its answer and keeps its connection. Beyond that the
 * connection is closed. workerd drops a connection whose request was answered unread, so this comes before the answer.
 */

/** Requests of whose body more was coming than anyone waited for, whatever refuses them in the end. */
const unfinished = new WeakSet<Request>();

const CLOSE = { Connection: "close" };
/** Up to this size a body takes no more than its connection does. */
const SMALL_BYTES = 16 * 1024;

/** Told before more than a small body is taken in, of the bytes that it may take; throws where there is no room. */
export type Admit = (bytes: number) => void;

/**
 * The bytes of the body, inflated where they came compressed. Throws a Fault where they are too many, no gzip, or not
 * here in time. `timeoutMs`: null where the door sees to that.
 */
export async function readBody(
  request: Request,
  bytesMax: number,
  admit: Admit,
  timeoutMs: number | null = null,
): Promise<Uint8Array> {
  const encoding = request.headers.get("content-encoding");
  const zipped = encoding !== null && /^\s*(?:x-)?gzip\s*$/i.test(encoding);
  if (encoding !== null && !zipped && !/^\s*(?:identity)?\s*$/i.test(encoding)) {
    throw new ApiError(
      "unsupported_media_type",
      `The body's Content-Encoding is "${encoding.slice(0, 40)}"; only gzip is supported.`,
    );
  }
  const raw = await readRaw(request, bytesMax, admit, timeoutMs);
  // A client that always sets the header may send no body at all.
  return zipped && raw.byteLength > 0 ? inflate(raw, bytesMax, admit) : raw;
}

/**
 * Drops the body of a request that is refused unread, for a moment: a refusal does not wait for a slow client.
 * False: more was coming, and the connection has to be closed.
 */
export async function dropBody(request: Request, bytesMax: number): Promise<boolean> {
  if (unfinished.has(request)) return false;
  if (request.bodyUsed || announcedLength(request) === 0) return true;
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
  timeoutMs: number | null,
): Promise<Uint8Array> {
  const length = announcedLength(request);
  if (length !== null && length > bytesMax) {
    const dropped = await dropBody(request, bytesMax);
    if (!dropped) unfinished.add(request);
    throw tooLarge(bytesMax, `is ${length} bytes`, dropped);
  }
  if (length !== null && length > SMALL_BYTES) admit(length);
  const wait: Wait = { isOver: false };
  try {
    // The transport holds a body to its announced length, so this needs no stream and no counting.
    if (length !== null) {
      const reading = request.arrayBuffer();
      return new Uint8Array(
        await (timeoutMs === null ? reading : inTime(reading, wait, timeoutMs)),
      );
    }
    if (request.body === null) return new Uint8Array();
    return await inTime(collect(request.body, bytesMax, "is larger", admit, wait), wait, timeoutMs);
  } catch (cause) {
    const fault = cause instanceof ApiError ? cause : broken(cause);
    if (fault.details.headers === CLOSE) unfinished.add(request);
    throw fault;
  }
}

/** Is over when nobody waits for the body any more. */
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
      const detail = `The body did not arrive within ${timeoutMs / 1000} seconds.`;
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
    return await collect(inflated, bytesMax, "is larger when inflated", admit);
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError(
      "invalid_request",
      "The body says that it is gzip, but cannot be inflated.",
      {
        cause,
        errors: [{ header: "Content-Encoding", detail: "the body is not valid gzip" }],
      },
    );
  }
}

/** All bytes of a stream. Over the limit it lets go of what it has and drops what still comes. */
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

/** Always a copy: a chunk may be a window on a buffer of the connection, which is not ours to hand on. */
function join(chunks: Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** Reads to the end and keeps nothing. Never cancels: to cancel would tear the connection down before the answer. */
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

const broken = (cause: unknown) =>
  new ApiError("invalid_request", "The body ended before it was complete.", {
    cause,
    headers: CLOSE,
  });

function tooLarge(bytesMax: number, excess: string, dropped: boolean): ApiError {
  const detail = `${excess}; the limit is ${bytesMax} bytes`;
  return new ApiError("too_large", `The body ${detail}.`, {
    members: { limit: bytesMax },
    errors: [{ pointer: "", detail }],
    ...(dropped ? {} : { headers: CLOSE }),
  });
}

/** Content-Length, null where the body comes without one; a request with neither length nor chunks has no body. */
function announcedLength(request: Request): number | null {
  const length = request.headers.get("content-length");
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}
