import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { LEDGER_BATCH_CHARS_MAX, LEDGER_QUEUE_MAX, LEDGER_TIMEOUT_MS } from "#limits.ts";

/**
 * A queue of orders that share commits. While one batch commits, the next one collects orders. So a single order does not wait,
 * and under load many orders share one round trip and one sync of the disk.
 *
 * A batch that fails as a whole is sent again, which is safe because every order identifies itself; where one order makes it fail, the
 * store finds it and returns its error as its outcome. Orders that were certainly not carried out are rejected after `sureRetries`,
 * together with all orders that wait behind them. An order that may have been carried out is sent until its outcome is known, or until
 * `giveUp`. An order that takes longer than `orderMs` is rejected, with `NotCarriedOut` if it was never sent or certainly not
 * carried out.
 */
export type OrderQueue<Order, Outcome> = {
  /** `since`: when the order began to wait, by `performance.now()`, if it waited in another queue before. */
  submit(order: Order, since?: number): Promise<Outcome>;
  waiting(): number;
  /** Waits up to `orderMs` for all orders, also for new ones; then rejects the rest. */
  close(): Promise<void>;
};

export type OrderQueueOptions<Order, Outcome> = {
  batchMax: number;
  /** The length of an order, if orders may be long. A batch has at most LEDGER_BATCH_CHARS_MAX together, or a single order. */
  charsOf?(order: Order): number;
  /**
   * Sends a batch. An Error among the outcomes rejects that order alone. `again`: the batch contains an order that was sent before and
   * whose outcome is unknown.
   */
  send(orders: Order[], again: boolean): Promise<(Outcome | Error)[]>;
  /** After this number of failures in a row, orders that were certainly not carried out are rejected. */
  sureRetries: number;
  waitMs(failures: number): number;
  /** Returns the error that ends an order after this number of batches of unknown outcome. By default an order is sent until its outcome is known. */
  giveUp?(unknowns: number): Error | null;
  /** The time limit of an order, by default LEDGER_TIMEOUT_MS. */
  orderMs?: number;
  /** Called after every batch that succeeded. */
  onBatch?: (batch: Batch) => void;
};

/** The number of orders in a batch, and of those that wait for the next one. */
export type Batch = { size: number; waiting: number };
export type CommittedBatch = Batch & { commitMs: number };

type Pending<Order, Outcome> = {
  order: Order;
  /** By a monotonic clock, so that setting the system clock does not time out new orders. */
  since: number;
  /** The number of failed batches that may have carried out the order. */
  unknowns: number;
  /** The order was rejected and is not sent again, although a batch under way may still carry it out. */
  isOver: boolean;
  done(outcome: Outcome): void;
  failed(error: Error): void;
};

