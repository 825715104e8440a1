import { ApiError } from "#errors.ts";
import { DRAIN_SLACK_BYTES, DRAIN_WAIT_MS } from "#limits.ts";
import {
  type Arrival,
  type BodyLease,
  CLOSE,
  createArrival,
  createStop,
  inTime,
  SMALL_BYTES,
} from "./body-arrival.ts";
import type { ApiRequest, HeaderLookup } from "./exchange.ts";

/**
 * Reads a request's body within a limit and never holds more than that. A rejected body is read and dropped up to a
 * little past its limit, so that the client gets its response and keeps its connection; beyond that the connection is
 * closed. This happens before the response, because workerd drops a connection whose body was left unread.
 */

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
  /** Called when the body has to wait for memory. What it throws ends the reading. */
  beforeWait?: () => Promise<void>;
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
  const encoding = encodingOf(request);
  const zipped = encoding === "gzip" || encoding === "x-gzip";
  if (!zipped && encoding !== "" && encoding !== "identity") {
    throw new ApiError(
      "unsupported_media_type",
      `The Content-Encoding "${encoding.slice(0, 40)}" is not supported. Send the body uncompressed or with gzip.`,
    );
  }
  const raw = await readRaw(request, bytesMax, lease, options);
  options.onReceived?.(raw.byteLength);
  // A client may set the header on every request, even with an empty body.
  const body = zipped && raw.byteLength > 0 ? await inflate(raw, bytesMax, lease, options) : raw;
  lease?.complete();
  return body;
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
  options: ReadOptions,
): Promise<Uint8Array> {
  const { timeoutMs = null, beforeContinue } = options;
  const length = announcedLength(request);
  if (length !== null && length > bytesMax) {
    const dropped = await dropBody(request, bytesMax);
    if (!dropped) unfinished.add(request);
    throw tooLarge(bytesMax, `is ${length} bytes`, dropped);
  }
  if (length !== 0 && waiting.has(request)) beforeContinue?.();
  waiting.delete(request);
  try {
    // The HTTP server enforces the announced length, so the bytes need not be counted.
    if (length !== null && length <= SMALL_BYTES) {
      const reading = request.arrayBuffer();
      const read = await (timeoutMs === null ? reading : inTime(reading, timeoutMs));
      return read instanceof Uint8Array ? read : new Uint8Array(read);
    }
    if (request.body === null) return new Uint8Array();
    return await readLarge(request, request.body.getReader(), bytesMax, lease, options);
  } catch (cause) {
    const error = cause instanceof ApiError ? cause : incomplete(cause);
    if (error.details.headers === CLOSE) unfinished.add(request);
    throw error;
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Reads a body that is or may become large: counts what arrives, and demands that it keeps arriving. */
async function readLarge(
  request: BodyRequest,
  reader: Reader,
  bytesMax: number,
  lease: BodyLease,
  { timeoutMs = null, beforeWait }: ReadOptions,
): Promise<Uint8Array> {
  const stop = createStop();
  const arrival = createArrival(lease, stop, beforeWait);
  // A client that disconnects waits for memory no longer, though nothing reads its body then.
  reader.closed.catch((cause) => stop.stop(incomplete(cause)));
  // A client that announces a large body has it at hand.
  if (announcedLength(request) !== null) arrival.watchPace();
  try {
    return await inTime(collect(reader, bytesMax, "is too large", arrival), timeoutMs, stop);
  } catch (error) {
    // No memory was left. The client gets its response and keeps its connection if the rest comes soon.
    if (error instanceof ApiError && error.code === "unavailable") {
      const rest = bytesMax + DRAIN_SLACK_BYTES - arrival.bytes();
      if (!(await soon(drop(reader, rest).catch(() => false)))) unfinished.add(request);
    }
    throw error;
  } finally {
    arrival.discard();
  }
}

async function inflate(
  raw: Uint8Array,
  bytesMax: number,
  lease: BodyLease,
  { beforeWait }: ReadOptions,
): Promise<Uint8Array> {
  const stop = createStop();
  const arrival = createArrival(lease, stop, beforeWait);
  try {
    const source = new Blob([raw as Uint8Array<ArrayBuffer>]).stream();
    const reader = source.pipeThrough(new DecompressionStream("gzip")).getReader();
    const reading = collect(reader, bytesMax, "is too large when inflated", arrival);
    return await inTime(reading, null, stop);
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
  } finally {
    arrival.discard();
  }
}

/** Returns all bytes of a stream. Beyond the limit it releases what it has read and drops the rest. */
async function collect(
  reader: Reader,
  bytesMax: number,
  excess: string,
  arrival: Arrival,
): Promise<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return arrival.join();
    const size = arrival.bytes() + value.byteLength;
    if (size > bytesMax) {
      arrival.discard();
      const dropped = await soon(drop(reader, bytesMax + DRAIN_SLACK_BYTES - size));
      throw tooLarge(bytesMax, excess, dropped);
    }
    const added = arrival.add(value);
    // Where the reading was stopped, the result is not awaited.
    if (!(added instanceof Promise ? await added : added)) return NO_BYTES;
  }
}

const NO_BYTES = new Uint8Array();

/** Reads and discards the rest. It never cancels the stream, which would close the connection before the response. */
async function drop(reader: Reader, bytesMax: number): Promise<boolean> {
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

/** No regular expression: with white space on both sides of an optional word it would take seconds for 30 KB of it. */
const encodingOf = ({ headers }: { headers: HeaderLookup }): string =>
  (headers.get("content-encoding") ?? "").trim().toLowerCase();

/** The Content-Length; null for a chunked body. A request with neither has no body. */
function announcedLength(request: { headers: HeaderLookup }): number | null {
  const length = request.headers.get("content-length");
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}
