import { NO_PROBLEM } from "#accounts/kept-problem.ts";
import { addToChunk, startChunk } from "#accounts/request-chunk.ts";
import type { RequestChunk, RequestEntry } from "#accounts/request-log.ts";

/**
 * Gathers the requests of calls in an isolate and hands them over to the objects of their accounts, because each time costs a request
 * and a row. A call only adds to memory, which is bounded; nothing is sent before its response has left. The platform may end an
 * isolate at any time: the requests that it holds are then lost uncounted.
 */
export type EdgeRecorder = { record(account: string, entry: RequestEntry): void };

export type EdgeRecorderOptions = {
  /** Rejects if the requests may not be in the log. `isAgain`: an earlier attempt may have added them. */
  append(order: { chunk: RequestChunk; isAgain: boolean }): Promise<void>;
  /** Keeps work of the current request alive after its response, at least as long as it takes here: 24 s. */
  waitUntil(work: Promise<unknown>): void;
  wait(ms: number): Promise<void>;
  now(): number;
  /** Called with the number of requests that will not be in the log, at most once in `REPORT_EVERY_MS`. */
  onLost(count: number, cause: unknown): void;
  heldMax?: number;
};

const BATCH_MAX = 100;
const BATCH_MS = 10_000;
/** For an account that was not busy lately, so that a first call shows soon. Alone, it costs the same. */
const FIRST_BATCH_MS = 1_000;
/** After this time the request that was to send a batch has ended without doing so. */
const OVERDUE_MS = 15_000;
/** About 2 MB; requests with the longest ids take three times as much. */
const HELD_MAX = 5_000;
/** Beyond this part of them, entries are held without the sentences of their errors, which have up to 1 KB. */
const PROBLEMS_PART = 1 / 4;
/** The pauses before a batch is sent again. */
const PAUSES_MS = [1_000, 3_000];
/** The platform ends work 30 s after a response, without a word to the code that waits. */
const SENDING_MS_MAX = 60_000;
const REPORT_EVERY_MS = 10_000;

type Batch = { chunk: RequestChunk; since: number };

export function createEdgeRecorder({
  append,
  waitUntil,
  wait,
  now,
  onLost,
  heldMax = HELD_MAX,
}: EdgeRecorderOptions): EdgeRecorder {
  /** The batch of each account that takes more of its requests, oldest first. */
  const open = new Map<string, Batch>();
  const sending = new Set<Batch>();
  /** Requests in each of them. */
  const held = { open: 0, sending: 0 };
  const busy = createBusyAccounts();
  const lost = { count: 0, cause: undefined as unknown, reportedAt: Number.NEGATIVE_INFINITY };

  function lose(count: number, cause: unknown): void {
    lost.count += count;
    lost.cause = cause;
    report();
  }

  function report(): void {
    if (lost.count === 0 || now() - lost.reportedAt < REPORT_EVERY_MS) return;
    onLost(lost.count, lost.cause);
    lost.count = 0;
    lost.reportedAt = now();
  }

  function startBatch(account: string, at: number): Batch {
    const batch = { chunk: startChunk(account, at), since: now() };
    open.set(account, batch);
    const ms = busy.has(account, batch.since) ? BATCH_MS : FIRST_BATCH_MS;
    waitUntil(wait(ms).then(() => send(batch)));
    return batch;
  }

  /** Never rejects. */
  async function send(batch: Batch): Promise<void> {
    const { account } = batch.chunk;
    if (open.get(account) !== batch) return;
    open.delete(account);
    sending.add(batch);
    held.open -= batch.chunk.count;
    held.sending += batch.chunk.count;
    busy.add(account, now());
    // The response leaves first.
    await wait(0);
    const cause = await sendWithRetries(batch.chunk);
    finish(batch, cause);
  }

  /** Returns the cause if it fails. */
  async function sendWithRetries(chunk: RequestChunk): Promise<unknown> {
    for (let tries = 0; ; tries += 1) {
      try {
        await append({ chunk, isAgain: tries > 0 });
        return null;
      } catch (cause) {
        const pauseMs = PAUSES_MS[tries];
        if (pauseMs === undefined) return cause;
        await wait(pauseMs);
      }
    }
  }

  function finish(batch: Batch, cause: unknown): void {
    if (!sending.delete(batch)) return;
    held.sending -= batch.chunk.count;
    if (cause !== null) lose(batch.chunk.count, cause);
  }

  /** Batches whose sending the platform has ended would otherwise count for ever. */
  function forgetEnded(): void {
    for (const batch of sending) if (now() - batch.since > SENDING_MS_MAX) finish(batch, ENDED);
  }

  const isFull = () => held.open + held.sending >= heldMax;

  /** Sends the oldest batch if the request that was to do so has ended, or if many are open. */
  function sendOldest(): void {
    const [oldest] = open.values();
    if (oldest === undefined) return;
    if (held.open > heldMax / 2 || now() - oldest.since > OVERDUE_MS) waitUntil(send(oldest));
  }

  return {
    record(account, entry) {
      report();
      if (isFull()) forgetEnded();
      if (isFull()) {
        lose(1, FULL);
        return;
      }
      const batch = open.get(account) ?? startBatch(account, entry.at);
      const isFilling = held.open + held.sending > heldMax * PROBLEMS_PART;
      addToChunk(batch.chunk, isFilling ? { ...entry, ...NO_PROBLEM } : entry);
      held.open += 1;
      if (batch.chunk.count >= BATCH_MAX) waitUntil(send(batch));
      sendOldest();
    },
  };
}

const FULL = "Too many requests wait for the objects of their accounts";
const ENDED = "The platform ended the work of a request";

/** The accounts that had a batch in the last 10 to 20 seconds. */
function createBusyAccounts() {
  let recent = new Set<string>();
  let before = recent;
  let since = Number.NEGATIVE_INFINITY;
  function turn(at: number): void {
    if (at - since < BATCH_MS) return;
    before = at - since < 2 * BATCH_MS ? recent : new Set();
    recent = new Set();
    since = at;
  }
  return {
    add(account: string, at: number): void {
      turn(at);
      recent.add(account);
    },
    has(account: string, at: number): boolean {
      turn(at);
      return recent.has(account) || before.has(account);
    },
  };
}
