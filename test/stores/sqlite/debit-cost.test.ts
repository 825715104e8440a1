import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DebitOutcome } from "#ledger/port.ts";
import { createDebitPeriods } from "#stores/sqlite/debit-periods.ts";
import type { SqlDriver, SqlRow, SqlValue } from "#stores/sqlite/driver.ts";
import { DAY, idempotency, START } from "../../contract/ledger/fixture.ts";
import { openBatched, openDriver } from "./fixture.ts";

/** Each statement that ran, and the number of rows that it returned. */
type Carried = { sql: string; rows: number };

function recording(driver: SqlDriver, carried: Carried[]): SqlDriver {
  const note = <Result>(sql: string, result: Result, rows: number): Result => {
    carried.push({ sql, rows });
    return result;
  };
  return {
    ...driver,
    prepare(sql) {
      const statement = driver.prepare(sql);
      const get = (...values: SqlValue[]) => {
        const row = statement.get(...values);
        return note(sql, row, row === undefined ? 0 : 1);
      };
      const all = (...values: SqlValue[]): SqlRow[] => {
        const rows = statement.all(...values);
        return note(sql, rows, rows.length);
      };
      return { get, all, run: (...values) => note(sql, statement.run(...values), 0) };
    },
  };
}

/** The tables and indexes to which the statements write. */
function writtenBy(driver: SqlDriver, carried: readonly Carried[]): string[] {
  const names = new Map(
    driver
      .prepare("SELECT rootpage, name FROM sqlite_schema")
      .all()
      .map(({ rootpage, name }) => [rootpage, String(name)]),
  );
  const written = carried.flatMap(({ sql }) =>
    driver
      .prepare(`EXPLAIN ${sql}`)
      .all()
      .filter(({ opcode }) => opcode === "OpenWrite")
      .map(({ p2 }) => names.get(p2 ?? 0) ?? "?"),
  );
  return [...new Set(written)].sort();
}

async function openCounted(t: Parameters<typeof openDriver>[0], isAlone = false) {
  const driver = openDriver(t);
  const options = isAlone ? { periods: createDebitPeriods(driver) } : {};
  const carried: Carried[] = [];
  const open = () => openBatched(recording(driver, carried), options);
  const fixture = open();
  let { ledger } = fixture;
  /** What follows finds no account in memory, as after a start. */
  const restart = () => {
    ({ ledger } = open());
  };
  const debit = async (changes: Parameters<typeof fixture.debit>[1] = {}) => {
    carried.length = 0;
    const outcome: DebitOutcome = await ledger.debit(fixture.debitOrder(account, changes));
    assert.equal(outcome.outcome, "debited");
    return [...carried];
  };
  const account = await fixture.account("Ada", { credits: 50 });
  return { driver, fixture, account, debit, restart };
}

describe("the cost of a debit in SQLite", () => {
  test("a debit writes the journal and the grant that pays, and no index", async (t) => {
    const { driver, debit } = await openCounted(t);
    await debit();
    assert.deepEqual(writtenBy(driver, await debit()), ["credit_grant", "debit_journal"]);
  });

  test("in a database of a single account, it writes two rows too", async (t) => {
    const { driver, debit } = await openCounted(t, true);
    await debit();
    assert.deepEqual(writtenBy(driver, await debit()), ["credit_grant", "debit_by_account"]);
  });

  test("an idempotency key adds its record and its indexes", async (t) => {
    const { driver, debit } = await openCounted(t);
    await debit();
    const written = writtenBy(driver, await debit({ idempotency: idempotency("once") }));
    const record = ["idempotency", "idempotency_by_age"];
    assert.deepEqual(written, ["credit_grant", "debit_journal", ...record]);
  });

  test("a debit is three statements, and two more if its balance falls to another level", async (t) => {
    const { debit } = await openCounted(t);
    const statements = async (credits = 1) => (await debit({ credits })).length;
    await statements();
    assert.equal(await statements(), 3);
    await statements(28);
    assert.deepEqual([await statements(), await statements()], [5, 3]);
  });

  test("a debit reads as few rows with 5,000 open grants as with one", async (t) => {
    const { driver, fixture, account, debit, restart } = await openCounted(t);
    const rowsOf = (carried: Carried[]) => carried.reduce((sum, { rows }) => sum + rows, 0);
    driver.exec(`INSERT INTO credit_grant
        (account_no, id, kind, amount, remaining, spent, granted_at, expires_at)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      SELECT 1, 'g' || i, 'pack', 9, 9, 0, ${START}, ${START + DAY} + i FROM n;
      UPDATE account SET rest = -1, front_grant = NULL`);
    restart();
    await debit();
    const again = await debit();
    assert.ok(rowsOf(again) <= 2, `${rowsOf(again)} rows`);
    // The account, its key and the first grants.
    restart();
    const anew = await debit();
    assert.ok(rowsOf(anew) <= 6, `${rowsOf(anew)} rows`);
    assert.equal(await fixture.balance(account), 50 + 5000 * 9 - 3);
    const grants = anew.find(({ sql }) => /FROM credit_grant/.test(sql))?.sql ?? "";
    const plan = driver.prepare(`EXPLAIN QUERY PLAN ${grants}`).all();
    assert.match(String(plan[0]?.["detail"]), /USING INDEX credit_grant_to_spend/);
    assert.equal(plan.length, 1, "the index has the order");
  });
});
