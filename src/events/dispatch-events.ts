import type { Directory } from "#accounts/directory.ts";
import type { QueuedEmail } from "#email/email-queue.ts";
import { type LogError, toQueuedEmail } from "#email/enqueue-emails.ts";
import type { TransportKind } from "#email/transport.ts";
import { type RandomBytes, randomBase62 } from "#ids.ts";
import type { LedgerEvent } from "#ledger/events.ts";
import type { Ledger } from "#ledger/port.ts";
import { EVENTS_AT_ONCE } from "./bounds.ts";
import type { EventStore } from "./event-store.ts";
import { type NotificationEmails, topicOf } from "./notification-emails.ts";
import type { Aside } from "./set-aside.ts";
import { webhookBody } from "./webhook-body.ts";

/**
 * Carries notices on from where they were written to the people's side: each becomes its letter and its deliveries in one
 * transaction, and only then it is settled. Whoever is killed in between, or does the same on another node, changes
 * nothing: the book handles a notice once.
 */
export type PendingEvents = {
  /** The oldest that nobody has settled, at most `max`. */
  list(order: { max: number }): Promise<readonly LedgerEvent[]>;
  settle(events: readonly LedgerEvent[]): Promise<void>;
};

/** Of a ledger that keeps all accounts together. */
export const eventsOf = (ledger: Pick<Ledger, "listEvents" | "deleteEvents">): PendingEvents => ({
  list: async (order) => (await ledger.listEvents(order)).events,
  async settle(events) {
    await ledger.deleteEvents({ ids: events.map(({ id }) => id) });
  },
});

export type DispatchDeps = {
  source: PendingEvents;
  eventStore: Pick<EventStore, "choice" | "handle">;
  ledger: Pick<Ledger, "findAccount">;
  directory: Pick<Directory, "findByAccount">;
  emails: NotificationEmails;
  /** How letters go out while this one is posted. */
  transportKind: TransportKind;
  now(): number;
  random: RandomBytes;
  logError: LogError;
  /** Awaited after each write, so that whoever shares the database has a turn; left out: nobody does. */
  rest?: () => Promise<void>;
  /** Kept from round to round. */
  aside: Aside;
};

/**
 * One that cannot be handled holds up no others; where this many cannot, nothing can be written just now, or these are odd, and
 * the next round begins behind them.
 */
const FAILURES_MAX = 3;
const DELIVERY_ID_CHARS = 20;

export const newDeliveryId = (random: RandomBytes) =>
  `dlv_${randomBase62(DELIVERY_ID_CHARS, random)}`;

/** One round; `more`: there may be others at once. */
export async function dispatchEvents(
  wiring: DispatchDeps,
): Promise<{ carried: number; more: boolean }> {
  const { source, logError, aside } = wiring;
  const now = wiring.now();
  const listed = await source.list({ max: EVENTS_AT_ONCE + aside.size() });
  const events = listed.filter(({ id }) => !aside.holds(id, now)).slice(0, EVENTS_AT_ONCE);
  const done: LedgerEvent[] = [];
  let failures = 0;
  let isFull = false;
  for (const event of events) {
    try {
      if ((await handle(wiring, event)) === "queue_full") {
        isFull = true;
        aside.put(event.id, now);
        continue;
      }
      done.push(event);
      aside.drop(event.id);
    } catch (cause) {
      failures += 1;
      aside.put(event.id, now);
      logError(`The notice ${event.id} could not be carried on; it is tried again`, { cause });
      if (failures === FAILURES_MAX) break;
    }
  }
  if (isFull) logError("Letters about credits wait, for the queue of letters is full", {});
  if (done.length > 0) {
    await source.settle(done);
    await wiring.rest?.();
  }
  // A round that carried nothing ends here: what is put aside must have its time.
  const more = failures < FAILURES_MAX && done.length > 0 && events.length >= EVENTS_AT_ONCE;
  return { carried: done.length, more };
}

async function handle(wiring: DispatchDeps, event: LedgerEvent): Promise<"queue_full" | "settle"> {
  const { eventStore, ledger, random, logError } = wiring;
  const now = wiring.now();
  const accountState = await ledger.findAccount({ account: event.account, now });
  // What a suspended or closed account would be told is of no use to anybody.
  if (accountState?.state !== "open") return "settle";
  const message = await emailOf(wiring, event, now);
  const { emailSkipped } = await eventStore.handle({
    ...{ event, email: message, now, body: webhookBody(event) },
    deliveryIds: (count) => Array.from({ length: count }, () => newDeliveryId(random)),
  });
  await wiring.rest?.();
  if (emailSkipped === "queue_full") return emailSkipped;
  if (emailSkipped !== null)
    logError("A letter about credits was not kept: too many wait for its reader", {});
  return "settle";
}

/** Null where its owner wants none, or nobody can be written to. */
async function emailOf(
  { eventStore, directory, emails, transportKind, random }: DispatchDeps,
  event: LedgerEvent,
  now: number,
): Promise<QueuedEmail | null> {
  const { account } = event;
  const sort = topicOf(event);
  if (sort === null) return null;
  // A letter that says what ended already would only puzzle.
  if (event.kind === "credits.expiring" && event.grant.expiresAt <= now) return null;
  const choice = await eventStore.choice({ account });
  if (!choice.emails[sort]) return null;
  const address = await directory.findByAccount({ account });
  const message = address === null ? null : emails(event, address.email);
  return message === null ? null : toQueuedEmail(message, transportKind, random);
}
