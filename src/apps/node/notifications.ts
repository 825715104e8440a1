import { setTimeout as sleep } from "node:timers/promises";
import { createWebhookSender } from "#events/deliver-webhooks.ts";
import { type DispatchDeps, dispatchEvents } from "#events/dispatch-events.ts";
import type { EventStore } from "#events/event-store.ts";
import { forgetOld } from "#events/event-store.ts";
import type { WebhookTransport } from "#events/webhook-transport.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import { startJobs } from "#jobs/node-schedule.ts";
import type { Sealer } from "#seal.ts";
import { startRounds } from "./rounds.ts";

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
  const failed = new Set<string>();
  const deliverer = createWebhookSender({
    name: wiring.name,
    ...{ jobs, eventStore, sealer: wiring.endpointSealer, transport, now, random, logError },
  });
  const webhooks = startJobs(deliverer, { logError, lookAtLeastMs: everyMs, graceMs: 0 });
  let forgetAt = now() + FORGET_EVERY_MS;

  /** Returns whether there are more. */
  async function dispatchNewEvents(): Promise<boolean> {
    const { dispatched, more } = await dispatchEvents({ ...wiring, failed });
    if (dispatched > 0) {
      onEmails();
      webhooks.wake();
    }
    return more;
  }

  /** One batch, so that old records do not delay events. Returns whether there are more. */
  async function forget(): Promise<boolean> {
    if (now() < forgetAt) return false;
    const more = await forgetOld({ eventStore, jobs, now }, 1);
    if (!more) forgetAt = now() + FORGET_EVERY_MS;
    return more;
  }

  const logged = (message: string) => (cause: unknown) => {
    logError(message, { cause });
    return false;
  };
  const rounds = startRounds(0, async () => {
    const dispatching = dispatchNewEvents();
    if (await dispatching.catch(logged("Dispatching events failed; retrying"))) return 0;
    // After events were dispatched: an event that was handled but not settled must still be known as handled.
    const forgetting = forget().catch(logged("Deleting old webhook deliveries failed; retrying"));
    return (await forgetting) ? FORGET_PAUSE_MS : everyMs;
  });

  return {
    wake: webhooks.wake,
    async stop() {
      const gone = Promise.all([rounds.stop(), webhooks.stop()]);
      await Promise.race([gone, sleep(STOP_GRACE_MS, null, { ref: false })]);
    },
  };
}
