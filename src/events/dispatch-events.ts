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
  /** Shared by all rounds. */
  deferred: DeferredEvents;
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

/**
 * Dispatches one round of events: first those that were not tried yet, so that events that fail do not hold up others. `more`: whether to
 * start the next round at once.
 */
export async function dispatchEvents(
  deps: DispatchDeps,
): Promise<{ dispatched: number; more: boolean }> {
  const { source, logError, deferred } = deps;
  const now = deps.now();
  const listed = await source.list({ max: EVENTS_AT_ONCE + deferred.size() });
  const fresh = listed.filter(({ id }) => !deferred.has(id));
  const again = listed.filter(({ id }) => deferred.isDue(id, now));
  const events = [...fresh, ...again].slice(0, EVENTS_AT_ONCE);
  const handled: LedgerEvent[] = [];
  let failingMs = 0;
  let isQueueFull = false;
  for (const event of events) {
    const startedAt = deps.now();
    try {
      if ((await handle(deps, event)) === "queue_full") {
        isQueueFull = true;
        deferred.defer(event.id, now);
        continue;
      }
      handled.push(event);
      deferred.remove(event.id);
    } catch (cause) {
      deferred.defer(event.id, now);
      logError(`Event ${event.id} could not be dispatched and will be retried`, { cause });
      failingMs += deps.now() - startedAt;
      if (failingMs >= FAILING_MS_MAX) break;
    }
  }
  if (isQueueFull) logError("The email queue is full; emails about credits are waiting", {});
  if (handled.length > 0) await source.settle(handled);
  const isProgress = handled.length > 0 || (fresh.length > 0 && !deferred.isFull());
  const more = failingMs < FAILING_MS_MAX && isProgress && events.length >= EVENTS_AT_ONCE;
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

/**
 * Events that could not be handled. Each is skipped for a while that grows with every failure, so that it does not hold up the
 * events behind it. The list is in memory: after a restart each event is tried once more.
 */
export type DeferredEvents = {
  /** How many events are deferred: a round must list so many more. */
  size(): number;
  /** Whether no more can be deferred without forgetting others. */
  isFull(): boolean;
  has(id: string): boolean;
  /** Whether a deferred event is to be tried again. */
  isDue(id: string, now: number): boolean;
  /** Defers an event, twice as long as the last time. */
  defer(id: string, now: number): void;
  /** Removes an event that was handled. */
  remove(id: string): void;
};

const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 5 * 60_000;
/** With more failures nothing can be written at all, and the oldest events are tried again. */
const DEFERRED_MAX = 1_000;

export function createDeferredEvents(): DeferredEvents {
  const waits = new Map<string, { ms: number; until: number }>();
  return {
    size: () => waits.size,
    isFull: () => waits.size >= DEFERRED_MAX,
    has: (id) => waits.has(id),
    isDue: (id, now) => now >= (waits.get(id)?.until ?? Number.POSITIVE_INFINITY),
    defer(id, now) {
      const previousMs = waits.get(id)?.ms ?? FIRST_WAIT_MS / 2;
      const ms = Math.min(2 * previousMs, LONGEST_WAIT_MS);
      // Deleted first, so that the map stays in the order of the last failure.
      waits.delete(id);
      waits.set(id, { ms, until: now + ms });
      const [oldest] = waits.keys();
      if (waits.size > DEFERRED_MAX && oldest !== undefined) waits.delete(oldest);
    },
    remove: (id) => void waits.delete(id),
  };
}
