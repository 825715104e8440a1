import type { Directory } from "#accounts/directory.ts";
import { type MailSettings, transportKindOf } from "#email/read-mail-settings.ts";
import { createDeferredEvents } from "#events/deferred-events.ts";
import { createWebhookSender } from "#events/deliver-webhooks.ts";
import { type DispatchDeps, dispatchEvents, type PendingEvents } from "#events/dispatch-events.ts";
import type { WebhookNetworks } from "#events/endpoint-url.ts";
import type { EventStore } from "#events/event-store.ts";
import { forgetOld } from "#events/event-store.ts";
import { createFetchWebhookTransport } from "#events/fetch-webhook-transport.ts";
import { createNotificationEmails } from "#events/notification-emails.ts";
import { runBounded } from "#jobs/bounded.ts";
import type { JobQueue } from "#jobs/job-queue.ts";

type Wiring = Pick<DispatchDeps, "ledger" | "now" | "random" | "logError"> & {
  config: {
    publicUrl: string;
    secrets: readonly string[];
    mail: MailSettings;
    webhookNetworks: WebhookNetworks;
  };
  store: {
    forwardedEvents: PendingEvents;
    events: EventStore;
    jobs: JobQueue;
    directory: Directory;
  };
};

/** Each asks D1 and an account's object some five times, of the 10,000 requests that an invocation may make to others. */
const EVENT_ROUNDS_MAX = 5;
/** Six connections at once are all that an invocation has, and D1 is asked meanwhile: what had to wait would count as late. */
const DELIVERIES_AT_ONCE = 4;
const DELIVERIES_MAX = 500;
/** Each is two requests to D1, of rows that it counts. */
const FORGET_BATCHES_MAX = 10;

/**
 * Notices at the edge: the accounts' objects hand them on to D1, and from there the cron of each minute carries them on.
 * Nothing that matters outlives its invocation but what is in D1; any number of them may do the same at once.
 */
export function openEdgeEvents({ config, store, ...given }: Wiring) {
  const { now, random, logError } = given;
  const { forwardedEvents: source, events: eventStore, jobs, directory } = store;
  const emails = createNotificationEmails(config);
  const deferred = createDeferredEvents();
  const wiring = {
    ...given,
    source,
    eventStore,
    directory,
    emails,
    deferred,
    transportKind: transportKindOf(config.mail),
  };
  const transport = createFetchWebhookTransport(config.webhookNetworks);
  return {
    /** Makes letters and deliveries of what has come; whether there was anything. */
    async dispatchEvents(): Promise<boolean> {
      let dispatched = 0;
      for (let rounds = 0; rounds < EVENT_ROUNDS_MAX; rounds += 1) {
        const round = await dispatchEvents(wiring);
        dispatched += round.dispatched;
        if (!round.more) break;
      }
      return dispatched > 0;
    },
    /** Delivers webhooks that are due, for `forMs` and what then is on its way. */
    deliver: (forMs: number) =>
      runBounded(jobs, { max: DELIVERIES_MAX, until: now() + forMs }, (bounded) =>
        createWebhookSender({
          ...{ jobs: bounded, eventStore, transport, now, random, logError },
          atOnce: DELIVERIES_AT_ONCE,
        }),
      ),
    /** Forgets what is no longer listed, as much as a minute may. */
    forget: () => forgetOld({ eventStore, jobs, now }, FORGET_BATCHES_MAX),
  };
}
