import { setTimeout as sleep } from "node:timers/promises";
import { createWebhookSender } from "#events/deliver-webhooks.ts";
import { type DispatchDeps, dispatchEvents } from "#events/dispatch-events.ts";
import type { EventStore } from "#events/event-store.ts";
import { forgetOld } from "#events/event-store.ts";
import type { WebhookTransport } from "#events/webhook-transport.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import { startJobs } from "#jobs/node-schedule.ts";
import type { Sealer } from "#seal.ts";

/**
 * The background work for events: every few seconds it dispatches events that the ledger has written and delivers due
 * webhooks, and from time to time it deletes old records. Any number of nodes may do this concurrently.
 */
export type NotificationsDeps = Omit<DispatchDeps, "eventStore" | "failed"> & {
  eventStore: EventStore;
  jobs: JobQueue;
  /** The name of the service; left out: ours. */
  name?: string;
  transport: WebhookTransport;
  /** Opens the secrets of endpoints. */
  endpointSealer: Sealer;
  /** Called when emails may have been queued. */
  onEmails(): void;
  everyMs?: number;
};

const EVERY_MS = 5_000;
const FORGET_EVERY_MS = 10 * 60_000;
/** The maximum per round, so that old records do not delay events; the rest waits for the next round. */
const BATCHES_A_ROUND = 10;
/** A pause between batches of deletes, so that others can write. */
const FORGET_PAUSE_MS = 50;
const STOP_GRACE_MS = 1_500;

export type Notifications = {
  /** Looks for webhooks that are due. */
  wake(): void;
  stop(): Promise<void>;
};

export function startNotifications(wiring: NotificationsDeps): Notifications {
  const { eventStore, jobs, transport, now, random, logError, onEmails } = wiring;
  const { everyMs = EVERY_MS } = wiring;
  const failedEvents = new Set<string>();
  const ending = new AbortController();
  const isEnding = () => ending.signal.aborted;
  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { ref: false, signal: ending.signal }).catch(() => {});
  const deliverer = createWebhookSender({
    name: wiring.name,
    jobs,
    eventStore,
    sealer: wiring.endpointSealer,
    transport,
    now,
    random,
    logError,
  });
  const webhooks = startJobs(deliverer, { logError, lookAtLeastMs: everyMs, graceMs: 0 });
  let forgetAt = now() + FORGET_EVERY_MS;

  async function dispatchNewEvents(): Promise<void> {
    let more = true;
    while (more && !isEnding()) {
      const round = await dispatchEvents({ ...wiring, failed: failedEvents });
      if (round.dispatched > 0) {
        onEmails();
        webhooks.wake();
      }
      more = round.more;
    }
  }

  /** Runs after events were dispatched: an event that was handled but not settled must still be known as handled. */
  async function forget(): Promise<void> {
    if (now() < forgetAt) return;
    const more = await forgetOld({ eventStore, jobs, now }, BATCHES_A_ROUND, async () => {
      await pause(FORGET_PAUSE_MS);
      return !isEnding();
    });
    if (!more) forgetAt = now() + FORGET_EVERY_MS;
  }

  /** A failing step does not stop the others. */
  async function run(): Promise<void> {
    const steps: [step: () => Promise<void>, failed: string][] = [
      [dispatchNewEvents, "Dispatching events failed; retrying"],
      [forget, "Deleting old webhook deliveries failed; retrying"],
    ];
    while (!isEnding()) {
      for (const [step, failed] of steps)
        if (!isEnding()) await step().catch((cause) => logError(failed, { cause }));
      await pause(everyMs);
    }
  }
  const running = run();

  return {
    wake: webhooks.wake,
    async stop() {
      ending.abort();
      const gone = Promise.all([running, webhooks.stop()]);
      await Promise.race([gone, sleep(STOP_GRACE_MS, null, { ref: false })]);
    },
  };
}
