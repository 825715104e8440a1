/** A ledger and an event store that the model checks at each order. */
import assert from "node:assert/strict";
import type { QueuedEmail } from "#email/email-queue.ts";
import type { EventStore } from "#events/event-store.ts";
import type { LedgerEvents } from "#ledger/events.ts";
import type { DebitOrder, DebitOutcome, Ledger } from "#ledger/port.ts";
import { createOneAtATime } from "../support/one-at-a-time.ts";
import type { Model, Operations } from "./model.ts";

/** A ledger, and its concurrent debits. */
export type OpenedLedger = {
  ledger: Ledger;
  ledgerEvents: LedgerEvents;
  debitTogether(orders: readonly DebitOrder[]): Promise<DebitOutcome[]>;
  close(): Promise<void> | void;
};

export type JudgedLedger = Pick<Ledger, keyof Operations> &
  Pick<OpenedLedger, "debitTogether"> & {
    ledgerEvents: LedgerEvents;
    /** Writes the events of at most `max` grants that expire. */
    look(now: number, max: number): Promise<void>;
  };

/** Orders are carried out one after the other, so that model and ledger see them in the same order. */
export function judgedLedger(
  { ledger, ledgerEvents, debitTogether }: OpenedLedger,
  model: Model,
  seen: Seen,
): JudgedLedger {
  const inTurn = createOneAtATime();
  const judge = (name: keyof Operations) => (order: never) =>
    inTurn(async () => {
      const outcome = await ledger[name](order);
      const expected = model.operations[name](order);
      assert.deepEqual(inAnyRest(outcome), inAnyRest(expected), `${name} ${JSON.stringify(order)}`);
      return outcome;
    });
  const names = Object.keys(model.operations) as (keyof Operations)[];
  const judged = Object.fromEntries(names.map((name) => [name, judge(name)]));
  return {
    ...(judged as Pick<Ledger, keyof Operations>),
    debitTogether: (orders) =>
      inTurn(async () => {
        const outcomes = await debitTogether(orders);
        assert.deepEqual(outcomes, orders.map(model.operations.debit));
        return outcomes;
      }),
    look: (now, max) =>
      inTurn(async () => {
        const order = { now, rollUpBefore: 0, rowsMax: max, after: null };
        assert.equal((await ledger.maintain(order)).notified, model.look(now, max));
      }),
    ledgerEvents: {
      list: (order) =>
        inTurn(async () => {
          const listed = await ledgerEvents.list(order);
          const told = model.waiting().slice(0, order.max);
          assert.deepEqual(
            listed.map(({ id: _, ...event }) => event),
            told.map(({ account, at, content }) => ({ account, at, ...content })),
          );
          for (const [place, { id }] of listed.entries()) {
            const known = told[place];
            if (known === undefined) continue;
            assert.equal(known.id ?? id, id, "a notice keeps its id");
            known.id = id;
          }
          return listed;
        }),
      settle: (events) =>
        inTurn(async () => {
          const gone = model.settle(events.map(({ id }) => id));
          await ledgerEvents.settle(events);
          for (const { id, account } of gone) {
            const state = model.find(account)?.state;
            const isRight = seen.handled.has(id ?? "") || state !== "open";
            assert.ok(isRight, `${id} was deleted unhandled`);
          }
        }),
    },
  };
}

/** Spent and expired grants are listed last, in no guaranteed order. */
function inAnyRest(outcome: object | null): object | null {
  if (outcome === null || !("grants" in outcome && "balance" in outcome)) return outcome;
  const { grants, balance } = outcome as {
    grants: { id: string; remaining: number }[];
    balance: number;
  };
  let sum = 0;
  const count = grants.findIndex(({ remaining }) => {
    const isEnd = sum === balance;
    sum += remaining;
    return isEnd;
  });
  const place = count === -1 ? grants.length : count;
  const rest = grants.slice(place).sort((one, other) => (one.id < other.id ? -1 : 1));
  return { ...outcome, grants: [...grants.slice(0, place), ...rest] };
}

/** Emails queued and webhook deliveries logged so far. */
export type Seen = {
  handled: Set<string>;
  /** Queued and not taken yet. */
  emails: { to: string; kind: string; usefulUntil: number | null }[];
  webhooks: { event: string; account: string; at: number }[];
};

const EMAIL_KINDS: Partial<Record<string, { kind: string; choice: "low" | "expiring" }>> = {
  "credits.low": { kind: "credits_low", choice: "low" },
  "credits.depleted": { kind: "credits_depleted", choice: "low" },
  "credits.expiring": { kind: "credits_expiring", choice: "expiring" },
};
/** Emails queued for one address. */
const WAITING_MAX = 20;

export type Wishes = (account: string) => {
  email: string;
  emails: { low: boolean; expiring: boolean };
  endpoints: number;
};

/** Every event is handled once, and its email is what its owner wanted at that moment. */
export function judgedStore(
  eventStore: EventStore,
  { seen, wishes, model }: { seen: Seen; wishes: Wishes; model: Model },
): EventStore {
  const inTurn = createOneAtATime();
  const handle: EventStore["handle"] = (order) =>
    inTurn(async () => {
      const { event, email: message, now } = order;
      const { account } = event;
      const { email, emails, endpoints } = wishes(account);
      const sort = EMAIL_KINDS[event.kind];
      const isPast = event.kind === "credits.expiring" && event.grant.expiresAt <= now;
      const isWanted = sort !== undefined && emails[sort.choice] && !isPast;
      const shown = message && { to: message.to, kind: message.kind };
      assert.deepEqual(shown, isWanted ? { to: email, kind: sort.kind } : null);
      assert.equal(model.find(account)?.state, "open");
      const outcome = await eventStore.handle(order);
      const isNew = !seen.handled.has(event.id);
      assert.equal(outcome.handled, isNew, `${event.id} is handled once`);
      if (!isNew) return outcome;
      seen.handled.add(event.id);
      for (let no = 0; no < endpoints; no += 1) {
        seen.webhooks.push({ event: order.webhookId, account, at: now });
      }
      assert.equal(outcome.emailSkipped, keep(seen, message, now) ? null : "recipient_full");
      return outcome;
    });
  return { ...eventStore, handle };
}

/** Whether the queue had space for the email. */
function keep({ emails }: Seen, message: QueuedEmail | null, now: number): boolean {
  if (message === null) return true;
  const { to, kind, usefulUntil } = message;
  const waiting = emails.filter(
    (each) => each.to === to && (each.usefulUntil === null || each.usefulUntil > now),
  );
  if (waiting.length >= WAITING_MAX) return false;
  emails.push({ to, kind, usefulUntil });
  return true;
}
