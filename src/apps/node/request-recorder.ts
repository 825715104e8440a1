import { NO_PROBLEM } from "#accounts/kept-problem.ts";
import { addToChunk, startChunk } from "#accounts/request-chunk.ts";
import type { RequestChunk, RequestEntry } from "#accounts/request-log.ts";

/**
 * Gathers the requests of calls on the main thread and hands them over in batches. A call only adds to memory, whose bound drops the
 * oldest; nothing here ever waits for the log or fails with it.
 */
export type RequestRecorder = {
  record(account: string, entry: RequestEntry): void;
  /** Hands over what is left, and waits for it briefly. */
  stop(): Promise<void>;
};

/** What became of a batch. `again`: certainly nothing of it is in the log. */
export type Handed = "logged" | "again" | "lost";

const FLUSH_MS = 1_000;
const BATCH_MAX = 1_000;
/** About 10 MB. */
const HELD_MAX = 40_000;
/** Beyond this part of them, entries are held without the sentences of their errors, which have up to 1 KB. */
const PROBLEMS_PART = 1 / 4;
/** A search reads whole chunks, so they are small. */
const CHUNK_MAX = 250;
/**
 * A flush takes the chunks of accounts that had none lately, and of the others the oldest, at least so many. A chunk costs the log about as
 * much as ten requests, so those of many busy accounts wait for more: about `FLUSHES_WAITED` flushes.
 */
const CHUNKS_A_FLUSH = 100;
const FLUSHES_WAITED = 10;
/** Attempts, a flush apart, before the log is assumed to be unable to take the batch. */
const TRIES_MAX = 30;
const STOP_MS = 2_000;

type Batch = { chunks: RequestChunk[]; count: number; tries: number };
export type RecorderOptions = {
  send(chunks: readonly RequestChunk[]): Promise<Handed>;
  /** Called with the number of requests that will not be in the log. */
  onLost(count: number): void;
  flushMs?: number;
  heldMax?: number;
};

export function createRequestRecorder({
  send,
  onLost,
  flushMs = FLUSH_MS,
  heldMax = HELD_MAX,
}: RecorderOptions): RequestRecorder {
  const newBatch = (): Batch => ({ chunks: [], count: 0, tries: 0 });
  let batch = newBatch();
  /** The chunk of each account that takes more of its requests, oldest first. */
  const open = new Map<string, RequestChunk>();
  let inOpen = 0;
  /** Accounts that had a chunk lately, and those that had one before. */
  let recent = new Set<string>();
  let before = recent;
  let flushes = 0;
  /** Batches to be sent, oldest first. The first may be on its way. */
  let queue: Batch[] = [];
  let held = 0;
  let sending: Promise<void> | null = null;

  function openChunk(account: string, at: number): RequestChunk {
    const chunk = startChunk(account, at);
    open.set(account, chunk);
    return chunk;
  }

  function record(account: string, entry: RequestEntry): void {
    const chunk = open.get(account) ?? openChunk(account, entry.at);
    // Sentences of errors take several times as much memory as all else.
    const isFull = held > heldMax * PROBLEMS_PART;
    addToChunk(chunk, isFull ? { ...entry, ...NO_PROBLEM } : entry);
    held += 1;
    inOpen += 1;
    if (chunk.count === CHUNK_MAX) closeChunk(chunk);
    else if (inOpen > heldMax / 2) closeOldest();
  }

  function closeChunk(chunk: RequestChunk): void {
    open.delete(chunk.account);
    recent.add(chunk.account);
    inOpen -= chunk.count;
    batch.chunks.push(chunk);
    batch.count += chunk.count;
    if (batch.count >= BATCH_MAX) closeBatch();
  }

  function closeOldest(): void {
    let left = Math.max(CHUNKS_A_FLUSH, Math.ceil(open.size / FLUSHES_WAITED));
    for (const chunk of open.values()) {
      if (left === 0) break;
      left -= 1;
      closeChunk(chunk);
    }
  }

  function closeBatch(): void {
    queue.push(batch);
    batch = newBatch();
    while (held > heldMax && queue.length > 1) {
      // The first may be in the log already.
      const [dropped] = queue.splice(sending === null ? 0 : 1, 1);
      lose(dropped);
    }
    // What failed waits for the next flush.
    if (queue[0]?.tries === 0) sendOn();
  }

  function sendOn(): void {
    sending ??= sendAll().finally(() => {
      sending = null;
    });
  }

  function flush(): void {
    for (const chunk of open.values())
      if (!recent.has(chunk.account) && !before.has(chunk.account)) closeChunk(chunk);
    closeOldest();
    sendRest();
    flushes += 1;
    if (flushes % FLUSHES_WAITED > 0) return;
    before = recent;
    recent = new Set();
  }

  function sendRest(): void {
    if (batch.count > 0) closeBatch();
    sendOn();
  }

  function lose(lost: Batch | undefined): void {
    if (lost === undefined) return;
    held -= lost.count;
    onLost(lost.count);
  }

  async function sendAll(): Promise<void> {
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      const handed = await send(first.chunks).catch((): Handed => "lost");
      first.tries += 1;
      if (handed === "again" && first.tries < TRIES_MAX) return;
      queue = queue.filter((each) => each !== first);
      if (handed === "logged") held -= first.count;
      else lose(first);
    }
  }

  const timer = setInterval(flush, flushMs).unref();
  return {
    record,
    async stop() {
      clearInterval(timer);
      await sending;
      for (const chunk of open.values()) closeChunk(chunk);
      sendRest();
      const late = Promise.withResolvers<void>();
      const giveUp = setTimeout(late.resolve, STOP_MS);
      await Promise.race([sending, late.promise]);
      clearTimeout(giveUp);
      if (held > 0) onLost(held);
    },
  };
}
