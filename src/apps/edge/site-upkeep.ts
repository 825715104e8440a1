import { forgetStale } from "#accounts/activity-log.ts";
import { runBounded } from "#jobs/job-runner.ts";
import { createReverser, ROUND_PACE } from "#jobs/reverse-calls.ts";
import type { DashboardSide } from "./dashboard-deps.ts";

/** Every how many minutes the cron also deletes stale records, which reads many rows. */
const TIDY_EVERY_MS = 10 * 60_000;
/** The last attempt may take 15 s more; then the next run begins. */
const DELIVER_FOR_MS = 45_000;

/** The cron job of every minute. Each part is bounded, and a failing part does not stop the others. */
export async function keepUp(side: DashboardSide, scheduledTime: number): Promise<void> {
  const { events, logError } = side;
  const isTimeToTidy = scheduledTime % TIDY_EVERY_MS < 60_000;
  const failed: Failed = (what) => (cause) => logError(what, { cause });
  await Promise.all([
    dispatchEvents(side, failed),
    reverseCalls(side),
    isTimeToTidy &&
      forgetStale(side.store.activityLog, side.deps.now()).catch(
        failed("Removing old sessions failed"),
      ),
    events.forget().catch(failed("Deleting old webhook deliveries failed")),
  ]);
}

/** Dispatches events first, so that their emails and webhooks leave in the same minute. */
async function dispatchEvents(side: DashboardSide, failed: Failed): Promise<void> {
  const { events, emails } = side;
  await events.dispatchEvents().catch(failed("Dispatching events failed; retrying next minute"));
  await Promise.all([
    emails.deliver().catch(failed("Sending emails failed; retrying next minute")),
    events
      .deliver(DELIVER_FOR_MS)
      .catch(failed("Delivering webhooks failed; retrying next minute")),
  ]);
}

/**
 * The platform allows an invocation 1,000 requests to objects and to D1 (developers.cloudflare.com/d1/platform/limits). An account takes
 * one to its object for 250 reversals. D1 takes three for each look at the queue, which serves ten accounts, or as many as there are.
 * So these bounds lead to about 650.
 */
const REVERSALS_A_ROUND = 40_000;
const ACCOUNTS_A_ROUND = 500;
const REVERSE_FOR_MS = 45_000;

function reverseCalls({ deps, reverseAll, store, logError }: DashboardSide): Promise<void> {
  const { now, random } = deps;
  const given = { reverseAll, now, random, logError };
  const bounds = {
    max: REVERSALS_A_ROUND,
    attemptsMax: ACCOUNTS_A_ROUND,
    until: now() + REVERSE_FOR_MS,
  };
  return runBounded(store.jobs, bounds, (jobs) => createReverser({ jobs, ...given }, ROUND_PACE));
}

type Failed = (what: string) => (cause: unknown) => void;
