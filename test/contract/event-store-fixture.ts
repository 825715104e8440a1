/** The fixture of the event store contract. */
import assert from "node:assert/strict";
import type { QueuedEmail } from "#email/email-queue.ts";
import type { Delivery, Endpoint, EventStore } from "#events/event-store.ts";
import type { JobQueue, Settlement } from "#jobs/job-queue.ts";
import type { LedgerEvent } from "#ledger/events.ts";
import type { SqlDatabase } from "#stores/sql/sql-database.ts";
import type { TakenEmail } from "./email-queue-fixture.ts";

export const START = Date.UTC(2026, 10, 22, 10);
export const LEASE = 60_000;
export const ACCOUNT = "acc_000000000001";
export const OTHER = "acc_000000000002";

type Handling = Parameters<EventStore["handle"]>[0];
/** A taken delivery, and the result of an attempt. */
export type TakenDelivery = Awaited<ReturnType<EventStoreWithJobs["take"]>>[number];
export type TriedDelivery = Pick<
  Delivery,
  "id" | "status" | "dueAt" | "lastStatus" | "lastError"
> & { take: number; now: number };
export type EventStoreWithJobs = ReturnType<typeof withJobs>;

/** The event store and the jobs of its deliveries, in the terms of the contract. */
export function withJobs(events: EventStore, jobs: JobQueue) {
  const queues = ["webhook"] as const;
  return {
    ...events,
    jobs,
    async take(order: { now: number; leaseUntil: number; max: number; unprovenMax?: number }) {
      const { unprovenMax = order.max, ...rest } = order;
      const taken = await jobs.take({ queues, ...rest, turns: { unprovenMax } });
      const found = taken.jobs.map(async ({ id, take, isProven }) => {
        const delivery = await events.findDelivery({ id });
        assert.ok(delivery);
        const { isPaused, ...row } = delivery;
        assert.equal(isPaused, false);
        return { ...row, take, isProven };
      });
      return Promise.all(found);
    },
    async recordTries(tries: readonly TriedDelivery[]) {
      const { settled } = await jobs.settle({ settlements: tries.map(settlementOf) });
      return { recorded: settled };
    },
    nextDue: () => jobs.nextDue({ queues }),
  };
}

function settlementOf(tried: TriedDelivery): Settlement {
  const { id, take, now, status, dueAt, lastStatus, lastError } = tried;
  const common = { id, take, now, status: lastStatus, turn: { didWell: status === "delivered" } };
  const error = lastError ?? "";
  if (status === "delivered") return { ...common, outcome: "done" };
  if (status === "failed") return { ...common, outcome: "dead", attempts: 1, error, eraseAt: null };
  return { ...common, outcome: "later", at: dueAt ?? now, attempts: 1, error };
}

export type EventFixture = {
  eventStore: EventStoreWithJobs;
  db: SqlDatabase;
  emails(): Promise<TakenEmail[]>;
  handle(event: LedgerEvent, more?: Partial<Handling>): ReturnType<EventStore["handle"]>;
  list(endpoint: string, max?: number, after?: string | null): Promise<Delivery[]>;
};
export type Rule = (title: string, check: (fixture: EventFixture) => Promise<void>) => void;

let count = 0;
const next = (prefix: string) => {
  count += 1;
  return `${prefix}_${String(count).padStart(6, "0")}`;
};
export const deliveryIds = (wanted: number) => Array.from({ length: wanted }, () => next("dlv"));

export const endpoint = (changes: Partial<Endpoint> = {}): Endpoint => ({
  id: next("whk"),
  account: ACCOUNT,
  url: "https://shop.example/hooks?a=1",
  secret: "sealed1.one",
  previousSecret: null,
  previousUntil: null,
  kinds: ["credits.granted", "credits.low"],
  createdAt: START,
  pausedAt: null,
  pausedBy: null,
  ...changes,
});

export const lowEvent = ({ account = ACCOUNT }: { account?: string } = {}): LedgerEvent => ({
  id: next(`evt_${account}`),
  account,
  at: START,
  kind: "credits.low",
  balance: 19,
  lowBalance: 20,
});

export const email = (changes: Partial<QueuedEmail> = {}): QueuedEmail => ({
  id: next("let"),
  to: "ada@example.org",
  content: "sealed",
  kind: "credits_low",
  usefulUntil: null,
  transportKind: "smtp",
  ...changes,
});

/** Adds that many deliveries for one endpoint, one a second. */
export async function fill(
  { eventStore, handle }: EventFixture,
  place: Endpoint,
  deliveries: number,
) {
  await eventStore.addEndpoint({ endpoint: place });
  for (let turn = 0; turn < deliveries; turn += 1)
    await handle(lowEvent({ account: place.account }), { now: START + turn * 1_000 });
}

export const takeAt = ({ eventStore }: EventFixture, now: number, max = 9) =>
  eventStore.take({ now, leaseUntil: now + LEASE, max });
