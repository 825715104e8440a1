import assert from "node:assert/strict";
import { test } from "node:test";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { START } from "../../contract/ledger/fixture.ts";
import { grantOrder, type Item, openFixture, run, TRIGGERS } from "./batch-fixture.ts";

/** What events cost debits, and how they commit with their batch. */

/** The first words of each statement that a batch runs. */
function watchStatements(fixture: ReturnType<typeof openFixture>) {
  const wasCarriedOut: string[] = [];
  const runBatch = createBatchRunner({
    ...fixture.driver,
    prepare(sql) {
      const statement = fixture.driver.prepare(sql);
      const name = sql
        .trim()
        .match(/^(?:SELECT.*?FROM \w+|UPDATE \w+|INSERT (?:OR \w+ )?INTO \w+)/s);
      const watch =
        <Way extends (...values: never[]) => unknown>(way: Way) =>
        (...values: Parameters<Way>) => {
          wasCarriedOut.push(String(name?.[0].replace(/SELECT.*FROM/s, "SELECT")));
          return way(...values) as ReturnType<Way>;
        };
      const { get, all, run } = statement;
      return { get: watch(get), all: watch(all), run: watch(run) };
    },
  });
  return (items: Item[]) => {
    wasCarriedOut.length = 0;
    const results = runBatch(items);
    assert.ok(results.every((result) => "value" in result));
    return [...wasCarriedOut];
  };
}

test("only a debit that lowers the balance to another level writes more", async (t) => {
  const fixture = openFixture(t);
  const account = await fixture.account("Ada", { credits: 22 });
  await fixture.debit(account);
  const statementsOf = watchStatements(fixture);
  const debits = (count: number) =>
    Array.from({ length: count }, (): Item => ["debit", fixture.debitOrder(account)]);
  // Another connection wrote last, so the account's rows are read; from then on they are cached.
  const [mark, drained] = ["SELECT setting", "SELECT setting"];
  const [pay, append] = ["UPDATE credit_grant", "INSERT INTO debit_journal"];
  assert.deepEqual(statementsOf(debits(1)), [
    ...[mark, "INSERT INTO setting"],
    ...["SELECT account", "SELECT api_key", "SELECT credit_grant", pay],
    ...[drained, "SELECT debit_journal", "SELECT debit_by_account", append],
  ]);
  const calm = [mark, pay, drained, append];
  assert.deepEqual(
    statementsOf(debits(1)).toSorted(),
    [...calm, "INSERT INTO event", "UPDATE account"].toSorted(),
  );
  assert.deepEqual(statementsOf(debits(1)), calm);
  // 16 debits are one statement. This many of one account bypass the journal if all are later than the journal's debits.
  const late = Array.from({ length: 17 }, (): Item => {
    return ["debit", fixture.debitOrder(account, { now: START + 1 })];
  });
  assert.deepEqual(statementsOf(late), [
    ...[mark, pay],
    ...Array(2).fill("INSERT INTO debit_by_account"),
  ]);
});

test("a balance that falls past both levels in one batch causes both events", async (t) => {
  const fixture = openFixture(t);
  const account = await fixture.account("Ada", { credits: 22 });
  const other = await fixture.account("Bob", { credits: 22 });
  await fixture.news();
  const debit = (now: number, of = account): Item => ["debit", fixture.debitOrder(of, { now })];
  const first = Array.from({ length: 22 }, (_, call) => debit(START + call));
  run(fixture, [
    ...first,
    debit(START + 22),
    debit(START + 23, other),
    ["grant", { ...grantOrder(account, "more", 21), now: START + 24 }],
    debit(START + 25),
    debit(START + 26),
  ]);
  const told = (await fixture.news()).map(({ at, kind }) => `${kind} ${at - START}`);
  assert.deepEqual(told, [
    "credits.low 2",
    "credits.depleted 21",
    "credits.granted 24",
    "credits.low 26",
  ]);
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
