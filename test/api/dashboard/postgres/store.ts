import { before } from "node:test";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import type { PostgresPool } from "#stores/postgres/pool.ts";
import type { SqlRow, SqlValue } from "#stores/sqlite/driver.ts";
import { createFaultWatch } from "../../../../src/apps/node/fault-watch.ts";
import { newDatabase, openPoolLater } from "../../../stores/postgres/fixture.ts";
import type { FixtureStore } from "../fixture-stores.ts";

before(async () => {
  // The server's start is no part of anybody's waiting for it.
  await newDatabase();
});

/** A database of PostgreSQL that nodes share. */
export function postgresStore(wrap = (pool: PostgresPool) => pool): FixtureStore {
  const pool = openPoolLater();
  const wrapped = wrap(pool);
  const rows = (sql: string, ...values: SqlValue[]) => {
    let place = 0;
    const numbered = sql.replaceAll("?", () => {
      place += 1;
      return `$${place}`;
    });
    return pool.once<SqlRow>(/^\s*DELETE/.test(sql) ? "write" : "read", numbered, values);
  };
  const { ledger } = createPostgresLedger(wrapped);
  return {
    open() {
      const { record, rethrowDatabaseErrors } = createFaultWatch();
      return { ...createPostgresDashboardStore(wrapped, record), rethrowDatabaseErrors, ledger };
    },
    rows,
    ledgerRows: rows,
    tables:
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  };
}
