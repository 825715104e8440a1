import assert from "node:assert/strict";
import { test } from "node:test";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { MIGRATIONS, migratePostgres } from "#stores/postgres/migrate.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createFixture } from "../../contract/ledger/fixture.ts";
import { COMPATIBLE } from "../other-version.ts";
import { schemaContract } from "../schema-contract.ts";
import { newDatabase, newEmptyDatabase, openNode } from "./fixture.ts";

schemaContract("PostgreSQL", async (t) => {
  const pool = openPostgresPool(await newEmptyDatabase(), { max: 2 });
  t.after(() => pool.close());
  return {
    migrations: MIGRATIONS,
    migrate: (migrations) => migratePostgres(pool, { migrations }),
    open: async () => createPostgresLedger(pool, undefined, "caller"),
    rows: async (sql) => (await pool.once<object>("read", sql)).map((row) => Object.values(row)),
    write: (sql) => pool.once("write", sql),
  };
});

test("a node of the previous release continues while newer ones migrate the data beside it", async (t) => {
  const running = await openNode(await newDatabase());
  t.after(() => running.close());
  const fixture = createFixture(running);
  const account = await fixture.account("Ada", { credits: 9 });
  const migrations = [...MIGRATIONS, COMPATIBLE];
  await Promise.all(Array.from({ length: 4 }, () => migratePostgres(running.pool, { migrations })));
  assert.equal((await fixture.debit(account)).outcome, "debited");
  const versions = await running.pool.once("read", "SELECT version FROM schema_migration");
  assert.equal(versions.length, migrations.length);
});
