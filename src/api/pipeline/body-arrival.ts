import { ApiError } from "#errors.ts";
import { BODY_WINDOW_BYTES_MIN, BODY_WINDOW_MS } from "#limits.ts";
import type { MemoryLease } from "./memory-budget.ts";

/** A body on its way: what has arrived of it, whether it arrives fast enough, and whether there is memory for more. */

export const CLOSE = { Connection: "close" };
/** A smaller body takes no more memory than its connection. */
export const SMALL_BYTES = 16 * 1024;
/** Smaller chunks are copied into blocks of this size: a body in single bytes must not be held as an object for each. */
const BLOCK_BYTES = 4 * 1024;

/** Counts the bytes of a large body as they arrive; null for bodies that are not counted, because their limit is low. */
export type BodyLease = Pick<MemoryLease, "takeOrWait" | "complete"> | null;

/** Ends the reading of a body early. */
export type Stop = { stopped: Promise<never>; stop(error: ApiError): void };

export function createStop(): Stop {
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  // The body may be complete before anything waits for it.
  stopped.catch(() => {});
  return { stopped, stop };
}

/** What has arrived of a body. It is dropped where the reading is stopped: the client may hold its connection for long. */
export type Arrival = {
  /**
   * Returns false if the reading was stopped. Waits if there is no memory for the chunk, and throws an ApiError `unavailable` if it
   * waited in vain.
   */
  add(chunk: Uint8Array): boolean | Promise<boolean>;
  bytes(): number;
  /** Starts to demand the minimum rate. */
  watchPace(): void;
  /** All bytes in one piece. */
  join(): Uint8Array;
  discard(): void;
};

/** `beforeWait` is called when the body has to wait for memory. What it throws ends the reading. */
export function createArrival(
  lease: BodyLease,
  { stopped, stop }: Stop,
  beforeWait?: () => Promise<void>,
): Arrival {
  let blocks: Uint8Array[] = [];
  /** The last block, with room for more small chunks. */
  let last = new Uint8Array();
  let lastBytes = 0;
  let bytes = 0;
  let counted = 0;
  let atWindowStart = 0;
  let isOver = false;
  let isWaiting = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  stopped.catch(discard);

  function discard(): void {
    isOver = true;
    clearTimeout(timer);
    blocks = [];
    last = new Uint8Array();
    lastBytes = 0;
  }

  function watchPace(): void {
    timer ??= setTimeout(endWindow, BODY_WINDOW_MS);
  }

  function endWindow(): void {
    // While the body waits for memory, nothing of it is read.
    if (!isWaiting && bytes - atWindowStart < BODY_WINDOW_BYTES_MIN) {
      stop(tooSlow());
      return;
    }
    atWindowStart = bytes;
    timer = setTimeout(endWindow, BODY_WINDOW_MS);
  }

  function closeLast(): void {
    if (lastBytes > 0) blocks.push(last.slice(0, lastBytes));
    lastBytes = 0;
  }

  async function keepAfter(waited: Promise<void>, chunk: Uint8Array): Promise<boolean> {
    isWaiting = true;
    // It may reject before it is awaited.
    waited.catch(() => {});
    try {
      await beforeWait?.();
      await waited;
    } finally {
      isWaiting = false;
    }
    return keep(chunk);
  }

  function keep(chunk: Uint8Array): boolean {
    if (isOver) return false;
    if (chunk.byteLength >= BLOCK_BYTES) {
      closeLast();
      blocks.push(chunk);
      return true;
    }
    if (lastBytes + chunk.byteLength > last.byteLength) {
      closeLast();
      last = new Uint8Array(BLOCK_BYTES);
    }
    last.set(chunk, lastBytes);
    lastBytes += chunk.byteLength;
    return true;
  }

  return {
    add(chunk) {
      if (isOver) return false;
      bytes += chunk.byteLength;
      if (bytes <= SMALL_BYTES) return keep(chunk);
      watchPace();
      const waited = lease?.takeOrWait(bytes - counted, stop);
      counted = bytes;
      return waited === undefined ? keep(chunk) : keepAfter(waited, chunk);
    },
    bytes: () => bytes,
    watchPace,
    join() {
      closeLast();
      return join(blocks, bytes);
    },
    discard,
  };
}

/** Stops the reading after `timeoutMs`. */
export async function inTime<Read>(
  reading: Promise<Read>,
  timeoutMs: number | null,
  { stopped, stop } = createStop(),
): Promise<Read> {
  const timer = timeoutMs === null ? undefined : setTimeout(() => stop(late(timeoutMs)), timeoutMs);
  try {
    return await Promise.race([reading, stopped]);
  } finally {
    clearTimeout(timer);
  }
}

const late = (timeoutMs: number) =>
  new ApiError(
    "request_timeout",
    `The body did not arrive within ${timeoutMs / 1000} seconds. Send it again over a faster connection.`,
    { headers: CLOSE },
  );

const tooSlow = () =>
  new ApiError(
    "request_timeout",
    `The body arrived too slowly: less than ${BODY_WINDOW_BYTES_MIN} bytes in ${BODY_WINDOW_MS / 1000} seconds. Send it again over a faster connection.`,
    { headers: CLOSE },
  );

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
