import type { Directory } from "#accounts/directory.ts";
import { type PriceList, salesOf } from "#billing/price-list.ts";
import type { StripeSettings } from "#config/read-settings.ts";
import { emailSealer } from "#email/email-queue.ts";
import { type MailSettings, transportKindOf } from "#email/read-mail-settings.ts";
import { createDeferredEvents } from "#events/deferred-events.ts";
import { createWebhookSender } from "#events/deliver-webhooks.ts";
import { type DispatchDeps, dispatchEvents, type PendingEvents } from "#events/dispatch-events.ts";
import { endpointSealer } from "#events/endpoint-secrets.ts";
import type { WebhookNetworks } from "#events/endpoint-url.ts";
import type { EventStore } from "#events/event-store.ts";
import { forgetOld } from "#events/event-store.ts";
import { createFetchWebhookTransport } from "#events/fetch-webhook-transport.ts";
import { createNotificationEmails } from "#events/notification-emails.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import { runBounded } from "#jobs/job-runner.ts";

type Wiring = Pick<DispatchDeps, "ledger" | "now" | "random" | "logError"> & {
  config: {
    publicUrl: string;
    secrets: readonly string[];
    mail: MailSettings;
    webhookNetworks: WebhookNetworks;
    prices: PriceList | null;
    stripe: StripeSettings | null;
  };
  store: {
    forwardedEvents: PendingEvents;
    events: EventStore;
    jobs: JobQueue;
    directory: Directory;
  };
};

/** Each event needs about five of the 10,000 subrequests of an invocation, to D1 and the account's object. */
const EVENT_ROUNDS_MAX = 5;
/** An invocation has six connections, some of them for D1. A delivery that waits for a connection would count as slow. */
const DELIVERIES_AT_ONCE = 4;
const DELIVERIES_MAX = 500;
/** Each one is two requests to D1, which bills rows. */
const FORGET_BATCHES_MAX = 10;

/**
 * Events on Cloudflare: accounts' Durable Objects forward them to D1, and a cron job dispatches them every minute. All state
 * is in D1, so any number of invocations may run concurrently.
 */
export function openEdgeEvents({ config, store, ...given }: Wiring) {
  const { now, random, logError } = given;
  const { forwardedEvents: source, events: eventStore, jobs, directory } = store;
  const emails = createNotificationEmails({
    ...config,
    sales: salesOf(config.prices, config.stripe !== null),
  });
  const deferred = createDeferredEvents();
  const wiring = {
    ...given,
    source,
    eventStore,
    directory,
    emails,
    deferred,
    sealer: emailSealer(config.secrets),
    transportKind: transportKindOf(config.mail),
  };
  const sealer = endpointSealer(config.secrets);
  const transport = createFetchWebhookTransport(config.webhookNetworks);
  return {
    /** Turns forwarded events into emails and deliveries. Returns whether there were any. */
    async dispatchEvents(): Promise<boolean> {
      let dispatched = 0;
      for (let rounds = 0; rounds < EVENT_ROUNDS_MAX; rounds += 1) {
        const round = await dispatchEvents(wiring);
        dispatched += round.dispatched;
        if (!round.more) break;
      }
      return dispatched > 0;
    },
    /** Delivers due webhooks for `forMs`, plus the time of the last attempts. */
    deliver: (forMs: number) =>
      runBounded(jobs, { max: DELIVERIES_MAX, until: now() + forMs }, (bounded) =>
        createWebhookSender({
          jobs: bounded,
          eventStore,
          sealer,
          transport,
          now,
          random,
          logError,
          atOnce: DELIVERIES_AT_ONCE,
        }),
      ),
    /** Deletes expired records, up to a limit per minute. */
    forget: () => forgetOld({ eventStore, jobs, now }, FORGET_BATCHES_MAX),
  };
}
