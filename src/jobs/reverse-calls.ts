import { quotedCommand } from "#command-line.ts";
import { callRef, type RandomBytes } from "#ids.ts";
import type { Ledger, Reversal } from "#ledger/port.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import { doubling } from "./back-off.ts";
import type { JobPolicy, JobResult } from "./job-policy.ts";
import type { JobQueue, NewJob } from "./job-queue.ts";
import { createJobRunner, type JobRunner } from "./job-runner.ts";

/**
 * Reversals of calls that got 503 although their debit may exist. They are retried until the ledger confirms them. Their jobs
 * are stored outside the ledger, because the ledger is what cannot be reached. A call with an idempotency key needs no
 * reversal, because its retry replays it.
 */
export const reversalJob = ({ account, callId, at, key }: Reversal): NewJob => ({
  id: `${callId} of ${account} at ${at}`,
  queue: "reversal",
  kind: "reverse-call",
  target: account,
  label: account,
  payload: JSON.stringify({ account, callId, at, ...(key && { key }) } satisfies Reversal),
  usefulUntil: null,
});

/**
 * Reverses calls of one account. Resolves with the outcome of each in its place, or the error with which its reversal failed. Rejects
 * if none of the outcomes is known.
 */
export type ReverseAll = (
  account: string,
  orders: readonly (Reversal & { now: number })[],
) => Promise<readonly (Error | { reversed: boolean })[]>;

/** For a ledger that takes orders of many accounts together by itself. */
export const reverseEach =
  ({ reverse }: Pick<Ledger, "reverse">): ReverseAll =>
  (_, orders) =>
    Promise.all(orders.map((order) => reverse(order).catch(asError)));

const asError = (cause: unknown): Error =>
  cause instanceof Error ? cause : new Error(String(cause));

export type ReverserWiring = {
  jobs: Pick<JobQueue, "take" | "settle" | "nextDue">;
  reverseAll: ReverseAll;
  now(): number;
  random: RandomBytes;
  logError(message: string, details: { cause?: unknown }): void;
};

export type ReversalPace = Pick<JobPolicy, "atOnce" | "jobsAtOnce" | "takeWhenFree" | "outage"> & {
  firstMs: number;
};

/** For a server: one account at a time, so that a ledger that has just come back is not overloaded. */
export const STEADY_PACE: ReversalPace = {
  atOnce: 1,
  jobsAtOnce: 100,
  firstMs: 1_000,
  outage: { failures: 1, firstMs: 1_000, maxMs: 60_000 },
};
/** For a Worker that runs once a minute. An account's object reverses 250 calls in one transaction, of some 100 ms. */
export const ROUND_PACE: ReversalPace = {
  atOnce: 20,
  jobsAtOnce: 250,
  takeWhenFree: 10,
  firstMs: 60_000,
  outage: { failures: 20, firstMs: 60_000, maxMs: 60_000 },
};

export function createReverser(
  { reverseAll, ...wiring }: ReverserWiring,
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
    async attempt(jobs) {
      const now = wiring.now();
      const orders = jobs.map(({ payload }) => ({ ...(JSON.parse(payload) as Reversal), now }));
      const results = await reverseAll(jobs[0].target, orders).catch((cause) => {
        const error = asError(cause);
        return orders.map(() => error);
      });
      return results.map(resultOf);
    },
  });
}

/** A debit that was not found cannot be made any more: the ledger remembers the reversal and rejects the debit. */
const resultOf = (result: Error | { reversed: boolean }): JobResult =>
  result instanceof Error
    ? { outcome: "unreachable", error: result.message, counts: true }
    : { outcome: "done" };

const WAIT_MAX_MS = 4 * HOUR_MS;
/** A short outage of the ledger is logged elsewhere; only a reversal that fails this often is logged by itself. */
const FAILURES_BEFORE_LOGGED = 11;

const POLICY: Omit<JobPolicy, "waitMs" | "atOnce" | "outage"> = {
  queues: ["reversal"],
  turns: "failing last",
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
 * Attempts a reversal a few times, and then stores it for later. One that the ledger has answered is settled, also if there was no
 * debit: the ledger rejects it if it arrives later. Never rejects.
 */
export async function reverseOrKeep(
  { ledger, now, logError }: Reversing,
  call: Reversal,
  keep: () => Promise<unknown>,
): Promise<void> {
  for (const pauseMs of PAUSES_MS) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const isSettled = await ledger.reverse({ ...call, now: now() }).then(
      () => true,
      () => false,
    );
    if (isSettled) return;
  }
  await keep().catch((cause) =>
    logError(
      `The call ${callRef(call)} could neither be reversed nor queued for reversal. To see whether it was charged, run ${quotedCommand("calls show", callRef(call))}; calls reverse reverses it.`,
      { cause },
    ),
  );
}

export type Reversing = Pick<ReverserWiring, "now" | "logError"> & {
  ledger: Pick<Ledger, "reverse">;
};
