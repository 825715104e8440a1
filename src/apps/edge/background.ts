import { forgetStale } from "#accounts/activity-log.ts";
import type { AppContext } from "#calls/app-context.ts";
import { createFetchTransport } from "#email/fetch-transport.ts";
import { createEmailSender } from "#email/send-emails.ts";
import type { Transport } from "#email/transport.ts";
import { createWebhookSender } from "#events/deliver-webhooks.ts";
import { dispatchEvents } from "#events/dispatch-events.ts";
import { forgetOld } from "#events/event-store.ts";
import { createFetchWebhookTransport } from "#events/webhook-transport.ts";
import { runBounded } from "#jobs/job-runner.ts";
import { createReverser, type ReverseAll, ROUND_PACE } from "#jobs/reverse-calls.ts";
import type { Background, BackgroundWork } from "#service/parts.ts";

type Given = Pick<AppContext, "now" | "random" | "logError"> & {
  reverseAll: ReverseAll;
  waitUntil(work: Promise<unknown>): void;
};

/** The platform ends work 30 s after a response. An attempt to send an email must end earlier so that its outcome is recorded. */
const SEND_MS = 12_000;
const TAKE_FOR_MS = 12_000;
/** Each email uses three of the 1,000 subrequests of an invocation. */
const EMAILS_A_ROUND = 200;
/** Each event needs about five of the 10,000 subrequests of an invocation, to D1 and the account's object. */
const EVENT_ROUNDS_MAX = 5;
/** An invocation has six connections, some of them for D1. A delivery that waits for a connection would count as slow. */
const DELIVERIES_AT_ONCE = 4;
const DELIVERIES_MAX = 500;
/** After a response, of which the last attempt may take as long again before the platform ends it. */
const DELIVER_AFTER_RESPONSE_MS = 10_000;
/** The last attempt may take 15 s more; then the next run of the cron begins. */
const DELIVER_FOR_MS = 45_000;
/** Each one is two requests to D1, which bills rows. */
const FORGET_BATCHES_MAX = 10;
/** How often the cron also deletes stale records, which reads many rows. */
const TIDY_EVERY_MS = 10 * 60_000;
/** Each takes a request to D1, of those that an invocation may make. */
const OWNERS_AT_ONCE = 20;
/**
 * The platform allows an invocation 1,000 requests to objects and to D1 (developers.cloudflare.com/d1/platform/limits). An account takes
 * one to its object for 250 reversals. D1 takes three for each look at the queue, which serves ten accounts, or as many as there are.
 * So these bounds lead to about 650.
 */
const REVERSALS_A_ROUND = 40_000;
const ACCOUNTS_A_ROUND = 500;
const REVERSE_FOR_MS = 45_000;

/**
 * The background work on Cloudflare: some of it follows the response that caused it, and the cron does the rest every minute. All state
 * is in D1, so any number of invocations may run at once. Each part is bounded, and a failing part does not stop the others.
 */
export function createEdgeBackground(
  { config, stores, emails, sealer, endpointSealer, transportKind, tellOwners }: BackgroundWork,
  { reverseAll, waitUntil, ...given }: Given,
): Background {
  const { now, random, logError } = given;
  const { jobs, ledger, directory, events: eventStore, ledgerEvents, activityLog } = stores;
  const { from, api } = config.mail;
  const emailTransport =
    api === null ? consoleTransport() : createFetchTransport(api, from, SEND_MS);
  const webhookTransport = createFetchWebhookTransport(config.webhookNetworks);
  const failedEvents = new Set<string>();

  /** Sends due emails. The sender lives for one round, because its state is of no use to other requests. */
  const sendEmails = () =>
    runBounded(jobs, { max: EMAILS_A_ROUND, until: now() + TAKE_FOR_MS }, (bounded) =>
      createEmailSender({
        ...{ jobs: bounded, transport: emailTransport, transportKind, sealer, from },
        ...{ now, random, logError },
      }),
    );

  /** Delivers due webhooks for `forMs`, plus the time of the last attempts. */
  const deliverWebhooks = (forMs: number) =>
    runBounded(jobs, { max: DELIVERIES_MAX, until: now() + forMs }, (bounded) =>
      createWebhookSender({
        name: config.name,
        ...{ jobs: bounded, eventStore, sealer: endpointSealer, transport: webhookTransport },
        ...{ now, random, logError, atOnce: DELIVERIES_AT_ONCE },
      }),
    );

  async function dispatch(): Promise<void> {
    const deps = {
      source: ledgerEvents,
      eventStore,
      ledger,
      directory,
      emails,
      sealer,
      transportKind,
    };
    for (let rounds = 0; rounds < EVENT_ROUNDS_MAX; rounds += 1) {
      const { more } = await dispatchEvents({ ...deps, ...given, failed: failedEvents });
      if (!more) break;
    }
  }

  const reverseCalls = () =>
    runBounded(
      jobs,
      { max: REVERSALS_A_ROUND, attemptsMax: ACCOUNTS_A_ROUND, until: now() + REVERSE_FOR_MS },
      (bounded) => createReverser({ jobs: bounded, reverseAll, now, random, logError }, ROUND_PACE),
    );

  const failed = (what: string) => (cause: unknown) => logError(what, { cause });

  /** Dispatches events first, so that their emails and webhooks leave in the same minute. */
  async function dispatchAndSend(): Promise<void> {
    await dispatch().catch(failed("Dispatching events failed; retrying next minute"));
    await Promise.all([
      sendEmails().catch(failed("Sending emails failed; retrying next minute")),
      deliverWebhooks(DELIVER_FOR_MS).catch(
        failed("Delivering webhooks failed; retrying next minute"),
      ),
    ]);
  }

  return {
    sendEmails: () => waitUntil(sendEmails().catch(failed("Sending emails failed"))),
    deliverWebhooks: () =>
      waitUntil(
        deliverWebhooks(DELIVER_AFTER_RESPONSE_MS).catch(failed("Delivering webhooks failed")),
      ),
    async scheduled(at) {
      const isTimeToTidy = at % TIDY_EVERY_MS < 60_000;
      await Promise.all([
        dispatchAndSend(),
        reverseCalls(),
        tellOwners(OWNERS_AT_ONCE).catch(failed("Telling owners about the upgrade failed")),
        isTimeToTidy &&
          forgetStale(activityLog, now()).catch(failed("Removing old sessions failed")),
        forgetOld({ eventStore, jobs, now }, FORGET_BATCHES_MAX).catch(
          failed("Deleting old webhook deliveries failed"),
        ),
      ]);
    },
    close: async () => {},
  };
}

/** Prints emails to the terminal when the service runs locally without an email provider. */
const consoleTransport = (): Transport => ({
  async send({ to, subject, text }) {
    console.log(
      `Email (not sent: MAIL_API_TOKEN is not set)\nTo: ${to}\nSubject: ${subject}\n\n${text}`,
    );
  },
});
