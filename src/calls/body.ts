import { ApiError } from "#errors.ts";
import { DRAIN_SLACK_BYTES, DRAIN_WAIT_MS, MEMORY_GRANT_BYTES } from "#limits.ts";
import type { ApiRequest, HeaderLookup } from "./exchange.ts";
import type { MemoryLease } from "./memory-budget.ts";

/**
 * Reads a request's body within a limit and never holds more than that. A rejected body is read and dropped up to a
 * little past its limit, so that the client gets its response and keeps its connection; beyond that the connection is
 * closed. This happens before the response, because workerd drops a connection whose body was left unread.
 */

const CLOSE = { Connection: "close" };
/** A smaller body takes no more memory than its connection. */
export const SMALL_BYTES = 16 * 1024;

/** From what a large body takes its memory; null for bodies that are not counted, because their limit is low. */
export type BodyLease = Pick<MemoryLease, "take"> | null;

/** What reading a body needs of its request. */
export type BodyRequest = Pick<ApiRequest, "headers" | "bodyUsed" | "arrayBuffer" | "body">;

/** Requests whose body was not read to its end. Their connection must be closed, whatever the response. */
const unfinished = new WeakSet<BodyRequest>();

/**
 * Requests whose client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). The server sends it
 * when the body is first read, so everything that can be checked before that is.
 */
const waiting = new WeakSet<BodyRequest>();
export const markWaiting = (request: BodyRequest): void => void waiting.add(request);
export const isWaiting = (request: BodyRequest): boolean => waiting.has(request);

export type ReadOptions = {
  /** How long the body may take to arrive; null where the HTTP server limits the time. */
  timeoutMs?: number | null;
  /** Called before a client that waits is told to send its body. Throws where the body would be rejected anyway. */
  beforeContinue?: () => void;
  /** Called with the number of bytes that were transferred. */
  onReceived?: (bytes: number) => void;
};

/**
 * Returns the bytes of the body, inflated if they are compressed. Throws an ApiError `too_large`,
 * `unsupported_media_type`, `invalid_request`, `request_timeout` or `unavailable`.
 */
export async function readBody(
  request: BodyRequest,
  bytesMax: number,
  lease: BodyLease,
  options: ReadOptions = {},
): Promise<Uint8Array> {
  const zipped = isZipped(request);
  const raw = await readRaw(request, bytesMax, lease, options);
  options.onReceived?.(raw.byteLength);
  // A client may set the header on every request, even with an empty body.
  return zipped && raw.byteLength > 0 ? inflate(raw, bytesMax, lease) : raw;
}

/**
 * Hands the body to `sink` piece by piece, inflated if it is compressed, and returns what the sink makes of it. Throws what `readBody`
 * throws, and what the sink throws.
 */
export async function receiveBody<Whole>(
  request: BodyRequest,
  bytesMax: number,
  sink: Sink<Whole>,
  { onReceived, timeoutMs = null }: Omit<ReadOptions, "beforeContinue">,
): Promise<Whole> {
  const zipped = isZipped(request);
  await requireAnnounced(request, bytesMax);
  waiting.delete(request);
  const compressed = { bytes: 0 };
  const body = request.body ?? streamOf(request);
  const reader = (zipped ? inflating(body, bytesMax, compressed) : body).getReader();
  const reading = collect(reader, bytesMax, "is too large", sink);
  try {
    return await (timeoutMs === null ? reading : inTime(reading, timeoutMs));
  } catch (cause) {
    sink.discard();
    // A connection that is lost in a compressed body gets the same error, which its client can no longer read.
    const error = cause instanceof ApiError ? cause : zipped ? notGzip(cause) : incomplete(cause);
    const isClosing = error.details.headers === CLOSE;
    // The client gets its response and keeps its connection if the rest comes soon.
    if (isClosing || !(await soon(drop(reader, bytesMax).catch(() => false))))
      unfinished.add(request);
    throw error;
  } finally {
    onReceived?.(zipped ? compressed.bytes : sink.bytes());
  }
}

/** A small body, which its server reads as a whole. */
const streamOf = (request: BodyRequest): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      controller.close();
    },
  });

/**
 * Compressed bytes have the same limit as those that they stand for: otherwise a body of empty blocks could be endless. `arrived` counts
 * them.
 */
function inflating(
  body: ReadableStream<Uint8Array>,
  bytesMax: number,
  arrived: { bytes: number },
): ReadableStream<Uint8Array> {
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      arrived.bytes += chunk.byteLength;
      if (arrived.bytes <= bytesMax) controller.enqueue(chunk);
      else controller.error(tooLarge(bytesMax, "is too large", false));
    },
  });
  // A stream that is cancelled closes its connection before the response.
  return (body as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(counting, { preventCancel: true })
    .pipeThrough(new DecompressionStream("gzip"));
}

