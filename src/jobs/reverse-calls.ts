import { callRef, type RandomBytes } from "#ids.ts";
import type { CallRef, Ledger } from "#ledger/port.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import { doubling } from "./back-off.ts";
import type { JobQueue, NewJob } from "./job-queue.ts";
import { createJobRunner, type JobPolicy, type JobResult, type JobRunner } from "./job-runner.ts";

/**
 * Reversals of calls that got 503 although their debit may exist. They are retried until the ledger confirms them. Their jobs
 * are stored outside the ledger, because the ledger is what cannot be reached. A call with an idempotency key needs no
 * reversal, because its retry replays it.
 */
export const reversalJob = ({ account, callId, at }: CallRef): NewJob => ({
  id: `${callId} of ${account} at ${at}`,
  queue: "reversal",
  kind: "reverse-call",
  target: account,
  label: account,
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

/** For a server: one at a time, so that a ledger that has just come back is not overloaded. */
export const STEADY_PACE: ReversalPace = {
  atOnce: 1,
  firstMs: 1_000,
  outage: { failures: 1, firstMs: 1_000, maxMs: 60_000 },
};
/** For a Worker that runs once a minute. */
export const ROUND_PACE: ReversalPace = {
  atOnce: 20,
  firstMs: 60_000,
  outage: { failures: 20, firstMs: 60_000, maxMs: 60_000 },
};

export function createReverser(
  { ledger, ...wiring }: ReverserWiring,
  pace: ReversalPace,
): JobRunner {
  const { firstMs, ...bounds } = pace;
  return createJobRunner({
    ...wiring,
    policy: {
      ...POLICY,
      ...bounds,
      waitMs: (failures) => doubling(failures, firstMs, WAIT_MAX_MS),
    },
    attempt: async ({ payload, createdAt }) => {
      const now = wiring.now();
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

/** After this time, a debit that was still on its way when its call failed has arrived, or never will. */
const DEBIT_ARRIVES_WITHIN_MS = 60_000;
const WAIT_MAX_MS = 4 * HOUR_MS;
/** A short outage of the ledger is logged elsewhere; only a reversal that fails this often is logged by itself. */
const FAILURES_BEFORE_LOGGED = 11;

const DONE: JobResult = { outcome: "done" };
const NOT_THERE: JobResult = { outcome: "failed", error: "its debit was not found" };

const POLICY: Omit<JobPolicy, "waitMs" | "atOnce" | "outage"> = {
  queues: ["reversal"],
  takesTurns: false,
  // Longer than any ledger takes to respond or to fail.
  leaseMs: 20_000,
  giveUpAfterMs: 10 * DAY_MS,
  queueName: "Reversals of calls",
  nameOf: ({ id, attempts }) =>
    attempts < FAILURES_BEFORE_LOGGED ? null : `The reversal of ${id}`,
  eraseAt: () => null,
};

/** The platform allows 30 s of work after a response, which is enough for three attempts of maximum length. */
const PAUSES_MS = [0, 500, 2_000];

/**
 * Attempts a reversal a few times, and then stores it for later. It is also stored if the debit was not found, because the
 * debit may still arrive. Never rejects.
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
      `The call ${callRef(call)} could neither be reversed nor queued for reversal. To see whether it was charged, run calls show with its id; calls reverse reverses it.`,
      { cause },
    ),
  );
}
