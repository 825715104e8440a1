import assert from "node:assert/strict";
import { test } from "node:test";
import type { Offer } from "#billing/price-list.ts";
import { newPurchase } from "#billing/purchase-store.ts";
import type { LedgerEvent } from "#ledger/events.ts";
import { createD1DashboardStore } from "#stores/sql/d1-dashboard.ts";
import { createD1Database, type D1, type D1Result } from "#stores/sql/d1-database.ts";
import { createAccountIndex } from "#stores/sql/directory.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import { type SqlDatabase, sql } from "#stores/sql/sql-database.ts";
import { emailsOf } from "../../contract/email-queue-fixture.ts";
import { withJobs } from "../../contract/event-store-fixture.ts";
import { openD1 } from "./d1-fixture.ts";

/** What D1 bills: rows read and written, counted by itself, and that neither grows with how many users there are. */
const START = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;
const iso = (at: number) => new Date(at).toISOString();

/** A binding that adds up the cost that responses report. */
function metered(d1: D1) {
  const bill = { read: 0, written: 0 };
  const note = (result: D1Result) => {
    bill.read += result.meta.rows_read;
    bill.written += result.meta.rows_written;
    return result;
  };
  const wrapped: D1 = {
    prepare: (text) => d1.prepare(text),
    batch: async (statements) => (await d1.batch(statements)).map(note),
  };
  return { d1: wrapped, bill };
}