/**
 * Reads and drops the body of a rejected request, but only briefly: the error does not wait for a slow client. Returns
 * false if more of the body is to come; the connection must then be closed.
 */
export async function dropBody(request: BodyRequest, bytesMax: number): Promise<boolean> {
  if (unfinished.has(request)) return false;
  if (request.bodyUsed || announcedLength(request) === 0) return true;
  // The client may send the body or not, so what comes next on the connection is unknown.
  if (waiting.has(request)) return false;
  return soon(dropAll(request, bytesMax));
}

/** False where the rest of a body takes long. */
async function soon(dropped: Promise<boolean>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, DRAIN_WAIT_MS, false);
  });
  const result = await Promise.race([dropped, tooLong]);
  clearTimeout(timer);
  return result;
}

async function dropAll(request: BodyRequest, bytesMax: number): Promise<boolean> {
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
  request: BodyRequest,
  bytesMax: number,
  lease: BodyLease,
  { timeoutMs = null, beforeContinue }: ReadOptions,
): Promise<Uint8Array> {
  const length = await requireAnnounced(request, bytesMax);
  if (length !== 0 && waiting.has(request)) beforeContinue?.();
  waiting.delete(request);
  try {
    // The HTTP server enforces the announced length.
    if (length !== null && (length <= SMALL_BYTES || lease === null)) {
      const reading = request.arrayBuffer();
      const read = await (timeoutMs === null ? reading : inTime(reading, timeoutMs));
      return read instanceof Uint8Array ? read : new Uint8Array(read);
    }
    if (request.body === null) return new Uint8Array();
    return await readLarge(request, request.body.getReader(), bytesMax, lease, timeoutMs);
  } catch (cause) {
    const error = cause instanceof ApiError ? cause : incomplete(cause);
    if (error.details.headers === CLOSE) unfinished.add(request);
    throw error;
  }
}

/** Returns the Content-Length; null for a chunked body. Throws an ApiError `too_large`. */
async function requireAnnounced(request: BodyRequest, bytesMax: number): Promise<number | null> {
  const length = announcedLength(request);
  if (length === null || length <= bytesMax) return length;
  const dropped = await dropBody(request, bytesMax);
  if (!dropped) unfinished.add(request);
  throw tooLarge(bytesMax, `is ${length} bytes`, dropped);
}

const notGzip = (cause: unknown) =>
  new ApiError(
    "invalid_request",
    "The Content-Encoding is gzip, but the body is not valid gzip. Compress the body again, or send it uncompressed without the header.",
    {
      cause,
      errors: [{ header: "Content-Encoding", detail: "the body is not valid gzip" }],
    },
  );

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Reads a body that is or may become large, and counts what arrives. */
async function readLarge(
  request: BodyRequest,
  reader: Reader,
  bytesMax: number,
  lease: BodyLease,
  timeoutMs: number | null,
): Promise<Uint8Array> {
  const blocks = createBlocks(lease);
  const reading = collect(reader, bytesMax, "is too large", blocks);
  try {
    return await (timeoutMs === null ? reading : inTime(reading, timeoutMs));
  } catch (error) {
    blocks.discard();
    // No memory was left. The client gets its response and keeps its connection if the rest comes soon.
    if (error instanceof ApiError && error.code === "unavailable") {
      const rest = bytesMax + DRAIN_SLACK_BYTES - blocks.bytes();
      if (!(await soon(drop(reader, rest).catch(() => false)))) unfinished.add(request);
    }
    throw error;
  }
}

async function inflate(raw: Uint8Array, bytesMax: number, lease: BodyLease): Promise<Uint8Array> {
  try {
    const source = new Blob([raw as Uint8Array<ArrayBuffer>]).stream();
    const reader = source.pipeThrough(new DecompressionStream("gzip")).getReader();
    return await collect(reader, bytesMax, "is too large when inflated", createBlocks(lease));
  } catch (cause) {
    throw cause instanceof ApiError ? cause : notGzip(cause);
  }
}

/** Returns all bytes of a stream. Beyond the limit it releases what it has read and drops the rest. */
async function collect<Whole>(
  reader: Reader,
  bytesMax: number,
  excess: string,
  blocks: Sink<Whole>,
): Promise<Whole> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return blocks.join();
    const size = blocks.bytes() + value.byteLength;
    if (size > bytesMax) {
      blocks.discard();
      const dropped = await soon(drop(reader, bytesMax + DRAIN_SLACK_BYTES - size));
      throw tooLarge(bytesMax, excess, dropped);
    }
    await blocks.add(value);
  }
}

