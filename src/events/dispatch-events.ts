import type { Directory } from "#accounts/directory.ts";
import { type QueuedEmail, type LogError, toQueuedEmail } from "#email/email-queue.ts";
import type { TransportKind } from "#email/transport.ts";
import { type RandomBytes, randomBase62 } from "#ids.ts";
import type { LedgerEvent, LedgerEvents } from "#ledger/events.ts";
import type { Ledger } from "#ledger/port.ts";
import type { Sealer } from "#seal.ts";
import { EVENTS_AT_ONCE } from "./bounds.ts";
import type { DeferredEvents } from "./deferred-events.ts";
import type { EventStore } from "./event-store.ts";
import { type NotificationEmails, topicOf } from "./notification-emails.ts";
import { webhookBody } from "./webhook-body.ts";

export type DispatchDeps = {
  source: LedgerEvents;
  eventStore: Pick<EventStore, "choice" | "handle">;
  ledger: Pick<Ledger, "findAccount">;
  directory: Pick<Directory, "findByAccount">;
  emails: NotificationEmails;
  /** Seals the content of queued emails. */
  sealer: Pick<Sealer, "seal">;
  /** The transport that emails are queued for. */
  transportKind: TransportKind;
  now(): number;
  random: RandomBytes;
  logError: LogError;
  /** Shared by all rounds. */
  deferred: DeferredEvents;
};

/**
 * An event that cannot be handled does not hold up others. After this many failures a round ends, because the database is
 * probably unavailable, and the next round starts behind the failed events.
 */
const FAILURES_MAX = 3;
const DELIVERY_ID_CHARS = 20;
const WEBHOOK_ID_CHARS = 20;

/**
 * Random, because the id of the event in the ledger contains a number that counts the events of all accounts. The delivery keeps it, so
 * every attempt and every endpoint of the account has the same.
 */
const newWebhookId = (random: RandomBytes) => `evt_${randomBase62(WEBHOOK_ID_CHARS, random)}`;

export const newDeliveryId = (random: RandomBytes) =>
  `dlv_${randomBase62(DELIVERY_ID_CHARS, random)}`;

/**
 * Dispatches one round of events: turns each into its email and its webhook deliveries in one transaction, and then settles it. The
 * event store handles each event once, so a crash in between, or another node that does the same, changes nothing. `more`: whether to
 * start the next round at once.
 */
export async function dispatchEvents(
  deps: DispatchDeps,
): Promise<{ dispatched: number; more: boolean }> {
  const { source, logError, deferred } = deps;
  const now = deps.now();
  const listed = await source.list({ max: EVENTS_AT_ONCE + deferred.size() });
  const events = listed.filter(({ id }) => !deferred.isDeferred(id, now)).slice(0, EVENTS_AT_ONCE);
  const handled: LedgerEvent[] = [];
  let failures = 0;
  let isQueueFull = false;
  for (const event of events) {
    try {
      if ((await handle(deps, event)) === "queue_full") {
        isQueueFull = true;
        deferred.defer(event.id, now);
        continue;
      }
      handled.push(event);
      deferred.remove(event.id);
    } catch (cause) {
      failures += 1;
      deferred.defer(event.id, now);
      logError(`Event ${event.id} could not be dispatched and will be retried`, { cause });
      if (failures === FAILURES_MAX) break;
    }
  }
  if (isQueueFull) logError("The email queue is full; emails about credits are waiting", {});
  if (handled.length > 0) {
    await source.settle(handled);
  }
  // Without progress the next round waits, so that deferred events get their pause.
  const more = failures < FAILURES_MAX && handled.length > 0 && events.length >= EVENTS_AT_ONCE;
  return { dispatched: handled.length, more };
}

async function handle(deps: DispatchDeps, event: LedgerEvent): Promise<"queue_full" | "settle"> {
  const { eventStore, ledger, random, logError } = deps;
  const now = deps.now();
  const accountState = await ledger.findAccount({ account: event.account, now });
  // Owners of suspended and closed accounts get no notifications.
  if (accountState?.state !== "open") return "settle";
  const { emailSkipped } = await eventStore.handle({
    event,
    email: await createEmail(deps, event, now),
    webhookId: newWebhookId(random),
    body: webhookBody(event),
    deliveryIds: (count) => Array.from({ length: count }, () => newDeliveryId(random)),
    now,
  });
  if (emailSkipped === "queue_full") return "queue_full";
  if (emailSkipped !== null) {
    logError("An email about credits was dropped: too many are queued for its recipient", {});
  }
  return "settle";
}

/** Returns the email for the event; null where the owner wants none or has no address. */
async function createEmail(
  { eventStore, directory, emails, ...deps }: DispatchDeps,
  event: LedgerEvent,
  now: number,
): Promise<QueuedEmail | null> {
  const { account } = event;
  const topic = topicOf(event);
  if (topic === null) return null;
  // The credits have expired already: the email would announce what is over.
  if (event.kind === "credits.expiring" && event.grant.expiresAt <= now) return null;
  const choice = await eventStore.choice({ account });
  if (!choice.emails[topic]) return null;
  const address = await directory.findByAccount({ account });
  if (address === null) return null;
  const email = emails(event, address.email);
  return email === null ? null : toQueuedEmail(email, deps);
}
