import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { createJournal } from "#stores/sqlite/journal.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import {
  allEntries,
  assertTotals,
  createFixture,
  DAY,
  keyId,
  START,
} from "../../contract/ledger/fixture.ts";

function temporaryFile(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-kept-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return path.join(folder, "ledger.sqlite");
}

function connect(t: TestContext, file: string) {
  const driver = openNodeSqlite(file);
  t.after(() => driver.close());
  const { ledger } = openSqliteDirect(driver);
  return {
    driver,
    ledger,
    fixture: createFixture({ ledger }),
    runBatch: createBatchRunner(driver),
  };
}

describe("rows that stay in memory between transactions", () => {
  test("what another connection changes holds for the next batch", async (t) => {
    const file = temporaryFile(t);
    const [server, operator] = [connect(t, file), connect(t, file)];
    const account = await server.fixture.account("Ada", { credits: 10 });
    const debitTwice = () => {
      const orders = [1, 2].map(() => server.fixture.debitOrder(account));
      return server
        .runBatch(orders.map((order) => ["debit", order]))
        .map((result) => (result as { value: { outcome: string; balance?: number } }).value)
        .map(({ outcome, balance }) => `${outcome} ${balance ?? ""}`.trim());
    };
    assert.deepEqual(debitTwice(), ["debited 9", "debited 8"]);
    assert.deepEqual(debitTwice(), ["debited 7", "debited 6"]);

    await operator.fixture.grant(account, "soon", 3, { expiresAt: START + DAY });
    assert.deepEqual(debitTwice(), ["debited 8", "debited 7"]);
    await operator.ledger.suspendAccount({ account, now: START });
    assert.deepEqual(debitTwice(), ["account_suspended 7", "account_suspended 7"]);
    await operator.ledger.resumeAccount({ account, now: START });
    assert.deepEqual(debitTwice(), ["debited 6", "debited 5"]);
    await operator.fixture.debit(account, { callId: "call-of-the-operator" });
    assert.deepEqual(debitTwice(), ["debited 3", "debited 2"]);
    await operator.ledger.revokeKey({ account, id: keyId(account), now: START });
    assert.ok(debitTwice().every((outcome) => !outcome.startsWith("debited")));
    assert.equal(await operator.fixture.balance(account), 2);
    await assertTotals(operator.ledger, START);
  });

  test("a batch that is rolled back leaves no trace in the rows that are kept", async (t) => {
    const { driver, fixture, runBatch, ledger } = connect(t, temporaryFile(t));
    const account = await fixture.account("Ada", { credits: 10 });
    const debit = () => ["debit", fixture.debitOrder(account)] as ["debit", unknown];
    const balances = (items: ["debit", unknown][]) =>
      runBatch(items).map((result) =>
        "value" in result ? (result.value as { balance: number }).balance : "failed",
      );
    assert.deepEqual(balances([debit(), debit()]), [9, 8]);
    driver.exec(`CREATE TRIGGER full BEFORE UPDATE OF remaining ON credit_grant
      BEGIN SELECT RAISE(ABORT, 'no room'); END`);
    assert.deepEqual(balances([debit(), debit()]), ["failed", "failed"]);
    driver.exec("DROP TRIGGER full");
    assert.deepEqual(balances([debit(), debit()]), [7, 6]);
    assert.equal(await fixture.balance(account), 6);
    await assertTotals(ledger, START);
  });

  test("grants that several debits of a batch spend are saved as the last one left them", async (t) => {
    const { fixture, runBatch, ledger } = connect(t, temporaryFile(t));
    const account = await fixture.account("Ada");
    for (let day = 1; day <= 60; day += 1)
      await fixture.grant(account, `day-${day}`, 2, { expiresAt: START + day * DAY });
    const prices = [1, 3, 40, 1, 1, 60, 5];
    const results = runBatch(
      prices.map((credits) => ["debit", fixture.debitOrder(account, { credits })]),
    );
    assert.deepEqual(
      results.map((result) => (result as { value: { balance: number } }).value.balance),
      [119, 116, 76, 75, 74, 14, 9],
    );
    assert.equal(await fixture.balance(account), 9);
    await assertTotals(ledger, START);
  });
});

test("a server that is killed in the middle of a move has each debit once", async (t) => {
  const file = temporaryFile(t);
  const before = connect(t, file);
  const [ada, bob] = [
    await before.fixture.account("Ada", { credits: 40 }),
    await before.fixture.account("Bob", { credits: 40 }),
  ];
  const orders = Array.from({ length: 30 }, (_, call) =>
    before.fixture.debitOrder(call % 3 === 0 ? bob : ada, { now: START + call }),
  );
  for (const order of orders) await before.ledger.debit(order);
  const entriesOf = async (of: typeof before) => [
    await allEntries(of.ledger, ada, START + DAY),
    await allEntries(of.ledger, bob, START + DAY),
  ];
  const entries = await entriesOf(before);
  const script = fileURLToPath(new URL("stop-halfway.ts", import.meta.url));
  for (const rows of [7, 1_000]) {
    const child = spawn(process.execPath, [
      "--disable-warning=ExperimentalWarning",
      script,
      file,
      `${rows}`,
    ]);
    const exited = once(child, "exit");
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await exited;
    const after = connect(t, file);
    assert.equal(createJournal(after.driver).count(), 30);
    assert.deepEqual(await entriesOf(after), entries);
    for (const order of orders.slice(0, 9)) await after.ledger.debit(order);
    assert.equal(await after.fixture.balance(ada), 20);
    assert.equal(await after.fixture.balance(bob), 30);
    await assertTotals(after.ledger, START);
  }
  const last = connect(t, file);
  last.driver.transaction("write", () => createJournal(last.driver).drain(7));
  assert.equal(createJournal(last.driver).count(), 23);
  assert.deepEqual(await entriesOf(last), entries);
});
