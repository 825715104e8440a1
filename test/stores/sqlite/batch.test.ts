import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { DebitOutcome, LedgerOperation, LedgerOperations } from "#ledger/port.ts";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { createSqliteReads } from "#stores/sqlite/reads.ts";
import {
  assertTotals,
  createFixture,
  debited,
  idempotency,
  keySha256,
  START,
} from "../../contract/ledger/fixture.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { temporaryFile } from "./fixture.ts";

/**
 * Many orders in one transaction: what the database rejects fails alone. That each order is decided as if it
 * came alone is shown with random batches (`ledger.test.ts`).
 */
function openFixture(t: TestContext, file = ":memory:") {
  const driver = openNodeSqlite(file);
  const fixture = createFixture(openSqliteDirect(driver));
  t.after(async () => {
    await assertTotals(fixture.ledger, START);
    driver.close();
  });
  const runBatch = createBatchRunner(driver, { createReads: createSqliteReads });
  return { ...fixture, driver, runBatch };
}

type Item = {
  [Name in LedgerOperation]: [Name, LedgerOperations[Name][0]];
}[LedgerOperation];

/** Returns the value or the error of each result. */
function run(fixture: ReturnType<typeof openFixture>, items: Item[]) {
  return fixture.runBatch(items).map((result) => ("value" in result ? result.value : result.error));
}

const grantOrder = (account: string, id: string, amount: number) =>
  ({ account, id, kind: "operator", amount, expiresAt: null, now: START }) as const;

/** A database fault that affects only some orders. */
const TRIGGERS: Record<string, string> = {
  "while the order is carried out":
    "CREATE TRIGGER t BEFORE INSERT ON debit_journal WHEN NEW.call_id = 'boom' BEGIN SELECT RAISE(ABORT, 'boom'); END",
  "that rolls back by itself":
    "CREATE TRIGGER t BEFORE INSERT ON debit_journal WHEN NEW.call_id = 'boom' BEGIN SELECT RAISE(ROLLBACK, 'boom'); END",
  "at the end of the batch":
    "CREATE TRIGGER t BEFORE UPDATE OF remaining ON credit_grant WHEN NEW.id = 'boom' BEGIN SELECT RAISE(ABORT, 'boom'); END",
};

test("an order that the ledger rejects changes nothing, and the others of its batch are carried out", async (t) => {
  const fixture = openFixture(t);
  const account = await fixture.account("Ada", { credits: 10 });
  const reversed = fixture.debitOrder(account);
  await fixture.ledger.debit(reversed);
  await fixture.ledger.reverse({ account, callId: reversed.callId, at: START, now: START });
  let transactions = 0;
  const { transaction } = fixture.driver;
  fixture.driver.transaction = (mode, body) => {
    transactions += 1;
    return transaction(mode, body);
  };
  const [first, none, last] = run(fixture, [
    ["debit", fixture.debitOrder(account)],
    ["grant", grantOrder(account, "none", 0)],
    ["debit", fixture.debitOrder(account)],
  ]);
  assert.equal(transactions, 1, "a refusal rolls nothing back");
  assert.deepEqual([first, last], [debited(1, 9), debited(1, 8)]);
  assert.partialDeepStrictEqual(none, { kind: "rejected" });
  // An order that was already carried out is found by its debit, and the batch runs again once.
  const [second, again, third] = run(fixture, [
    ["debit", fixture.debitOrder(account)],
    ["debit", reversed],
    ["debit", fixture.debitOrder(account)],
  ]);
  assert.equal(transactions, 3);
  assert.deepEqual([second, third], [debited(1, 7), debited(1, 6)]);
  assert.partialDeepStrictEqual(again, { kind: "rejected" });
  assert.deepEqual(await fixture.remaining(account), { first: 6 });
});

