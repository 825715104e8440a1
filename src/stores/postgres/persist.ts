import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { LEDGER_QUEUE_MAX, LEDGER_TIMEOUT_MS } from "#limits.ts";
import { isLost, isPassing, orderFault, SURE_RETRIES, waitMs } from "./faults.ts";

/**
 * An order that goes alone, until it is answered. What surely came to nothing is tried a few times, for a server that is
 * being started again.
 */
export type Persist = <Result>(
  act: () => Promise<Result>,
  order: {
    /** `again`: it names itself, so it is sent again where its answer was lost: its outcome is found out and not guessed. */
    whereLost: "again" | "give up";
    /** Whether it changes nothing, so that nothing is in doubt by it. */
    isReading: boolean;
    /** How long it may take; null: as long as it takes. */
    withinMs: number | null;
  },
) => Promise<Result>;

/** As many at once as may wait for the ledger. */
export function createPersist(): Persist {
  let underWay = 0;
  return async (act, { whereLost, isReading, withinMs }) => {
    if (underWay >= LEDGER_QUEUE_MAX)
      throw new NotCarriedOut("Too many orders wait for the ledger");
    underWay += 1;
    const trying = tryOn(act, whereLost === "again", withinMs ?? LEDGER_TIMEOUT_MS);
    const over = () => {
      underWay -= 1;
    };
    void trying.then(over, over);
    if (withinMs === null) return trying;
    const Late = isReading ? NotCarriedOut : OutcomeUnknown;
    return within(trying, withinMs, () => new Late("The ledger did not answer in time"));
  };
}

async function tryOn<Result>(
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

const UNKNOWN = "Nobody knows what became of the order";

function within<Result>(work: Promise<Result>, ms: number, late: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
