import type { RandomBytes } from "#ids.ts";
import type { CallRef, Ledger } from "#ledger/port.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import { doubling } from "./back-off.ts";
import type { JobQueue, NewJob } from "./job-queue.ts";
import { createJobRunner, type JobPolicy, type JobResult, type JobRunner } from "./job-runner.ts";

/**
 * Calls that got 503 although their debit may exist are reversed, with retries, until the ledger confirms it. Their jobs
 * are kept where the process can still write, because the ledger is what cannot be reached then. A call with an
 * idempotency key is not among them, because its retry replays it.
 */
export const reversalJob = ({ account, callId, at }: CallRef): NewJob => ({
  id: `${callId} of ${account} at ${at}`,
  ...{ queue: "reversal", kind: "reverse-call", target: account, label: account },
  payload: JSON.stringify({ account, callId, at } satisfies CallRef),
  usefulUntil: null,
});

export type ReverserWiring = {
  jobs: Pick<JobQueue, "take" | "settle" | "nextDue">;
  ledger: Pick<Ledger, "reverse">;
  now(): number;
  random: RandomBytes;
  logError(message: string, details: { cause?: unknown }): void;
};

export type ReversalPace = Pick<JobPolicy, "atOnce" | "outage"> & { firstMs: number };

/** In a process that lives on: one after the other, so that a ledger that has just come back is not swamped. */
export const STEADY_PACE: ReversalPace = {
  ...{ atOnce: 1, firstMs: 1_000 },
  outage: { failures: 1, firstMs: 1_000, maxMs: 60_000 },
};
/** In a round of each minute: so many at once, until so many have failed one after the other. */
export const ROUND_PACE: ReversalPace = {
  ...{ atOnce: 20, firstMs: 60_000 },
  outage: { failures: 20, firstMs: 60_000, maxMs: 60_000 },
};

export function createReverser(
  { ledger, ...given }: ReverserWiring,
  pace: ReversalPace,
): JobRunner {
  const { firstMs, ...bounds } = pace;
  return createJobRunner({
    ...given,
    policy: {
      ...{ ...POLICY, ...bounds },
      waitMs: (failures) => doubling(failures, firstMs, WAIT_MAX_MS),
    },
    attempt: async ({ payload, createdAt }) => {
      const now = given.now();
      try {
        const { reversed } = await ledger.reverse({ ...(JSON.parse(payload) as CallRef), now });
        return reversed || now - createdAt >= DEBIT_ARRIVES_WITHIN_MS ? DONE : NOT_THERE;
      } catch (cause) {
        const error = cause instanceof Error ? cause.message : String(cause);
        return { outcome: "unreachable", error, counts: true };
      }
    },
  });
}

/** A debit that was on its way when its call was given up has arrived by then, or never will. */
const DEBIT_ARRIVES_WITHIN_MS = 60_000;
const WAIT_MAX_MS = 4 * HOUR_MS;
/** For a call whose time is short: before it is seen why, there is no reason to log it. */
const FAILURES_BEFORE_LOGGED = 11;

const DONE: JobResult = { outcome: "done" };
const NOT_THERE: JobResult = { outcome: "failed", error: "its debit is not there" };

const POLICY: Omit<JobPolicy, "waitMs" | "atOnce" | "outage"> = {
  ...{ queues: ["reversal"], takesTurns: false },
  // Longer than any ledger takes to answer or to fail.
  leaseMs: 20_000,
  giveUpAfterMs: 10 * DAY_MS,
  queueName: "Reversals of calls",
  nameOf: ({ id, attempts }) =>
    attempts < FAILURES_BEFORE_LOGGED ? null : `The reversal of ${id}`,
  eraseAt: () => null,
};

/** The platform lets a response's work go on for 30 s: room for three attempts that each take as long as they may. */
const PAUSES_MS = [0, 500, 2_000];

/**
 * A few attempts at once; then the call is kept for later. Kept too is a call whose debit is not there: it may still be on
 * its way. Never rejects.
 */
export async function reverseOrKeep(
  { ledger, now, logError }: Pick<ReverserWiring, "ledger" | "now" | "logError">,
  call: CallRef,
  keep: () => Promise<unknown>,
): Promise<void> {
  for (const pauseMs of PAUSES_MS) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const tried = await ledger.reverse({ ...call, now: now() }).catch(() => ({ reversed: false }));
    if (tried.reversed) return;
  }
  await keep().catch((cause) =>
    logError(
      `The call ${call.callId} of ${call.account} could neither be reversed nor kept for later`,
      {
        cause,
      },
    ),
  );
}
