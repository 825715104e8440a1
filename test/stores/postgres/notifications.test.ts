import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { DebitOrder } from "#ledger/port.ts";
import { decideTogether } from "#stores/postgres/decide-together.ts";
import type { PostgresPool } from "#stores/postgres/pool.ts";
import {
  assertTotals,
  createFixture,
  DAY,
  type Fixture,
  START,
} from "../../contract/ledger/fixture.ts";
import { type Node, newDatabase, openNode } from "./fixture.ts";

/** Events with many writers: batches of debits, and nodes that look for the same events at once. */
let nodes: [Node, Node];
before(async () => {
  const url = await newDatabase();
  nodes = [await openNode(url), await openNode(url)];
});
after(() => Promise.all(nodes.map((node) => node.close())));

const fixtureOf = (node: Node) => createFixture({ ledger: node.ledger });

/** Makes one batch of debits in this order and returns the balances. */
async function debitBatch({ roundTrips }: PostgresPool, orders: DebitOrder[]) {
  const outcomes = await roundTrips("batch", (send) => decideTogether(send, "debit", orders));
  return outcomes.map((outcome) => ("balance" in outcome ? outcome.balance : outcome));
}

const listed = async (fixture: Fixture) =>
  (await fixture.ledger.listEvents({ max: 1_000 })).events.map((event) =>
    event.kind === "credits.low"
      ? `${event.account} low ${event.balance} ${event.at - START}`
      : `${event.account} ${event.kind} ${event.at - START}`,
  );

/** An account whose owner was notified of its credits. */
async function funded(fixture: Fixture, name: string, credits: number) {
  const account = await fixture.account(name, { credits });
  await fixture.news();
  return account;
}

test("a batch writes each account's events in the order of its calls, and no other account", async () => {
  const [{ pool }] = nodes;
  const fixture = fixtureOf(nodes[0]);
  const [gone, low, calm] = [
    await funded(fixture, "Gone", 21),
    await funded(fixture, "Low", 21),
    await funded(fixture, "Calm", 500),
  ];
  const versions = async () => {
    const sql = "SELECT id, ctid::text FROM account WHERE id = ANY ($1) ORDER BY no";
    return pool.once<{ id: string; ctid: string }>("read", sql, [[gone, low, calm]]);
  };
  const before = await versions();
  const orders = Array.from({ length: 21 }, (_, i) =>
    [gone, calm, ...(i < 5 ? [low] : [])].map((account) =>
      fixture.debitOrder(account, { now: START + i }),
    ),
  ).flat();
  const balances = await debitBatch(pool, orders);
  assert.deepEqual(balances.slice(-2), [0, 479]);
  assert.deepEqual(await listed(fixture), [
    `${gone} low 19 1`,
    `${low} low 19 1`,
    `${gone} credits.depleted 20`,
  ]);
  const written = (await versions()).filter(({ ctid }, i) => ctid !== before[i]?.ctid);
  assert.deepEqual(
    written.map(({ id }) => id),
    [gone, low],
  );
  const next = [low, calm].map((account) => fixture.debitOrder(account, { now: START + 30 }));
  await fixture.news();
  await debitBatch(pool, next);
  assert.deepEqual(await listed(fixture), [], "what was told is not told again");
});

test("events of a batch are written in the order in which its calls are charged, not by their times", async () => {
  const [{ pool }] = nodes;
  const fixture = fixtureOf(nodes[0]);
  const account = await fixture.account("Times");
  await fixture.grant(account, "short", 30, { expiresAt: START + DAY });
  await fixture.grant(account, "kept", 2);
  await fixture.news();
  const times = [START + DAY, START, START + DAY, START];
  const orders = times.map((now) => fixture.debitOrder(account, { now }));
  assert.deepEqual(await debitBatch(pool, orders), [1, 30, 0, 28]);
  assert.deepEqual(await listed(fixture), [
    `${account} low 1 ${DAY}`,
    `${account} credits.depleted ${DAY}`,
  ]);
  await fixture.news();
});

test("a batch that is rolled back writes no events; they are written once, when it is decided again", async () => {
  const fixture = fixtureOf(nodes[0]);
  const account = await funded(fixture, "Twice", 22);
  const orders = Array.from({ length: 4 }, () => fixture.debitOrder(account));
  await fixture.ledger.debit(orders[0] as DebitOrder);
  await Promise.all(orders.map((order) => fixture.ledger.debit(order)));
  assert.deepEqual(await listed(fixture), [`${account} low 19 0`]);
  assert.equal(await fixture.balance(account), 18);
  await fixture.news();
});