/** Where the bytes of a body go as they arrive. */
export type Sink<Whole> = {
  /** Waits if there is no room for the chunk, and throws an ApiError `unavailable` if it waited in vain. */
  add(chunk: Uint8Array): Promise<void>;
  bytes(): number;
  /** What all bytes are together. */
  join(): Whole | Promise<Whole>;
  /** Drops what has arrived, and whatever still comes: the client may hold its connection for long. */
  discard(): void;
};

/**
 * What has arrived of a body, copied into blocks: a body in single bytes must not be held as an object for each. Memory is
 * taken for every block but the first, which is small.
 */
export function createBlocks(lease: BodyLease): Sink<Uint8Array> {
  let blocks = [new Uint8Array(SMALL_BYTES)];
  /** The bytes in the last block. */
  let filled = 0;
  let bytes = 0;

  async function add(chunk: Uint8Array): Promise<void> {
    for (let from = 0; from < chunk.byteLength; ) {
      if (filled === blocks.at(-1)?.byteLength) {
        const waited = lease?.take(MEMORY_GRANT_BYTES);
        if (waited !== undefined) await waited;
        blocks.push(new Uint8Array(MEMORY_GRANT_BYTES));
        filled = 0;
      }
      const last = blocks.at(-1);
      if (last === undefined) throw new Error("The body has been discarded");
      const part = chunk.subarray(from, from + last.byteLength - filled);
      last.set(part, filled);
      filled += part.byteLength;
      bytes += part.byteLength;
      from += part.byteLength;
    }
  }

  return {
    add,
    bytes: () => bytes,
    join() {
      const whole = new Uint8Array(bytes);
      let at = 0;
      for (const block of blocks) {
        whole.set(block.subarray(0, bytes - at), at);
        at += block.byteLength;
      }
      return whole;
    },
    discard() {
      blocks = [];
    },
  };
}

/** Reads and discards the rest. It never cancels the stream, which would close the connection before the response. */
async function drop(reader: Reader, bytesMax: number): Promise<boolean> {
  for (let left = bytesMax; left >= 0; ) {
    const { done, value } = await reader.read();
    if (done) return true;
    left -= value.byteLength;
  }
  return false;
}

async function inTime<Read>(reading: Promise<Read>, timeoutMs: number): Promise<Read> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooLate(timeoutMs)), timeoutMs);
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

const tooLate = (timeoutMs: number) =>
  new ApiError(
    "request_timeout",
    `The body did not arrive within ${timeoutMs / 1000} seconds. Send it again over a faster connection.`,
    { headers: CLOSE },
  );

const incomplete = (cause: unknown) =>
  new ApiError(
    "invalid_request",
    "The body ended before it was complete. Send the request again.",
    {
      cause,
      headers: CLOSE,
    },
  );

/**
 * Returns the error `too_large`. `excess`: what was too large, as a clause with its size; `dropped`: the rest of the body was read and
 * discarded, so the connection can stay open.
 */
export function tooLarge(
  bytesMax: number,
  excess: string,
  dropped: boolean,
  what = "The body",
): ApiError {
  const detail = `${excess}; the limit is ${bytesMax} bytes`;
  return new ApiError("too_large", `${what} ${detail}.`, {
    members: { limit: bytesMax },
    errors: [{ pointer: "", detail }],
    ...(dropped ? {} : { headers: CLOSE }),
  });
}

/** Throws an ApiError `unsupported_media_type` for an encoding other than gzip. */
function isZipped(request: { headers: HeaderLookup }): boolean {
  const encoding = encodingOf(request);
  const zipped = encoding === "gzip" || encoding === "x-gzip";
  if (zipped || encoding === "" || encoding === "identity") return zipped;
  throw new ApiError(
    "unsupported_media_type",
    `The Content-Encoding "${encoding.slice(0, 40)}" is not supported. Send the body uncompressed or with gzip.`,
    { headers: { "Accept-Encoding": "gzip" } },
  );
}

/** No regular expression: with white space on both sides of an optional word it would take seconds for 30 KB of it. */
const encodingOf = ({ headers }: { headers: HeaderLookup }): string =>
  (headers.get("content-encoding") ?? "").trim().toLowerCase();

/** The Content-Length; null for a chunked body. A request with neither has no body. */
function announcedLength(request: { headers: HeaderLookup }): number | null {
  const length = request.headers.get("content-length");
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}
