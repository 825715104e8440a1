import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { LEDGER_QUEUE_MAX, LEDGER_TIMEOUT_MS } from "#limits.ts";
import { LATE, TOO_MANY_ORDERS } from "../order-queue.ts";
import { isLost, isPassing, orderFault, SURE_RETRIES, waitMs } from "./faults.ts";

/**
 * Performs an order that is not batched, with retries. An order that was certainly not carried out is tried a few times, because the
 * server may be restarting.
 */
export type Persist = <Result>(
  act: () => Promise<Result>,
  order: {
    /** What to do if the response was lost. `again`: the order identifies itself, so sending it again returns its outcome. */
    whereLost: "again" | "give up";
    /** Whether the order changes nothing, so that its outcome is never unknown. */
    isReading: boolean;
    /** The time limit; null: none. */
    withinMs: number | null;
  },
) => Promise<Result>;

/** Creates a function that performs at most LEDGER_QUEUE_MAX orders at once. */
export function createPersist(): Persist {
  let underWay = 0;
  return async (act, { whereLost, isReading, withinMs }) => {
    if (underWay >= LEDGER_QUEUE_MAX) throw new NotCarriedOut(TOO_MANY_ORDERS);
    underWay += 1;
    const result = performWithRetries(act, whereLost === "again", withinMs ?? LEDGER_TIMEOUT_MS);
    const finish = () => {
      underWay -= 1;
    };
    void result.then(finish, finish);
    if (withinMs === null) return result;
    const Late = isReading ? NotCarriedOut : OutcomeUnknown;
    return within(result, withinMs, () => new Late(LATE));
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
