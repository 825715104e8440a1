import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { StatementRejected } from "#stores/postgres/faults.ts";
import { assertTotals, idempotency, START, tally } from "../../../contract/ledger/fixture.ts";
import { HANGS_MS } from "../../../support/deadline.ts";
import { eventually, isSure, openFaulty, PATIENT, settled } from "./fixture.ts";

/** How a reachable server responds if it cannot carry out an order: errors, locks, timeouts. */
/** The errors of a server that has no space, no working disk or a deadlock, is a standby or stops, or has a lock for another. */
const PASSING = ["53100", "58030", "40P01", "25006", "57P01", "55P03"];

describe("a server that is there and cannot", { concurrency: 4 }, () => {
  for (const code of PASSING) {
    test(`if the server fails twice with ${code}, the orders are carried out once; if it keeps failing, none are`, async (t) => {
      const fixture = await openFaulty(t);
      const account = await fixture.account("Ada", { credits: 50 });
      await fixture.failDebits(code, 2);
      const debits = await Promise.all(Array.from({ length: 10 }, () => fixture.debit(account)));
      assert.deepEqual(tally(debits), { debited: 10 });
      await fixture.failDebits(code, 1_000_000);
      if (code === "57P01") return;
      const refused = await Promise.all(
        Array.from({ length: 10 }, () => settled(fixture.debit(account))),
      );
      for (const outcome of refused) assert.ok(isSure(outcome), String(outcome));
      await fixture.failDebits(code, 0);
      assert.equal((await fixture.debit(account)).outcome, "debited");
      assert.equal((await assertTotals(fixture.ledger, START)).totals.debited, 11);
    });
  }

  test("an order that the server cannot store is rejected alone; the others of its batch are carried out", async (t) => {
    const fixture = await openFaulty(t);
    const account = await fixture.account("Ada", { credits: 50 });
    const bad = settled(
      fixture.debit(account, { idempotency: idempotency("nul \u0000 character") }),
    );
    const good = Array.from({ length: 20 }, () => fixture.debit(account));
    assert.deepEqual(tally(await Promise.all(good)), { debited: 20 });
    assert.ok((await bad) instanceof StatementRejected);
    assert.equal((await assertTotals(fixture.ledger, START)).totals.debited, 20);
  });

  test(
    "while another session locks an account, only its calls wait, and all are carried out after the lock is released",
    PATIENT,
    async (t) => {
      const fixture = await openFaulty(t);
      const held = await fixture.account("Ada", { credits: 50 });
      const free = await fixture.account("Bob", { credits: 500 });
      const session = await fixture.openSession();
      await session.query("BEGIN");
      await session.query("SELECT 1 FROM account WHERE id = $1 FOR UPDATE", [held]);
      let responded = 0;
      const waiting = Array.from({ length: 10 }, () =>
        fixture.debit(held).finally(() => {
          responded += 1;
        }),
      );
      // Each of these waits for the previous one.
      for (let i = 0; i < 5; i += 1) {
        const [outcome] = await Promise.all([fixture.debit(free), wait(5)]);
        assert.equal(outcome.outcome, "debited");
      }
      assert.equal(responded, 0);
      await session.query("COMMIT");
      await session.end();
      assert.deepEqual(tally(await Promise.all(waiting)), { debited: 10 });
      assert.equal((await fixture.debit(held)).outcome, "debited");
      assert.equal((await assertTotals(fixture.ledger, START)).totals.debited, 16);
    },
  );

  test(
    "if another session never releases an account, its calls are rejected as not carried out",
    PATIENT,
    async (t) => {
      const fixture = await openFaulty(t);
      const held = await fixture.account("Ada", { credits: 50 });
      const session = await fixture.openSession();
      await session.query("BEGIN");
      await session.query("SELECT 1 FROM account WHERE id = $1 FOR UPDATE", [held]);
      const grant = settled(fixture.grant(held, "gift", 5));
      const debits = await Promise.all(
        Array.from({ length: 10 }, () => settled(fixture.debit(held))),
      );
      for (const outcome of debits) assert.ok(isSure(outcome), String(outcome));
      assert.ok((await grant) instanceof Error);
      assert.equal(await fixture.balance(held), 50, "reading waits for nobody");
      await session.end();
      assert.equal((await fixture.grant(held, "gift", 5)).outcome !== "no_account", true);
      assert.equal((await fixture.debit(held)).outcome, "debited");
      await assertTotals(fixture.ledger, START);
    },
  );

  test(
    "the server stops statements that take too long, and their connections are closed",
    PATIENT,
    async (t) => {
      const fixture = await openFaulty(t);
      const account = await fixture.account("Ada", { credits: 50 });
      await fixture.onDebit("slowing", "PERFORM pg_sleep(60);");
      const orders = Array.from({ length: 5 }, () => fixture.debitOrder(account));
      const refused = await Promise.all(
        orders.map((order) => settled(fixture.ledger.debit(order))),
      );
      for (const outcome of refused) assert.ok(outcome instanceof Error, String(outcome));
      // Another transaction cannot change the table before the abandoned one has ended.
      await fixture.asOperator("DROP TRIGGER slowing ON debit");
      const again = await Promise.all(orders.map((order) => fixture.ledger.debit(order)));
      assert.deepEqual(tally(again), { debited: 5 });
      assert.equal(await fixture.balance(account), 45);
      assert.equal((await assertTotals(fixture.ledger, START)).totals.debited, 5);
    },
  );

  test(
    "if the server has one connection left for a node that wants six, all orders use that one",
    PATIENT,
    async (t) => {
      const role = `poor_${process.pid}`;
      const fixture = await openFaulty(t, { user: role });
      const limit = (count: number) =>
        fixture.asOperator(`ALTER ROLE ${role} CONNECTION LIMIT ${count}`);
      await fixture.asOperator(
        `CREATE ROLE ${role} LOGIN IN ROLE pg_read_all_data, pg_write_all_data`,
      );
      t.after(() => fixture.asOperator(`DROP ROLE ${role}`));
      /** The server notices a moment later that its clients are gone. Until then it counts their connections. */
      const left = `SELECT 1 FROM pg_stat_activity WHERE usename = '${role}'`;
      async function cut(): Promise<void> {
        do {
          fixture.network.cut();
          await wait(10);
        } while ((await fixture.rows(left)).length > 0);
      }
      const account = await fixture.account("Ada", { credits: 500 });
      await limit(1);
      await cut();
      for (let round = 0; round < 10; round += 1) {
        const orders = Array.from({ length: 20 }, () => fixture.debit(account));
        const reads = Array.from({ length: 20 }, () => settled(fixture.balance(account)));
        assert.deepEqual(tally(await Promise.all(orders)), { debited: 20 });
        for (const read of await Promise.all(reads))
          assert.ok(typeof read === "number" || isSure(read));
      }
      await limit(0);
      await cut();
      assert.ok(isSure(await settled(fixture.debit(account))));
      assert.ok(isSure(await settled(fixture.ledger.probe({ now: START }))));
      const before = fixture.network.connections();
      const told = await Promise.all(
        Array.from({ length: 200 }, () => settled(fixture.balance(account))),
      );
      assert.ok(told.every(isSure));
      const tries = fixture.network.connections() - before;
      assert.ok(tries <= 50, `once that is known few ask: ${tries} tries for 200 orders`);
      await limit(-1);
      await eventually(() => fixture.ledger.probe({ now: START }));
      assert.equal((await fixture.debit(account)).outcome, "debited");
      assert.equal((await assertTotals(fixture.ledger, START)).totals.debited, 201);
    },
  );

  for (const [setting, value, usual] of [
    ["read_only", "on", "off"],
    ["isolation", "serializable", "'read committed'"],
  ] as const)
    test(`the ledger overrides a database whose transactions are ${value} by default: ${setting}`, async (t) => {
      const fixture = await openFaulty(t, { orderMs: HANGS_MS });
      const account = await fixture.account("Ada", { credits: 5 });
      const name = `DATABASE ${new URL(fixture.direct).pathname.slice(1)} SET default_transaction_${setting}`;
      await fixture.asOperator(`ALTER ${name} = ${value}`);
      t.after(() => fixture.asOperator(`BEGIN READ WRITE; ALTER ${name} = ${usual}; COMMIT`));
      fixture.network.cut();
      await wait(50);
      assert.equal((await fixture.debit(account)).outcome, "debited");
      // They wait for each other.
      const grants = Array.from({ length: 40 }, (_, no) => fixture.grant(account, `${no}`, 1));
      await Promise.all(grants);
      assert.equal(await fixture.balance(account), 44);
    });
});
