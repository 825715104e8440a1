import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SqlDriver } from "#stores/sqlite/driver.ts";
import { createSqliteNoticePen } from "#stores/sqlite/notices.ts";
import { createSqliteWallets } from "#stores/sqlite/wallet.ts";
import { openEmpty } from "./transfer-scene.ts";

/** Every statement that is prepared, and what SQLite means to do for it. */
function plansOf(driver: SqlDriver, prepareAll: (driver: SqlDriver) => unknown) {
  const statements: string[] = [];
  prepareAll({
    ...driver,
    prepare(sql) {
      statements.push(sql);
      return driver.prepare(sql);
    },
  });
  return statements.map((sql) => ({
    sql,
    plan: driver
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  }));
}

/** What a debit does by which the balance comes to no other level: the statements for those that do are left out. */
const calmWallets = (driver: SqlDriver) => (counted: SqlDriver) =>
  createSqliteWallets(counted, createSqliteNoticePen(driver));

describe("the cost of a debit in SQLite", () => {
  test("a debit writes what it wrote before there were entries and notices", (t) => {
    const driver = openEmpty(t);
    const names = new Map(
      driver
        .prepare("SELECT rootpage, name FROM sqlite_schema")
        .all()
        .map(({ rootpage, name }) => [rootpage, String(name)]),
    );
    const written = plansOf(driver, calmWallets(driver)).flatMap(({ sql }) =>
      driver
        .prepare(`EXPLAIN ${sql}`)
        .all()
        .filter(({ opcode }) => opcode === "OpenWrite")
        .map(({ p2 }) => names.get(p2 ?? 0)),
    );
    assert.deepEqual([...new Set(written)].sort(), [
      "account",
      "api_key",
      "credit_grant",
      "credit_grant_open",
      "debit",
      "idempotency",
      "idempotency_by_age",
      "idempotency_by_call",
    ]);
  });

  test("a debit reads the open grants only", (t) => {
    const driver = openEmpty(t);
    const plans = plansOf(driver, calmWallets(driver));
    const open = plans.find(({ sql }) => /remaining > 0/.test(sql));
    assert.match(String(open?.plan), /SEARCH credit_grant USING INDEX credit_grant_open/);
  });
});
