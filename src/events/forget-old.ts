import type { JobQueue } from "#jobs/job-queue.ts";
import { EVENTS_KEPT_MS } from "./bounds.ts";
import type { EventStore } from "./event-store.ts";

type Kept = {
  eventStore: Pick<EventStore, "forget">;
  jobs: Pick<JobQueue, "forget">;
  now(): number;
};

const FORGOTTEN_AT_ONCE = 500;

/**
 * Deletes deliveries and dead jobs that are no longer listed, in at most `batchesMax` batches; whether more may be left.
 * `goOn` is awaited between batches, so that others write meanwhile, and says whether to go on.
 */
export async function forgetOld(
  { eventStore, jobs, now }: Kept,
  batchesMax: number,
  goOn: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  let more = true;
  for (let batch = 0; more && batch < batchesMax; batch += 1) {
    if (batch > 0 && !(await goOn())) break;
    const order = { before: now() - EVENTS_KEPT_MS, max: FORGOTTEN_AT_ONCE };
    const forgotten = [await eventStore.forget(order), await jobs.forget({ now: now(), ...order })];
    more = forgotten.some((each) => each.more);
  }
  return more;
}
