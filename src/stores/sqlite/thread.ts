import { existsSync } from "node:fs";
import { type Ledger, NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { LEDGER_BATCH_MAX } from "#limits.ts";
import { startThread } from "#node-thread.ts";
import {
  type BatchItem,
  type BatchResult,
  ledgerOver,
  type SumUsage,
  unwrap,
  withSummedUsage,
} from "../ledger/store-ledger.ts";
import { type CommittedBatch, createOrderQueue, keptCharsOf } from "../order-queue.ts";
import type { WalState } from "./checkpoints.ts";
import type { PerformTask, Tasks } from "./tasks.ts";
import {
  packOrders,
  type ThreadMessage,
  type ThreadOrder,
  unpackOutcomes,
} from "./thread-messages.ts";

/**
 * The ledger on a thread of its own, which is the only writer of its file. Waiting for the disk does not block the server. If the thread
 * dies, a new one is started, and the batch that was under way is sent again. An order during which two threads died is rejected,
 * because it may be the cause.
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
  sumUsage: SumUsage;
  /** Carries out a task. It is not repeated: rejects with `OutcomeUnknown` if the thread dies, with `NotCarriedOut` if none is running. */
  perform: PerformTask;
  waiting(): number;
  close(): Promise<void>;
};

const DEATHS_MAX = 2;
const RESTART_AFTER_MS = 100;
/** How often orders check whether the thread is running again. */
const RETRY_AFTER_MS = 10;
const CLOSE_TIMEOUT_MS = 2_000;

/** Starts the thread. Rejects if it cannot open the file, with the error that it met. */
export async function openSqliteThread({
  file,
  onBatch,
  onCrash,
  onFault,
  onWal,
  blockedBy = () => null,
}: SqliteThreadOptions): Promise<SqliteThread> {
  let isOpen = false;
  /** How long the transaction of the last batch took. */
  let commitMs = 0;
  /** The batch that has no results yet. */
  let underWay: PromiseWithResolvers<unknown[]> | undefined;
  /** The tasks that have no result yet, in the order in which they were sent. */
  const tasks: PromiseWithResolvers<unknown>[] = [];

  const thread = startThread<ThreadOrder, ThreadMessage>({
    name: "The ledger's thread",
    entry: new URL("./thread-worker.ts", import.meta.url),
    start: () => ({ workerData: file }),
    onMessage(message) {
      if ("results" in message) {
        commitMs = message.commitMs;
        underWay?.resolve(unpackOutcomes(message.results));
      } else if ("done" in message) tasks.shift()?.resolve(message.done);
      else if ("fault" in message) onFault?.(new Error(message.fault));
      else onWal?.(message.wal);
    },
    onEnd() {
      underWay?.reject(new OutcomeUnknown(DIED));
      for (const task of tasks.splice(0)) task.reject(new OutcomeUnknown(DIED));
    },
    onDeath: (cause) => isOpen && onCrash?.(cause),
    restartAfterMs: () => RESTART_AFTER_MS,
    // A new connection would open another file than the others have open, or create one.
    mayStart: () => blockedBy() === null && existsSync(file),
  });
  const close = () => thread.stop({ close: true }, CLOSE_TIMEOUT_MS);

  const queue = createOrderQueue<BatchItem, unknown>({
    batchMax: LEDGER_BATCH_MAX,
    charsOf: ([name, order]) => (name === "settle" ? keptCharsOf(order) : 0),
    async send(items) {
      const reason = blockedBy();
      // Not as a failure of the batch, after which the queue would try again.
      if (reason !== null) return items.map(() => new NotCarriedOut(reason));
      if (!thread.post({ batch: packOrders(items) })) throw new NotCarriedOut(RESTARTING);
      underWay = Promise.withResolvers();
      return underWay.promise;
    },
    sureRetries: Number.POSITIVE_INFINITY,
    waitMs: () => RETRY_AFTER_MS,
    giveUp: (deaths) => (deaths < DEATHS_MAX ? null : new OutcomeUnknown(DIED_TWICE)),
    onBatch: (batch) => onBatch?.({ ...batch, commitMs }),
  });

  async function perform(task: keyof Tasks, order: unknown): Promise<unknown> {
    const reason = blockedBy();
    if (reason !== null) throw new NotCarriedOut(reason);
    if (!thread.post({ task, order })) throw new NotCarriedOut(RESTARTING);
    const result = Promise.withResolvers<unknown>();
    tasks.push(result);
    return unwrap((await result.promise) as BatchResult);
  }

  try {
    await thread.started;
  } catch (error) {
    await close();
    throw error;
  }
  isOpen = true;
  const sumUsage: SumUsage = (order) => queue.submit(["sumUsage", order]) as ReturnType<SumUsage>;
  return {
    ledger: withSummedUsage(
      ledgerOver((name, order) => queue.submit([name, order])),
      sumUsage,
    ),
    sumUsage,
    perform: perform as PerformTask,
    waiting: queue.waiting,
    /** Finishes the waiting orders within LEDGER_TIMEOUT_MS, and then ends the thread, by force if necessary. */
    async close() {
      await queue.close();
      await close();
    },
  };
}

const DIED = "The ledger's thread died";
const RESTARTING = "The ledger's thread is restarting";
const DIED_TWICE = "The ledger's thread died twice on this order";

/** Whether an order failed because there was no thread to carry it out. */
export const isThreadFault = ({ message }: Error): boolean =>
  [DIED_TWICE, DIED, RESTARTING].includes(message);