for (const [when, trigger] of Object.entries(TRIGGERS)) {
  test(`an error of the database ${when} fails only its own order`, async (t) => {
    const fixture = openFixture(t);
    const [ada, bob] = [
      await fixture.account("Ada", { credits: 10, freeCall: "open" }),
      await fixture.account("Bob"),
    ];
    await fixture.grant(bob, "boom", 5);
    fixture.driver.exec(trigger);
    const results = run(fixture, [
      ["debit", fixture.debitOrder(ada)],
      ["debit", fixture.debitOrder(ada, { idempotency: idempotency("once") })],
      ["debit", fixture.debitOrder(bob, { callId: "boom" })],
      ["debit", fixture.debitOrder(ada, { idempotency: idempotency("once", "body", "other") })],
      ["grant", grantOrder(ada, "gift", 3)],
      ["debit", fixture.debitOrder(ada)],
    ]);
    const [free, keyed, boom, replayed, granted, last] = results as [
      ...DebitOutcome[],
      unknown,
      unknown,
    ];
    assert.deepEqual(free, debited(0, 10), "the free call is there once");
    assert.deepEqual(keyed, debited(1, 9));
    assert.partialDeepStrictEqual(boom, { kind: "not_carried_out", message: "boom" });
    assert.partialDeepStrictEqual(replayed, { outcome: "replayed", balance: 9 });
    assert.partialDeepStrictEqual(granted, { outcome: "granted" });
    assert.deepEqual(last, debited(1, 11));
    assert.deepEqual(await fixture.remaining(ada), { first: 8, gift: 3 });
    assert.deepEqual(await fixture.remaining(bob), { boom: 5 });
    assert.equal((await fixture.usage(bob)).length, 0);
  });
}

test("values that SQLite cannot store fail only their own order", async (t) => {
  const fixture = openFixture(t);
  const account = await fixture.account("Ada", { credits: 10 });
  const wrong = { ...fixture.debitOrder(account), tool: { not: "text" } as never };
  const [first, fault, last] = run(fixture, [
    ["debit", fixture.debitOrder(account)],
    ["debit", wrong],
    ["debit", fixture.debitOrder(account)],
  ]);
  assert.deepEqual([first, last], [debited(1, 9), debited(1, 8)]);
  assert.partialDeepStrictEqual(fault, { kind: "not_carried_out" });
});

test("a key that is used for two accounts is valid only for its own", async (t) => {
  const fixture = openFixture(t);
  const ada = await fixture.account("Ada", { credits: 3 });
  const bob = await fixture.account("Bob", { credits: 5 });
  const ask = (account: string): Item => [
    "keyStatus",
    { account, keySha256: keySha256(ada), now: START },
  ];
  const debit = (account: string): Item => [
    "debit",
    { ...fixture.debitOrder(account), keySha256: keySha256(ada) },
  ];
  const good = (balance: number) => ({ outcome: "good", balance, freeCall: false });
  const invalid = { outcome: "invalid_key" };
  assert.deepEqual(run(fixture, [ask(ada), ask(bob), debit(ada), debit(bob)]), [
    ...[good(3), invalid, debited(1, 2), invalid],
  ]);
  assert.deepEqual(run(fixture, [ask(bob), ask(ada), debit(bob), debit(ada)]), [
    ...[invalid, good(2), invalid, debited(1, 1)],
  ]);
  assert.equal(await fixture.balance(bob), 5);
});

test("reads are performed while another process writes", async (t) => {
  const file = temporaryFile(t);
  const fixture = openFixture(t, file);
  const account = await fixture.account("Ada", { credits: 3 });
  const other = openNodeSqlite(file);
  other.exec("BEGIN IMMEDIATE");
  const [accountState, credits] = run(fixture, [
    ["keyStatus", { account, keySha256: keySha256(account), now: START }],
    ["findAccount", { account, now: START }],
  ]);
  other.exec("ROLLBACK");
  other.close();
  assert.deepEqual(accountState, { outcome: "good", balance: 3, freeCall: false });
  assert.partialDeepStrictEqual(credits, { balance: 3 });
});

test("an event is rolled back with its order", async (t) => {
  const fixture = openFixture(t);
  const account = await fixture.account("Ada", { credits: 20 });
  await fixture.news();
  fixture.driver.exec(TRIGGERS["while the order is carried out"] as string);
  run(fixture, [
    ["debit", fixture.debitOrder(account)],
    ["debit", fixture.debitOrder(account, { callId: "boom" })],
  ]);
  assert.deepEqual(
    (await fixture.news()).map(({ kind }) => kind),
    ["credits.low"],
  );
});
