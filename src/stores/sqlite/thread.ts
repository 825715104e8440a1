import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { ledgerOver } from "#ledger/ledger-over.ts";
import { type Ledger, NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { LEDGER_BATCH_MAX } from "#limits.ts";
import { withSummedUsage } from "../ledger/summed-usage.ts";
import { type CommittedBatch, createOrderQueue } from "../order-queue.ts";
import type { BatchItem } from "./batch.ts";
import type { WalState } from "./checkpoints.ts";
import {
  packOrders,
  type ThreadMessage,
  type ThreadOrder,
  unpackOutcomes,
} from "./thread-messages.ts";

/**
 * The ledger on a thread of its own, so that waiting for the disk does not block the server. If the thread dies, a new one is
 * started, and the batches that were under way are sent again. An order during which two threads died is rejected, because it may be
 * the cause.
 */
export type SqliteThreadOptions = {
  file: string;
  /** Called after every batch. `commitMs` is the duration of its transaction, without the messages to the thread and back. */
  onBatch?: (batch: CommittedBatch) => void;
  onCrash?: (error: Error) => void;
  /** Called when the thread's maintenance fails, and again only after it has succeeded in between. */
  onFault?: (error: Error) => void;
  /** Called about once a second with the state of the write-ahead log. */
  onWal?: (state: WalState) => void;
  /** Returns why no order may be carried out now; null if they may. Asked for each batch, so it must be cheap. */
  blockedBy?: () => string | null;
};

export type SqliteThread = {
  ledger: Ledger;
  waiting(): number;
  close(): Promise<void>;
};

const DEATHS_MAX = 2;
const RESTART_AFTER_MS = 100;
/** How often orders check whether the thread is running again. */
const RETRY_AFTER_MS = 10;
const CLOSE_TIMEOUT_MS = 2_000;

export async function openSqliteThread(options: SqliteThreadOptions): Promise<SqliteThread> {
  const { blockedBy = () => null } = options;
  const thread = await keepThread({ ...options, blockedBy });
  const queue = createOrderQueue<BatchItem, unknown>({
    batchMax: LEDGER_BATCH_MAX,
    async send(items) {
      const reason = blockedBy();
      // Not as a failure of the batch, after which the queue would try again.
      return reason === null ? thread.send(items) : items.map(() => new NotCarriedOut(reason));
    },
    mayBeOneOrder: () => false,
    sureRetries: Number.POSITIVE_INFINITY,
    waitMs: () => RETRY_AFTER_MS,
    giveUp: (deaths) => (deaths < DEATHS_MAX ? null : new OutcomeUnknown(DIED_TWICE)),
    onBatch: (batch) => options.onBatch?.({ ...batch, commitMs: thread.commitMs() }),
  });
  return {
    ledger: withSummedUsage(ledgerOver((name, order) => queue.submit([name, order]))),
    waiting: queue.waiting,
    /** Finishes the waiting orders within LEDGER_TIMEOUT_MS, and then ends the thread, by force if necessary. */
    async close() {
      await queue.close();
      await thread.close();
    },
  };
}

const DIED = "The ledger's thread died";
const RESTARTING = "The ledger's thread is restarting";
const DIED_TWICE = "The ledger's thread died twice on this order";

/** Whether an order failed because there was no thread to carry it out. */
export const isThreadFault = ({ message }: Error): boolean =>
  [DIED_TWICE, DIED, RESTARTING].includes(message);

type Thread = {
  send(items: readonly BatchItem[]): Promise<unknown[]>;
  /** How long the transaction of the last batch took. */
  commitMs(): number;
  close(): Promise<void>;
};

/** Keeps one thread running. A batch during which it dies fails; a batch that is sent while no thread runs fails with `NotCarriedOut`. */
async function keepThread({
  file,
  onCrash,
  onFault,
  onWal,
  blockedBy,
}: SqliteThreadOptions & { blockedBy(): string | null }): Promise<Thread> {
  let worker: Worker | undefined;
  let underWay: PromiseWithResolvers<unknown[]> | undefined;
  let commitMs = 0;
  let closing = false;

  function receive(message: ThreadMessage): void {
    if ("results" in message) {
      commitMs = message.commitMs;
      underWay?.resolve(unpackOutcomes(message.results));
    } else if ("fault" in message) onFault?.(new Error(message.fault));
    else onWal?.(message.wal);
  }

  async function start(): Promise<void> {
    const fresh = await startWorker(file);
    // The store was closed in the meantime, so this thread is not needed.
    if (closing) return void fresh.terminate();
    worker = fresh;
    let cause: Error | undefined;
    fresh.on("message", receive);
    fresh.on("error", (error) => {
      cause = error as Error;
    });
    fresh.on("exit", (code) => {
      worker = undefined;
      underWay?.reject(new OutcomeUnknown(DIED));
      if (closing) return;
      onCrash?.(cause ?? new Error(`The ledger's thread ended with exit code ${code}`));
      restartLater();
    });
  }

  function restartLater(): void {
    setTimeout(async () => {
      if (closing) return;
      // A new connection would open another file than the others have open, or create one.
      if (blockedBy() !== null || !existsSync(file)) return restartLater();
      try {
        await start();
      } catch (error) {
        onCrash?.(error as Error);
        restartLater();
      }
    }, RESTART_AFTER_MS).unref();
  }

  await start();
  return {
    async send(items) {
      if (worker === undefined) throw new NotCarriedOut(RESTARTING);
      underWay = Promise.withResolvers();
      worker.postMessage({ batch: packOrders(items) } satisfies ThreadOrder);
      return underWay.promise;
    },
    commitMs: () => commitMs,
    async close() {
      closing = true;
      const last = worker;
      if (last === undefined) return;
      const exited = new Promise((resolve) => last.once("exit", resolve));
      last.postMessage({ close: true } satisfies ThreadOrder);
      const force = setTimeout(() => void last.terminate(), CLOSE_TIMEOUT_MS);
      await exited;
      clearTimeout(force);
    },
  };
}

/** Starts the thread. Resolves when it has opened the file; rejects if it could not. */
function startWorker(file: string): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./thread-worker.ts", import.meta.url), {
      workerData: file,
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
