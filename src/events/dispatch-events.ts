import type { Directory } from "#accounts/directory.ts";
import { type LogError, type QueuedEmail, toQueuedEmail } from "#email/email-queue.ts";
import type { TransportKind } from "#email/transport.ts";
import { type RandomBytes, randomBase62 } from "#ids.ts";
import type { LedgerEvent, LedgerEvents } from "#ledger/events.ts";
import type { Ledger } from "#ledger/port.ts";
import type { Sealer } from "#seal.ts";
import { EVENTS_AT_ONCE } from "./bounds.ts";
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
  /**
   * The ids of events that could not be handled, in the order of their last failure. Shared by all rounds, and in memory only: after a
   * restart they are tried like others.
   */
  failed: Set<string>;
};

/** After failing attempts of so many milliseconds a round ends, because the database is probably unavailable. */
const FAILING_MS_MAX = 5_000;
const DELIVERY_ID_CHARS = 20;
const WEBHOOK_ID_CHARS = 20;

/**
 * Random, because the id of the event in the ledger contains a number that counts the events of all accounts. The delivery keeps it, so
 * every attempt and every endpoint of the account has the same.
 */
const newWebhookId = (random: RandomBytes) => `evt_${randomBase62(WEBHOOK_ID_CHARS, random)}`;

export const newDeliveryId = (random: RandomBytes) =>
  `dlv_${randomBase62(DELIVERY_ID_CHARS, random)}`;

/** With more failures nothing can be written at all. The oldest ones are forgotten, and tried like others. */
const FAILED_MAX = 1_000;

/**
 * Dispatches one round of events: first those that have not failed, so that events that fail do not hold up others. `more`: whether to
 * start the next round at once, for events that have not been tried.
 */
export async function dispatchEvents(
  deps: DispatchDeps,
): Promise<{ dispatched: number; more: boolean }> {
  const { source, logError, failed } = deps;
  const listed = await source.list({ max: EVENTS_AT_ONCE + failed.size });
  const fresh = listed.filter(({ id }) => !failed.has(id));
  const byId = new Map(listed.map((event) => [event.id, event]));
  const again = [...failed].flatMap((id) => byId.get(id) ?? []);
  const events = [...fresh, ...again].slice(0, EVENTS_AT_ONCE);
  const handled: LedgerEvent[] = [];
  let failingMs = 0;
  let isQueueFull = false;
  for (const event of events) {
    const startedAt = deps.now();
    try {
      if ((await handle(deps, event)) === "queue_full") {
        isQueueFull = true;
        recordFailure(failed, event);
        continue;
      }
      handled.push(event);
      failed.delete(event.id);
    } catch (cause) {
      recordFailure(failed, event);
      logError(`Event ${event.id} could not be dispatched and will be retried`, { cause });
      failingMs += deps.now() - startedAt;
      if (failingMs >= FAILING_MS_MAX) break;
    }
  }
  if (isQueueFull) logError("The email queue is full; emails about credits are waiting", {});
  if (handled.length > 0) await source.settle(handled);
  const isProgress = handled.length > 0 || failed.size < FAILED_MAX;
  const more = failingMs < FAILING_MS_MAX && isProgress && fresh.length >= EVENTS_AT_ONCE;
  return { dispatched: handled.length, more };
}

function recordFailure(failed: Set<string>, { id }: LedgerEvent): void {
  // Deleted first, so that the set stays in the order of the last failure.
  failed.delete(id);
  failed.add(id);
  const [oldest] = failed;
  if (failed.size > FAILED_MAX && oldest !== undefined) failed.delete(oldest);
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
