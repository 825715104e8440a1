import { NotCarriedOut } from "#ledger/port.ts";
import { LEDGER_QUEUE_MAX, LEDGER_TIMEOUT_MS } from "#limits.ts";

/**
 * Orders that share commits. The batches are clocked by themselves: while one commits, the next one gathers. Alone, an
 * order waits for nothing; under load many share one journey and one sync of the disk.
 *
 * A batch that fails as a whole is sent again, for orders name themselves. What surely came to nothing is rejected after
 * some tries, and with it what waits behind it; an order that may have been carried out goes on until its outcome is
 * known. Whatever takes longer than LEDGER_TIMEOUT_MS is rejected: as not carried out where it was never sent or surely
 * came to nothing.
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
  onBatch?: (batch: { size: number; commitMs: number; waiting: number }) => void;
};

type Pending<Order, Outcome> = {
  order: Order;
  /** By the clock that never goes back: a clock that is set must not time out what has just come in. */
  since: number;
  /** Whether it may have been carried out by a batch that failed. */
  doubtful: boolean;
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
      queue.push({ order, since, doubtful: false, late: false, resolve, reject });
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
      const again = batch.some(({ doubtful }) => doubtful);
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
  function reject({ doubtful, ...pending }: Waiting, error: Error): void {
    const isUnknown = doubtful && error instanceof NotCarriedOut;
    pending.reject(isUnknown ? new Error(UNKNOWN, { cause: error }) : error);
  }

  /** What becomes of a batch that failed as a whole. */
  function putBack(batch: Waiting[], error: Error): number | null {
    const isSure = error instanceof NotCarriedOut;
    for (const pending of batch) pending.doubtful ||= !isSure;
    if (options.mayBeOneOrder(error) && batch.length === 1) {
      for (const pending of batch) reject(pending, error);
      return null;
    }
    queue = batch.filter(({ late }) => !late).concat(queue);
    if (options.mayBeOneOrder(error)) {
      batchMax = Math.ceil(batch.length / 2);
      return 0;
    }
    failures += 1;
    if (isSure && (closing || failures > options.sureRetries)) {
      const hopeless = queue.filter(({ doubtful }) => !doubtful);
      queue = queue.filter(({ doubtful }) => doubtful);
      for (const pending of hopeless) reject(pending, error);
    }
    return queue.length === 0 ? null : options.waitMs(failures);
  }

  function expire(): void {
    const before = performance.now() - LEDGER_TIMEOUT_MS;
    const isLate = ({ since, late }: Waiting) => since < before && !late;
    for (const pending of flight.filter(isLate)) {
      pending.late = true;
      pending.reject(new Error(LATE));
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
        pending.reject(new Error(UNKNOWN));
      }
      queue = [];
    },
  };
}

const CLOSED = "The ledger is closed";
const LATE = "The ledger did not answer in time";
const UNKNOWN = "Nobody knows what became of the order";
