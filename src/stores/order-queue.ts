import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { LEDGER_QUEUE_MAX, LEDGER_TIMEOUT_MS } from "#limits.ts";

/**
 * Orders that share commits. The queue clocks itself: while one batch commits, the next one gathers. Alone, an order waits
 * for nothing; under load many share one round trip and one sync of the disk.
 *
 * A batch that fails as a whole is sent again, which is safe because every order carries its own id. Orders that were
 * certainly not carried out are rejected after `sureRetries`, with all that wait behind them. An order that may have been
 * carried out is sent until its outcome is known, or until `giveUp`. An order that takes longer than LEDGER_TIMEOUT_MS is
 * rejected: with NotCarriedOut where it was never sent or certainly not carried out.
 */
export type OrderQueue<Order, Outcome> = {
  /** `since`: when it began to wait, by `performance.now()`, where it has waited elsewhere. */
  submit(order: Order, since?: number): Promise<Outcome>;
  waiting(): number;
  /** Carries out what waits, for as long as an order may wait, and takes no more. */
  close(): Promise<void>;
};

export type OrderQueueOptions<Order, Outcome> = {
  batchMax: number;
  /** `again`: an order among them was sent before, and nobody knows what came of it. An Error stands for one order alone. */
  send(orders: Order[], again: boolean): Promise<(Outcome | Error)[]>;
  /** Whether one order may be what the batch failed by: smaller ones are sent then, until it is found. */
  mayBeOneOrder(error: Error): boolean;
  /** After so many failures in a row what surely came to nothing is rejected at once. */
  sureRetries: number;
  waitMs(failures: number): number;
  /** The error that ends an order after so many batches of unknown outcome. By default an order is sent until its outcome is known. */
  giveUp?(unknowns: number): Error | null;
  onBatch?: (batch: { size: number; commitMs: number; waiting: number }) => void;
};

type Pending<Order, Outcome> = {
  order: Order;
  /** By the clock that never goes back: a clock that is set must not time out what has just come in. */
  since: number;
  /** How many failed batches may have carried it out. */
  unknowns: number;
  /** Rejected because it took too long; not sent again. */
  late: boolean;
  resolve(value: Outcome): void;
  reject(error: Error): void;
};

export function createOrderQueue<Order, Outcome>(
  options: OrderQueueOptions<Order, Outcome>,
): OrderQueue<Order, Outcome> {
  type Waiting = Pending<Order, Outcome>;
  let queue: Waiting[] = [];
  let flight: Waiting[] = [];
  let scheduled = false;
  let closing = false;
  let failures = 0;
  let batchMax = options.batchMax;

  function submit(order: Order, since = performance.now()): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (closing || queue.length >= LEDGER_QUEUE_MAX) {
        const why = closing ? CLOSED : "Too many orders wait for the ledger";
        reject(new NotCarriedOut(why));
        return;
      }
      queue.push({ order, since, unknowns: 0, late: false, resolve, reject });
      // At the end of this turn of the event loop, so that orders which came in together go together.
      if (!scheduled && flight.length === 0) {
        scheduled = true;
        setImmediate(() => void work());
      }
    });
  }

  async function work(): Promise<void> {
    scheduled = false;
    while (flight.length === 0 && queue.length > 0) {
      flight = queue.splice(0, batchMax);
      const wait = await sendFlight();
      if (wait === null) continue;
      scheduled = true;
      setTimeout(() => void work(), wait);
      return;
    }
  }

  /** How long to wait before the next batch; null: not at all. */
  async function sendFlight(): Promise<number | null> {
    const batch = flight;
    const started = performance.now();
    try {
      const again = batch.some(isDoubtful);
      const outcomes = await options.send(
        batch.map(({ order }) => order),
        again,
      );
      if (outcomes.length !== batch.length) throw new Error("An order was left unanswered");
      failures = 0;
      flight = [];
      batchMax = Math.min(options.batchMax, batchMax * 2);
      const commitMs = performance.now() - started;
      options.onBatch?.({ size: batch.length, commitMs, waiting: queue.length });
      const tell = () => settle(batch, outcomes);
      // What callers do with their outcomes takes time, in which the next batch is under way already.
      if (queue.length > 0) setImmediate(tell);
      else tell();
      return null;
    } catch (error) {
      flight = [];
      return putBack(batch, error as Error);
    }
  }

  function settle(batch: Waiting[], outcomes: (Outcome | Error)[]): void {
    batch.forEach((pending, i) => {
      const outcome = outcomes[i] as Outcome | Error;
      if (outcome instanceof Error) reject(pending, outcome);
      else pending.resolve(outcome);
    });
  }

  /** An order that may have been carried out before is not known to have come to nothing by what it fails by now. */
  function reject(pending: Waiting, error: Error): void {
    const isUnknown = isDoubtful(pending) && error instanceof NotCarriedOut;
    pending.reject(isUnknown ? new OutcomeUnknown(UNKNOWN, { cause: error }) : error);
  }

  /** What becomes of a batch that failed as a whole. */
  function putBack(batch: Waiting[], error: Error): number | null {
    const isSure = error instanceof NotCarriedOut;
    if (!isSure) for (const pending of batch) pending.unknowns += 1;
    if (options.mayBeOneOrder(error) && batch.length === 1) {
      for (const pending of batch) reject(pending, error);
      return null;
    }
    queue = batch.filter((pending) => isWorthResending(pending, isSure)).concat(queue);
    if (options.mayBeOneOrder(error)) {
      batchMax = Math.ceil(batch.length / 2);
      return 0;
    }
    failures += 1;
    if (isSure && (closing || failures > options.sureRetries)) {
      const hopeless = queue.filter((pending) => !isDoubtful(pending));
      queue = queue.filter(isDoubtful);
      for (const pending of hopeless) reject(pending, error);
    }
    return queue.length === 0 ? null : options.waitMs(failures);
  }

  function isWorthResending(pending: Waiting, isSure: boolean): boolean {
    const end = isSure ? null : (options.giveUp?.(pending.unknowns) ?? null);
    if (end !== null) pending.reject(end);
    return end === null && !pending.late;
  }

  function expire(): void {
    const before = performance.now() - LEDGER_TIMEOUT_MS;
    const isLate = ({ since, late }: Waiting) => since < before && !late;
    for (const pending of flight.filter(isLate)) {
      pending.late = true;
      pending.reject(new OutcomeUnknown(LATE));
    }
    for (const pending of queue.filter(isLate)) {
      pending.late = true;
      reject(pending, new NotCarriedOut(LATE));
    }
    queue = queue.filter(({ late }) => !late);
  }
  const sweep = setInterval(expire, LEDGER_TIMEOUT_MS / 10).unref();

  return {
    submit,
    waiting: () => queue.length + flight.length,
    async close() {
      const deadline = performance.now() + LEDGER_TIMEOUT_MS;
      while (flight.length + queue.length > 0 && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      closing = true;
      clearInterval(sweep);
      for (const pending of queue) reject(pending, new NotCarriedOut(CLOSED));
      for (const pending of flight) {
        // Should it come back, it is not sent again.
        pending.late = true;
        pending.reject(new OutcomeUnknown(UNKNOWN));
      }
      queue = [];
    },
  };
}

const isDoubtful = ({ unknowns }: Pick<Pending<never, never>, "unknowns">): boolean => unknowns > 0;

const CLOSED = "The ledger is closed";
const LATE = "The ledger did not answer in time";
const UNKNOWN = "Nobody knows what became of the order";