/** So many users with all that belongs to them; each has some of everything. */
const populate = (db: SqlDatabase, count: number) => {
  const numbers = sql`WITH RECURSIVE numbers (n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
  const [now, later] = [iso(START), iso(START + DAY)];
  return db.batch([
    sql`INSERT INTO address (email, account, created_at)
        ${numbers} SELECT n || '@x.org', 'acc_' || n, ${START} FROM numbers`,
    sql`INSERT INTO closed_address (email_hash, closed_at)
        ${numbers} SELECT 'hash' || n, ${START} FROM numbers`,
    sql`INSERT INTO users (id, name, email, "emailVerified", "createdAt", "updatedAt", account)
        ${numbers} SELECT 'p' || n, '', n || '@x.org', 1, ${now}, ${now}, 'acc_' || n FROM numbers`,
    sql`INSERT INTO user_session (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
        ${numbers} SELECT 's' || n, ${later}, 't' || n, ${now}, ${now}, 'p' || n FROM numbers`,
    // Pending challenges of passkeys expire soon, so there are few. Closing an account scans all of them.
    sql`INSERT INTO user_token (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
        ${numbers} SELECT 'k' || n, 'challenge-' || n, 'q' || n, ${later}, ${now}, ${now}
        FROM numbers WHERE n <= 9`,
    sql`INSERT INTO user_event (user_id, at, kind)
        ${numbers} SELECT 'p' || n, ${START}, 'signed_in' FROM numbers`,
    sql`INSERT INTO email_requested (recipient, email_group, at)
        ${numbers} SELECT 'r' || n, 'asked', ${START} FROM numbers`,
    sql`INSERT INTO webhook_endpoint (id, account, url, secret, kinds, created_at)
        ${numbers} SELECT 'w' || n, 'acc_' || n, 'https://x.org', 'whsec_', '["credits.low"]', ${START}
        FROM numbers`,
    sql`INSERT INTO webhook_delivery
          (id, endpoint, account, event, kind, body, created_at, last_status, again)
        ${numbers} SELECT 'd' || n, 'w' || n, 'acc_' || n, 'n' || n, 'credits.low', '', ${START}, 200, 0
        FROM numbers`,
    sql`INSERT INTO purchase (id, account, created_at, offer, kind, name, credits, price, currency,
          session, status, paid, refunded, dispute, voided, spent, updated_at)
        ${numbers} SELECT 'b' || n, 'acc_' || n, ${START}, 'small', 'pack', '', 9, 500, 'eur',
          'cs' || n, 'open', 0, 0, 'none', 0, 0, ${START} FROM numbers`,
    sql`INSERT INTO event_handled (event, handled_at)
        ${numbers} SELECT 'n' || n, ${START} FROM numbers`,
    sql`INSERT INTO account_index (account, created_at)
        ${numbers} SELECT 'acc_' || n, ${START} + n FROM numbers`,
    sql`INSERT INTO operator_action (at, operator, action, outcome)
        ${numbers} SELECT ${START}, 'ada', 'grant', 'done' FROM numbers`,
  ]);
};

const message = (id: string, kind: "key_created" | "sign_in_code") => ({
  email: {
    ...{ id, to: "1@x.org", content: "", kind, transportKind: "smtp" as const },
    usefulUntil: null,
  },
  now: START,
});

const EVENT: LedgerEvent = {
  ...{ id: "evt_acc_7_1_1", account: "acc_7", at: START },
  ...{ kind: "credits.low", balance: 19, lowBalance: 20 },
};

/** One event with an endpoint that subscribes to it, and one purchase. */
function salesOperations(d1: D1) {
  const { ledgerEvents: forwardedEvents, purchases, ...store } = createD1DashboardStore(d1);
  const events = withJobs(store.events, store.jobs);
  const handling = { event: EVENT, email: null, webhookId: "evt_a", body: "{}", now: START };
  const offer: Offer = {
    ...{ id: "small", kind: "pack", name: "Small", credits: 9, months: 1 },
    ...{ price: 500, currency: "eur" },
  };
  const purchase = newPurchase("pur_1", "acc_7", offer, START);
  const tried = { status: "delivered", dueAt: null, lastStatus: 200, lastError: null } as const;
  return {
    forward: () => forwardedEvents.add([EVENT]),
    listForwarded: () => forwardedEvents.list({ max: 100 }),
    choice: () => events.choice({ account: "acc_7" }),
    handle: () =>
      events.handle({ ...handling, deliveryIds: (count) => "abcdef".slice(0, count).split("") }),
    settle: () => forwardedEvents.settle([EVENT]),
    takeDelivery: () => events.take({ now: START, leaseUntil: START + 1, max: 4 }),
    recordTries: () => events.recordTries([{ id: "a", take: 1, now: START, ...tried }]),
    takeNone: () => events.take({ now: START, leaseUntil: START + 1, max: 4 }),
    nextDelivery: () => events.nextDue(),
    listDeliveries: () =>
      events.listDeliveries({ account: "acc_7", endpoint: "w7", after: null, max: 3 }),
    addPurchase: () => purchases.add(purchase),
    updatePurchase: () =>
      purchases.update({ purchase: { ...purchase, session: "cs_1" }, seen: START }),
    findPurchase: () => purchases.find({ session: "cs_1" }),
    listPurchases: () => purchases.list({ account: "acc_7", after: null, max: 3 }),
  };
}

/** Runs every operation once, in this order. Closing an account comes last. */
function operations(d1: D1) {
  const { directory, activityLog, ...store } = createD1DashboardStore(d1);
  const emailQueue = emailsOf(store);
  const db = createD1Database(d1);
  const index = createAccountIndex(db);
  const actions = createOperatorActions(db);
  const event = { at: START, kind: "signed_in", detail: null, address: null } as const;
  const fresh = { email: "new@x.org", account: "acc_new", createdAt: START };
  const due = { now: START, leaseUntil: START + 1, max: 4, transportKind: "smtp" } as const;
  const action = {
    ...{ at: START, by: "ada", action: "grant" },
    ...{ subject: null, outcome: "granted", address: null },
  };
  return {
    register: () => directory.register(fresh),
    findByEmail: () => directory.findByEmail({ email: "7@x.org" }),
    listAddresses: () => directory.listAddresses({ after: "5@x.org", max: 3 }),
    wasClosed: () => directory.wasClosed({ emailHash: "hash7" }),
    recordEvent: () => activityLog.recordEvent({ user: "p7", ...event }),
    listEvents: () => activityLog.listEvents({ user: "p7", after: null, max: 3 }),
    findUser: () => activityLog.findUser({ account: "acc_7" }),
    forgetStale: () => activityLog.forgetStale({ now: START, max: 100 }),
    addNotification: () => emailQueue.add(message("eml_1", "key_created")),
    addRequested: () => emailQueue.add(message("eml_2", "sign_in_code")),
    take: () => emailQueue.take(due),
    nextDue: () => emailQueue.nextDue({ transportKind: "smtp" }),
    done: () => emailQueue.done({ id: "eml_1" }),
    recordAccount: () => index.record({ account: "acc_new", now: START }),
    listAccounts: () => index.list({ after: { account: "acc_5", createdAt: START + 5 }, max: 3 }),
    startAction: () => actions.start(action),
    endAction: () => actions.end({ id: "3", end: { outcome: "done", detail: null } }),
    listActions: () => actions.list({ after: null, max: 3 }),
    ...salesOperations(d1),
    forget: () => directory.forget({ account: "acc_7", emailHash: "h", now: START }),
  };
}

async function billsOf(users: number) {
  const { d1 } = openD1();
  await populate(createD1Database(d1), users);
  const meter = metered(d1);
  const bills: Record<string, { read: number; written: number }> = {};
  for (const [name, operation] of Object.entries(operations(meter.d1))) {
    const before = { ...meter.bill };
    await operation();
    const { read, written } = meter.bill;
    bills[name] = { read: read - before.read, written: written - before.written };
  }
  return bills;
}

test("the rows that an operation reads and writes do not grow with the number of users", async (t) => {
  const few = await billsOf(20);
  const many = await billsOf(2_000);
  assert.deepEqual(many, few);
  for (const [name, { read, written }] of Object.entries(many)) {
    t.diagnostic(`${name}: ${read} rows read, ${written} written`);
    assert.ok(read <= 50 && written <= 20, name);
  }
});
