import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createJournal } from "#stores/sqlite/journal.ts";
import { allEntries, assertTotals, DAY, keyId, START } from "../../contract/ledger/fixture.ts";
import { openBatched, openDriver, temporaryFile } from "./fixture.ts";

function connect(t: TestContext, file: string) {
  const driver = openDriver(t, file);
  const { ledger, runBatch, ...fixture } = openBatched(driver);
  return { driver, ledger, runBatch, fixture: { ledger, ...fixture } };
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