test("two concurrent recordExpiries on two nodes write each event once", async () => {
  const fixture = fixtureOf(nodes[0]);
  const accounts: string[] = [];
  for (const name of ["NodeA", "NodeB", "NodeC"]) {
    const account = await fixture.account(name);
    await fixture.grant(account, "pack", 50, { expiresAt: START + 60 * DAY });
    accounts.push(account);
  }
  await fixture.news();
  const looks = async (now: number) => {
    const all = Array.from({ length: 12 }, (_, i) =>
      (nodes[i % 2] as Node).ledger.recordExpiries({ now, max: 2 }),
    );
    let notified = 0;
    for (const outcome of await Promise.all(all)) notified += outcome.notified;
    for (let more = true; more; ) {
      const outcome = await fixture.ledger.recordExpiries({ now, max: 2 });
      notified += outcome.notified;
      more = outcome.more;
    }
    return notified;
  };
  for (const [days, kind] of [
    [30, "credits.expiring"],
    [53, "credits.expiring"],
    [60, "credits.depleted"],
  ] as const) {
    assert.equal(await looks(START + days * DAY), 3);
    const told = accounts.map((account) => `${account} ${kind} ${days * DAY}`);
    assert.deepEqual(await listed(fixture), told);
    await fixture.news();
  }
});

test("two nodes that delete the same events while accounts are closed do not block, and delete each event once", async () => {
  const fixture = fixtureOf(nodes[0]);
  const accounts: string[] = [];
  for (let n = 0; n < 8; n += 1) accounts.push(await fixture.account(`Many${n}x`, { credits: 5 }));
  const { events } = await fixture.ledger.listEvents({ max: 100 });
  assert.equal(events.length, 16);
  const ids = events.map(({ id }) => id);
  const closed = accounts.slice(0, 2);
  const [outcomes] = await Promise.all([
    Promise.all(
      Array.from({ length: 8 }, (_, i) => {
        const inOrder = i % 3 === 0 ? ids : ids.toReversed();
        return (nodes[i % 2] as Node).ledger.deleteEvents({ ids: inOrder });
      }),
    ),
    ...closed.map((account) => nodes[1].ledger.closeAccount({ account, now: START })),
  ]);
  const sum = outcomes.reduce((total, each) => total + each.deleted, 0);
  assert.ok(sum >= 12 && sum <= 16, `${sum} were deleted`);
  assert.deepEqual(await listed(fixture), []);
});

test("concurrent calls, reads, grants, clawbacks and closings on two nodes never deadlock", async () => {
  const fixture = fixtureOf(nodes[0]);
  const { pool } = nodes[0];
  const deadlocks = async () => {
    const sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    return (await pool.once<{ deadlocks: number }>("read", sql))[0]?.deadlocks;
  };
  const before = await deadlocks();
  const accounts: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const account = await fixture.account(`Busy${n}x`, { credits: 25 });
    for (const days of [1, 2, 3])
      await fixture.grant(account, `g${days}`, 9, { expiresAt: START + days * DAY });
    accounts.push(account);
  }
  const busy = async ({ ledger }: Node, offset: number) => {
    for (let round = 0; round < 12; round += 1) {
      const now = START + (round / 3) * DAY;
      const account = accounts[(round * 5 + offset) % accounts.length] as string;
      const { events } = await ledger.listEvents({ max: 20 });
      await Promise.all([
        ...accounts.map((each) => ledger.debit(fixture.debitOrder(each, { now }))),
        ledger.recordExpiries({ now, max: 5 }),
        ledger.deleteEvents({ ids: events.map(({ id }) => id) }),
        ledger.clawback({ account, grant: "first", credits: round + 1, version: round, now }),
        ledger.setLowBalance({ account, lowBalance: 10 + round, now }),
        round === 9 ? ledger.closeAccount({ account, now }) : null,
      ]);
    }
  };
  await Promise.all(nodes.map((node, i) => busy(node, i * 3)));
  await pool.once("write", "SELECT pg_stat_force_next_flush()");
  assert.equal(await deadlocks(), before);
  for (const days of [0, 2, 10]) await assertTotals(fixture.ledger, START + days * DAY);
  await fixture.news();
});
