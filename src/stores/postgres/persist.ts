import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { LEDGER_QUEUE_MAX } from "#limits.ts";
import { LATE, TOO_MANY_ORDERS } from "../order-queue.ts";
import { isLost, isPassing, orderFault, SURE_RETRIES, waitMs } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * Performs an order that is not batched, with retries. An order that was certainly not carried out is tried a few times, because the
 * server may be restarting. `isReading`: the order changes nothing, so its outcome is never unknown. `isLong`: it has no time limit.
 */
export type Persist = <Result>(
  act: () => Promise<Result>,
  order: { isReading: boolean; isLong?: boolean },
) => Promise<Result>;

/**
 * Creates a function that performs at most LEDGER_QUEUE_MAX orders at once. `maySendAgain`: the orders identify themselves, so where the
 * response was lost, sending one again returns its outcome.
 */
export function createPersist(
  { orderMs }: Pick<PostgresPool, "orderMs">,
  { maySendAgain }: { maySendAgain: boolean },
): Persist {
  let underWay = 0;
  return async (act, { isReading, isLong = false }) => {
    if (underWay >= LEDGER_QUEUE_MAX) throw new NotCarriedOut(TOO_MANY_ORDERS);
    underWay += 1;
    const result = performWithRetries(act, maySendAgain, orderMs);
    const finish = () => {
      underWay -= 1;
    };
    void result.then(finish, finish);
    if (isLong) return result;
    const Late = isReading ? NotCarriedOut : OutcomeUnknown;
    return within(result, orderMs, () => new Late(LATE));
  };
}

async function performWithRetries<Result>(
  act: () => Promise<Result>,
  maySendAgain: boolean,
  forMs: number,
): Promise<Result> {
  const deadline = performance.now() + forMs;
  for (let failures = 1, doubtful = false; ; failures += 1) {
    try {
      return await act();
    } catch (error) {
      doubtful ||= isLost(error);
      const mayGo = doubtful ? maySendAgain : failures <= SURE_RETRIES;
      const isOver = performance.now() + waitMs(failures) > deadline;
      if (!isPassing(error) || !mayGo || isOver)
        throw doubtful ? new OutcomeUnknown(UNKNOWN, { cause: error }) : orderFault(error);
      await new Promise((resolve) => setTimeout(resolve, waitMs(failures)));
    }
  }
}

const UNKNOWN = "The outcome of the order is unknown";

function within<Result>(work: Promise<Result>, ms: number, late: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