export function createOrderQueue<Order, Outcome>(
  options: OrderQueueOptions<Order, Outcome>,
): OrderQueue<Order, Outcome> {
  const { orderMs = LEDGER_TIMEOUT_MS } = options;
  type Waiting = Pending<Order, Outcome>;
  /** The batch that was sent and has no outcome yet. */
  let underWay: Waiting[] = [];
  let queue: Waiting[] = [];
  let isScheduled = false;
  let closing = false;
  let failures = 0;

  function submit(order: Order, since = performance.now()): Promise<Outcome> {
    if (closing || queue.length >= LEDGER_QUEUE_MAX)
      return Promise.reject(new NotCarriedOut(closing ? CLOSED : TOO_MANY_ORDERS));
    // At the end of this turn of the event loop, so that orders that arrive together are sent together.
    if (!isScheduled && underWay.length === 0) {
      isScheduled = true;
      setImmediate(sendNext);
    }
    return new Promise((done, failed) =>
      queue.push({ order, since, unknowns: 0, isOver: false, done, failed }),
    );
  }

  function sendNext(): void {
    isScheduled = false;
    if (underWay.length > 0 || queue.length === 0) return;
    const batch = queue.splice(0, nextSize());
    underWay = batch;
    const orders = batch.map(({ order }) => order);
    options.send(orders, batch.some(isDoubtful)).then(
      (outcomes) => finish(batch, outcomes),
      (error) => putBack(batch, error),
    );
  }

  function nextSize(): number {
    const { batchMax, charsOf } = options;
    if (charsOf === undefined) return batchMax;
    let chars = 0;
    const most = Math.min(batchMax, queue.length);
    for (let size = 0; size < most; size += 1) {
      chars += charsOf((queue[size] as Waiting).order);
      if (size > 0 && chars > LEDGER_BATCH_CHARS_MAX) return size;
    }
    return most;
  }

  function finish(batch: Waiting[], outcomes: (Outcome | Error)[]): void {
    if (outcomes.length !== batch.length) {
      const counts = `Sent ${batch.length} orders, but received ${outcomes.length} outcomes`;
      putBack(batch, new Error(counts));
      return;
    }
    failures = 0;
    underWay = [];
    options.onBatch?.({ size: batch.length, waiting: queue.length });
    // Send the next batch first, because the callers' work on their outcomes takes time.
    if (queue.length > 0) {
      sendNext();
      setImmediate(resolveAll, batch, outcomes);
    } else resolveAll(batch, outcomes);
  }

  function resolveAll(batch: Waiting[], outcomes: (Outcome | Error)[]): void {
    batch.forEach((pending, i) => {
      const outcome = outcomes[i] as Outcome | Error;
      if (outcome instanceof Error) reject(pending, outcome);
      else if (!pending.isOver) pending.done(outcome);
    });
  }

  /** If an earlier batch may have carried out the order, a later failure does not mean that it was not carried out. */
  function reject(pending: Waiting, error: Error): void {
    const isUnknown = isDoubtful(pending) && error instanceof NotCarriedOut;
    end(pending, isUnknown ? new OutcomeUnknown(UNKNOWN, { cause: error }) : error);
  }

  /** Handles a batch that failed as a whole. */
  function putBack(batch: Waiting[], error: Error): void {
    underWay = [];
    const isSure = error instanceof NotCarriedOut;
    if (!isSure) batch.forEach(countUnknown);
    queue = batch.filter(({ isOver }) => !isOver).concat(queue);
    failures += 1;
    if (isSure && failures > options.sureRetries) rejectSure(error);
    if (queue.length === 0) return;
    isScheduled = true;
    setTimeout(sendNext, options.waitMs(failures));
  }

  function rejectSure(error: Error): void {
    const hopeless = queue.filter((pending) => !isDoubtful(pending));
    queue = queue.filter(isDoubtful);
    for (const pending of hopeless) reject(pending, error);
  }

  function countUnknown(pending: Waiting): void {
    pending.unknowns += 1;
    const error = options.giveUp?.(pending.unknowns) ?? null;
    if (error !== null) end(pending, error);
  }

  function end(pending: Waiting, error: Error): void {
    if (pending.isOver) return;
    pending.isOver = true;
    pending.failed(error);
  }

  function expire(): void {
    const before = performance.now() - orderMs;
    const isLate = ({ since, isOver }: Waiting) => since < before && !isOver;
    for (const pending of underWay.filter(isLate)) end(pending, new OutcomeUnknown(LATE));
    for (const pending of queue.filter(isLate)) reject(pending, new NotCarriedOut(LATE));
    queue = queue.filter(({ isOver }) => !isOver);
  }
  const sweep = setInterval(expire, orderMs / 10).unref();

  const waiting = (): number => underWay.length + queue.length;

  return {
    submit,
    waiting,
    async close() {
      const deadline = performance.now() + orderMs;
      while (waiting() > 0 && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      closing = true;
      clearInterval(sweep);
      for (const pending of queue) reject(pending, new NotCarriedOut(CLOSED));
      for (const pending of underWay) end(pending, new OutcomeUnknown(UNKNOWN));
      queue = [];
    },
  };
}

/** Of the response that a settlement keeps; other orders are short. */
export const keptCharsOf = (order: unknown): number =>
  (order as { idempotency?: { response?: string } | null }).idempotency?.response?.length ?? 0;

const isDoubtful = ({ unknowns }: Pick<Pending<never, never>, "unknowns">): boolean => unknowns > 0;

const CLOSED = "The ledger is closed";
export const TOO_MANY_ORDERS = "Too many orders are waiting for the ledger";
export const LATE = "The ledger did not respond in time";
const UNKNOWN = "The outcome of the order is unknown";
