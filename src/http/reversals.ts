import type { CallRef } from "#ledger/port.ts";
import type { AppContext } from "./app-context.ts";

/**
 * Calls that were answered with 503 although their debit may have been made. They are given back at once or, where the
 * ledger does not answer, later. A call with an idempotency key is not among them, because its retry replays it.
 */
export type Reversals = {
  add(call: { account: string; callId: string; now: number }): void;
  /** Tries each of those that wait once more, before the service stops. */
  settle(): Promise<void>;
  /** Those of which nobody knows that they were given back: for whoever stops to keep. */
  left(): CallRef[];
};

export const createReversals = (app: AppContext): Reversals =>
  app.afterwards === null ? createWaitingReversals(app) : createBriefReversals(app, app.afterwards);

const FIRST_WAIT_MS = 1_000;
const WAIT_MAX_MS = 60_000;
/** More than wait in a ledger's queue at its fullest; beyond it the operator is told which call it is. */
const WAITING_MAX = 50_000;

/** In a process that lives on: one after the other, so that a ledger that has just come back is not swamped. */
function createWaitingReversals(app: AppContext): Reversals {
  const waiting: CallRef[] = [];
  /** What the ledger was asked for and has not answered yet. */
  const underWay = new Map<Promise<boolean>, CallRef>();
  let waitMs = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isWorking = false;
  let isSettling = false;

  /** Whether it was given back. What failed waits behind the others, so that it does not hold them up. */
  function attempt(call: CallRef): Promise<boolean> {
    const attempted = app.ledger.reverse({ ...call, now: app.now() }).then(
      () => true,
      () => {
        wait(call);
        return false;
      },
    );
    underWay.set(attempted, call);
    void attempted.then(() => underWay.delete(attempted));
    return attempted;
  }

  function wait(call: CallRef): void {
    if (waiting.length >= WAITING_MAX) {
      app.logError(
        `Too many calls wait to be reversed; ${call.callId} of ${call.account} is left`,
        {},
      );
      return;
    }
    waiting.push(call);
    schedule();
  }

  function schedule(): void {
    if (timer !== null || isWorking || isSettling || waiting.length === 0) return;
    waitMs = Math.min(WAIT_MAX_MS, Math.max(FIRST_WAIT_MS, waitMs * 2));
    timer = setTimeout(() => {
      timer = null;
      void work();
    }, waitMs);
  }

  /** Reverses until none waits or the ledger fails; then the rest waits, longer each time. */
  async function work(): Promise<void> {
    isWorking = true;
    while (!isSettling) {
      const call = waiting.shift();
      if (call === undefined || !(await attempt(call))) break;
      waitMs = 0;
    }
    isWorking = false;
    schedule();
  }

  return {
    add: ({ account, callId, now }) => void attempt({ account, callId, at: now }),
    async settle() {
      isSettling = true;
      await Promise.all(underWay.keys());
      // All at once: there is little time, and no call that they could delay.
      await Promise.all(waiting.splice(0).map(attempt));
    },
    left: () => [...underWay.values(), ...waiting],
  };
}

/** The platform lets an answer's work go on for 30 s: room for three tries that each take as long as they may. */
const PAUSES_MS = [0, 500, 2_000];

/**
 * Where nothing of this process is sure to live on: a few tries at once, then the call is kept for whoever gives it back
 * later. Kept too is a call whose debit is not there: it may still be on its way.
 */
function createBriefReversals(
  app: AppContext,
  { waitUntil, keep }: NonNullable<AppContext["afterwards"]>,
): Reversals {
  const underWay = new Set<Promise<void>>();

  async function giveBack(call: CallRef): Promise<void> {
    for (const pauseMs of PAUSES_MS) {
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const tried = app.ledger.reverse({ ...call, now: app.now() });
      if (
        await tried.then(
          ({ reversed }) => reversed,
          () => false,
        )
      )
        return;
    }
    await keep(call).catch((cause) =>
      app.logError(
        `The call ${call.callId} of ${call.account} could neither be reversed nor kept for later`,
        { cause },
      ),
    );
  }

  return {
    add({ account, callId, now }) {
      const work = giveBack({ account, callId, at: now });
      underWay.add(work);
      void work.then(() => underWay.delete(work));
      waitUntil(work);
    },
    settle: async () => void (await Promise.all(underWay)),
    // What could not be given back is kept by then.
    left: () => [],
  };
}
