import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import {
  assertTotals,
  createFixture,
  DAY,
  type Fixture,
  START,
} from "../../contract/ledger/fixture.ts";
import { hooksOfSuite, type Node, openNodes } from "./fixture.ts";

/** Nodes that write, look for and delete the same events at once. */
let nodes: [Node, Node];
describe("events in PostgreSQL", () => {
  const hooks = hooksOfSuite();
  before(async () => {
    nodes = (await openNodes(hooks, "caller", "caller")) as [Node, Node];
  });

  const fixtureOf = (node: Node) => createFixture(node);

  const listed = async (fixture: Fixture) =>
    (await fixture.ledgerEvents.list({ max: 1_000 })).map(
      ({ account, kind, at }) => `${account} ${kind} ${at - START}`,
    );

  test("two nodes that look for expiries at once write each event once", async () => {
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
        fixtureOf(nodes[i % 2] as Node).look(now, 2),
      );
      let notified = (await Promise.all(all)).reduce((sum, each) => sum + each, 0);
      for (let times = 0; times < 2; times += 1) notified += await fixture.look(now, 2);
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

  test("two nodes that delete the same events while accounts are closed do not block", async () => {
    const fixture = fixtureOf(nodes[0]);
    const accounts: string[] = [];
    for (let n = 0; n < 8; n += 1)
      accounts.push(await fixture.account(`Many${n}x`, { credits: 5 }));
    const events = await fixture.ledgerEvents.list({ max: 100 });
    assert.equal(events.length, 16);
    const closed = accounts.slice(0, 2);
    await Promise.all([
      ...Array.from({ length: 8 }, (_, i) => {
        const inOrder = i % 3 === 0 ? events : events.toReversed();
        return (nodes[i % 2] as Node).ledgerEvents.settle(inOrder);
      }),
      ...closed.map((account) =>
        nodes[1].ledger.changeAccount({ account, now: START, state: "closed" }),
      ),
    ]);
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
    const busy = async (node: Node, offset: number) => {
      const { ledger, ledgerEvents } = node;
      for (let round = 0; round < 12; round += 1) {
        const now = START + (round / 3) * DAY;
        const account = accounts[(round * 5 + offset) % accounts.length] as string;
        const events = await ledgerEvents.list({ max: 20 });
        await Promise.all([
          ...accounts.map((each) => ledger.debit(fixture.debitOrder(each, { now }))),
          fixtureOf(node).look(now, 5),
          ledgerEvents.settle(events),
          ledger.clawback({ account, grant: "first", credits: round + 1, version: round, now }),
          ledger.changeAccount({ account, lowBalance: 10 + round, now }),
          round === 9 ? ledger.changeAccount({ account, now, state: "closed" }) : null,
        ]);
      }
    };
    await Promise.all(nodes.map((node, i) => busy(node, i * 3)));
    await pool.once("write", "SELECT pg_stat_force_next_flush()");
    assert.equal(await deadlocks(), before);
    for (const days of [0, 2, 10]) await assertTotals(fixture.ledger, START + days * DAY);
    await fixture.news();
  });
});
