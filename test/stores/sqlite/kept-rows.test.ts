import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import type { SqlDriver } from "#stores/sqlite/driver.ts";
import { createJournal } from "#stores/sqlite/new-debits.ts";
import { createTasks } from "#stores/sqlite/tasks.ts";
import { allEntries, assertTotals, DAY, START } from "../../contract/ledger/fixture.ts";
import { purchaseOf } from "../../contract/purchase-store.ts";
import { openBatched, openDriver, temporaryFile } from "./fixture.ts";

function connect(t: TestContext, file: string) {
  const driver = openDriver(t, file);
  const { ledger, runBatch, ...fixture } = openBatched(driver);
  return { driver, ledger, runBatch, fixture: { ledger, ...fixture } };
}

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

/** Counts how often accounts are loaded. */
function countLoads(driver: SqlDriver) {
  const loads: string[] = [];
  const counted: SqlDriver = {
    ...driver,
    prepare(sql) {
      const statement = driver.prepare(sql);
      if (sql !== "SELECT * FROM account WHERE id = ?") return statement;
      return {
        ...statement,
        get(id) {
          loads.push(String(id));
          return statement.get(id ?? null);
        },
      };
    },
  };
  return { counted, loads };
}

test("a grant, a purchase and other writes load no account again but that of the grant", async (t) => {
  const { counted, loads } = countLoads(openDriver(t));
  const perform = createTasks(counted);
  const { ledger, runBatch, debitOrder, account, grant } = openBatched(counted);
  const accounts: string[] = [];
  for (let no = 0; no < 20; no += 1)
    accounts.push(await account(`Account ${no}`, { credits: 100 }));
  const debitEach = () =>
    runBatch(accounts.map((each) => ["debit", debitOrder(each)])).map(
      (result) => (result as { value: { outcome: string } }).value.outcome,
    );
  debitEach();
  loads.length = 0;
  assert.deepEqual(new Set(debitEach()), new Set(["debited"]));
  assert.deepEqual(loads, [], "the accounts are in memory");
  const purchases = createPurchaseStore({ batch: (queries) => perform("statements", queries) });
  const [first = "", second = ""] = accounts;
  await purchases.add(purchaseOf("pur_1", { account: first }));
  await perform("statements", [
    { sql: "INSERT INTO setting (name, value) VALUES ('a', 'b')", values: [] },
  ]);
  await ledger.credits({ account: second, now: START });
  debitEach();
  assert.deepEqual(loads, []);
  await grant(first, "stripe:pi_1", 50);
  loads.length = 0;
  debitEach();
  assert.deepEqual(loads, [first]);
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
