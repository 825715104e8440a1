import { Worker } from "node:worker_threads";
import { ledgerOver } from "#ledger/ledger-over.ts";
import { type Ledger, type LedgerOperation, NotCarriedOut } from "#ledger/port.ts";
import { LEDGER_BATCH_MAX, LEDGER_QUEUE_MAX, LEDGER_TIMEOUT_MS } from "#limits.ts";
import { type BatchItem, type BatchResult, unwrap } from "./batch.ts";

/**
 * The ledger on a thread of its own, so that waiting for the disk never stops the server.
 *
 * Commits are clocked by themselves: while one batch commits, the next one gathers. Alone, an order waits for
 * nothing; under load many share one sync of the disk. An order's promise resolves after its commit.
 * When the thread dies, a new one is started and what was under way is sent again, which is safe because every
 * order carries its own id. An order that waits longer than LEDGER_TIMEOUT_MS is rejected.
 */
export type SqliteThreadOptions = {
  file: string;
  /** Told after every batch: how many orders, how long the transaction took, how many wait for the next one. */
  onBatch?: (batch: { size: number; commitMs: number; waiting: number }) => void;
  onCrash?: (error: Error) => void;
};

export type SqliteThread = { ledger: Ledger; waiting(): number; close(): Promise<void> };

type Pending = {
  item: BatchItem;
  /** By the clock that never goes back: a clock that is set must not time out what has just come in. */
  since: number;
  /** How often it was sent to a thread. */
  sent: number;
  /** Rejected because it took too long; not sent again. */
  late: boolean;
  resolve(value: unknown): void;
  reject(error: Error): void;
};

const RESTART_AFTER_MS = 100;
const CLOSE_TIMEOUT_MS = 2_000;

export async function openSqliteThread(options: SqliteThreadOptions): Promise<SqliteThread> {
  let queue: Pending[] = [];
  let flight: Pending[] = [];
  let scheduled = false;
  let closing = false;
  let worker = await start();

  function submit(name: LedgerOperation, order: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (closing || queue.length >= LEDGER_QUEUE_MAX) {
        const why = closing ? "The ledger is closed" : "Too many orders wait for the ledger";
        reject(new NotCarriedOut(why));
        return;
      }
      const since = performance.now();
      queue.push({ item: [name, order], since, sent: 0, late: false, resolve, reject });
      // At the end of this turn of the event loop, so that orders which came in together go together.
      if (!scheduled && flight.length === 0) {
        scheduled = true;
        setImmediate(send);
      }
    });
  }

  function send(): void {
    scheduled = false;
    if (worker === undefined || flight.length > 0 || queue.length === 0) return;
    flight = queue.length <= LEDGER_BATCH_MAX ? queue : queue.slice(0, LEDGER_BATCH_MAX);
    queue = queue.length <= LEDGER_BATCH_MAX ? [] : queue.slice(LEDGER_BATCH_MAX);
    for (const pending of flight) pending.sent += 1;
    worker.postMessage(JSON.stringify(flight.map((pending) => pending.item)));
  }

  function receive(text: string): void {
    const answer = JSON.parse(text) as { commitMs: number; results: BatchResult[] };
    const done = flight;
    flight = [];
    options.onBatch?.({ size: done.length, commitMs: answer.commitMs, waiting: queue.length });
    send();
    answer.results.forEach((result, i) => {
      const pending = done[i] as Pending;
      try {
        pending.resolve(unwrap(result));
      } catch (error) {
        pending.reject(error as Error);
      }
    });
  }

  async function start(): Promise<Worker | undefined> {
    const fresh = await startWorker(options.file);
    fresh.on("message", receive);
    let cause: Error | undefined;
    fresh.on("error", (error) => {
      cause = error as Error;
    });
    fresh.on("exit", (code) => {
      worker = undefined;
      if (closing) return;
      options.onCrash?.(cause ?? new Error(`The ledger's thread ended with exit code ${code}`));
      restart();
    });
    return fresh;
  }

  function restart(): void {
    // Sent twice already: the order itself may be what kills the thread, so it is not tried for ever.
    const again = flight.filter((pending) => pending.sent < 2 && !pending.late);
    for (const pending of flight) {
      if (pending.sent >= 2)
        pending.reject(new Error("The ledger's thread died twice on this order"));
    }
    queue = again.concat(queue);
    flight = [];
    setTimeout(async () => {
      if (closing) return;
      try {
        worker = await start();
        // Closed meanwhile: nobody else knows of this thread.
        if (closing) void worker?.terminate();
        else send();
      } catch (error) {
        options.onCrash?.(error as Error);
        restart();
      }
    }, RESTART_AFTER_MS).unref();
  }

  /** Rejects what waits too long. An order that was sent may still be carried out: its outcome is then unknown. */
  function expire(): void {
    const before = performance.now() - LEDGER_TIMEOUT_MS;
    for (const pending of [...flight, ...queue]) {
      if (pending.since >= before || pending.late) continue;
      pending.late = true;
      const message = "The ledger did not answer in time";
      pending.reject(pending.sent > 0 ? new Error(message) : new NotCarriedOut(message));
    }
    queue = queue.filter((pending) => !pending.late);
  }
  const sweep = setInterval(expire, LEDGER_TIMEOUT_MS / 10).unref();

  /** Carries out what waits, for as long as an order may wait; then the thread ends, if need be by force. */
  async function close(): Promise<void> {
    const deadline = performance.now() + LEDGER_TIMEOUT_MS;
    while (flight.length + queue.length > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    closing = true;
    clearInterval(sweep);
    for (const pending of queue) pending.reject(new NotCarriedOut("The ledger is closed"));
    queue = [];
    if (worker !== undefined) await end(worker);
    // Ended by force, in the middle of them.
    for (const pending of flight) pending.reject(new Error("The ledger was closed meanwhile"));
    flight = [];
  }

  return { ledger: ledgerOver(submit), waiting: () => queue.length + flight.length, close };
}

async function end(worker: Worker): Promise<void> {
  const gone = new Promise((resolve) => worker.once("exit", resolve));
  worker.postMessage("close");
  const force = setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT_MS);
  await gone;
  clearTimeout(force);
}

/** Resolves when the thread has opened the file; rejects with what hindered it. */
function startWorker(file: string): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./thread-worker.ts", import.meta.url), {
      workerData: { file },
    });
    const ended = (code: number) => reject(new Error(`The ledger's thread ended with ${code}`));
    worker.once("error", reject);
    worker.once("exit", ended);
    worker.once("message", () => {
      worker.off("error", reject);
      worker.off("exit", ended);
      resolve(worker);
    });
  });
}
