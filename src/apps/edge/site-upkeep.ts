import { forgetStale } from "#accounts/journal.ts";
import { runBounded } from "#jobs/bounded.ts";
import { createReverser, ROUND_PACE } from "#jobs/reverse-calls.ts";
import type { DashboardSide } from "./dashboard-deps.ts";

/** Of the minutes at which the cron comes, those at which it also looks for what is stale: that reads many rows. */
const TIDY_EVERY_MS = 10 * 60_000;
/** The last try may take 15 s more, and then the next minute has come. */
const DELIVER_FOR_MS = 45_000;

/** What the cron does each minute. Each of its parts is bounded, and none stops another. */
export async function keepUp(side: DashboardSide, scheduledTime: number): Promise<void> {
  const { events, logError } = side;
  const isTimeToTidy = scheduledTime % TIDY_EVERY_MS < 60_000;
  const failed: Failed = (what) => (cause) => logError(what, { cause });
  await Promise.all([
    dispatchEvents(side, failed),
    reverseCalls(side),
    isTimeToTidy &&
      forgetStale(side.store.journal, side.deps.now()).catch(
        failed("Old sessions could not be removed"),
      ),
    events.forget().catch(failed("Old webhooks could not be removed")),
  ]);
}

/** First what makes letters and webhooks, so that they leave in the same minute. */
async function dispatchEvents(side: DashboardSide, failed: Failed): Promise<void> {
  const { events, emails } = side;
  await events
    .dispatchEvents()
    .catch(failed("Notices could not be carried on; the next minute tries again"));
  await Promise.all([
    emails.deliver().catch(failed("Letters could not be delivered; the next minute tries again")),
    events
      .deliver(DELIVER_FOR_MS)
      .catch(failed("Webhooks could not be delivered; the next minute tries again")),
  ]);
}

const REVERSALS_A_ROUND = 200;
const REVERSE_FOR_MS = 45_000;

function reverseCalls({ deps, ledger, store, logError }: DashboardSide): Promise<void> {
  const { now, random } = deps;
  const given = { ledger, now, random, logError: logError };
  const bounds = { max: REVERSALS_A_ROUND, until: now() + REVERSE_FOR_MS };
  return runBounded(store.jobs, bounds, (jobs) => createReverser({ jobs, ...given }, ROUND_PACE));
}

type Failed = (what: string) => (cause: unknown) => void;
