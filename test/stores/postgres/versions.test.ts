import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { MIGRATIONS, migratePostgres } from "#stores/postgres/migrate.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { type Migration, SchemaMismatch, SchemaTooNew } from "#stores/schema/migrations.ts";
import { assertTotals, createFixture, START } from "../../contract/ledger/fixture.ts";
import { CHANGED, COMPATIBLE, INCOMPATIBLE, sha256Of, TOO_NEW } from "../other-version.ts";
import { newEmptyDatabase, openNode } from "./fixture.ts";

/** Upgrading and rolling back one release on PostgreSQL. */
async function open(t: TestContext) {
  const url = await newEmptyDatabase();
  const pool = openPostgresPool(url, { max: 2 });
  t.after(() => pool.close());
  return {
    url,
    pool,
    migrate: (migrations: readonly Migration[]) => migratePostgres(pool, { migrations }),
    applied: () =>
      pool.once<Record<string, unknown>>(
        "read",
        `SELECT version, name, sha256, readable_from, applied_at FROM schema_migration ORDER BY version`,
      ),
  };
}

test("migrations are recorded with their checksum and the oldest code that may use the data", async (t) => {
  const { migrate, applied } = await open(t);
  const before = Date.now();
  await migrate(MIGRATIONS);
  const newer = [...MIGRATIONS, INCOMPATIBLE];
  await Promise.all(Array.from({ length: 4 }, () => migrate(newer)));
  const rows = await applied();
  assert.deepEqual(
    rows.map(({ applied_at: _, ...row }) => row),
    newer.map((each, index) => ({
      version: index + 1,
      name: each.name,
      sha256: sha256Of(each),
      readable_from: each.readableFrom,
    })),
  );
  for (const { applied_at: at } of rows)
    assert.ok(Number(at) >= before && Number(at) <= Date.now());
});

test("a node of the previous release continues beside newer ones and can restart, if the migration allows it", async (t) => {
  const { url, migrate, applied } = await open(t);
  const running = await openNode(url);
  t.after(() => running.close());
  const fixture = createFixture(running);
  const account = await fixture.account("Ada", { credits: 9 });
  await migrate([...MIGRATIONS, COMPATIBLE]);
  assert.equal((await fixture.debit(account)).outcome, "debited");

  const restarted = await openNode(url);
  t.after(() => restarted.close());
  const again = createFixture(restarted);
  assert.equal((await again.debit(account, { callId: "call_again" })).outcome, "debited");
  assert.equal(await again.balance(account), 7);
  await assertTotals(again.ledger, START);
  await migrate([...MIGRATIONS, COMPATIBLE]);
  assert.equal((await applied()).length, 2);
});

test("data that older code may not use is rejected with a message, and nothing is lost", async (t) => {
  const { url, migrate, applied, pool } = await open(t);
  const node = await openNode(url);
  const fixture = createFixture(node);
  const account = await fixture.account("Ada", { credits: 9 });
  await fixture.debit(account);
  await node.close();
  await migrate([...MIGRATIONS, INCOMPATIBLE]);
  const before = await applied();
  await assert.rejects(
    openNode(url),
    (error) => error instanceof SchemaTooNew && TOO_NEW.test(error.message),
  );
  assert.deepEqual(await applied(), before);
  await migrate([...MIGRATIONS, INCOMPATIBLE]);
  const [debit] = await pool.once("read", "SELECT count(*), sum(credits) AS sum FROM credit_grant");
  assert.deepEqual(debit, { count: 1, sum: "9" });
});

test("a migration that differs from the one that ran is rejected by name, and so are tables without a record", async (t) => {
  const { migrate, pool, url } = await open(t);
  await migrate(MIGRATIONS);
  const [initial, ...more] = MIGRATIONS as [Migration, ...Migration[]];
  await assert.rejects(
    migrate([{ ...initial, sql: `${initial.sql}-- edited` }, ...more]),
    (error) => error instanceof SchemaMismatch && CHANGED.test(error.message),
  );
  await (await openNode(url)).close();
  await pool.once("write", "DROP TABLE schema_migration");
  await assert.rejects(migrate(MIGRATIONS), /no record of migrations: a development version/);
  assert.deepEqual(
    await pool.once("read", "SELECT to_regclass('schema_migration') IS NULL AS gone"),
    [{ gone: true }],
  );
});

test("a migration that fails leaves the data and the record as they were", async (t) => {
  const { migrate, applied, pool } = await open(t);
  await migrate(MIGRATIONS);
  const failing = { ...COMPATIBLE, sql: `${COMPATIBLE.sql}; INSERT INTO no_such_table VALUES (1)` };
  await assert.rejects(migrate([...MIGRATIONS, failing]), /no_such_table/);
  assert.equal((await applied()).length, 1);
  const columns = await pool.once(
    "read",
    "SELECT 1 FROM information_schema.columns WHERE table_name = 'account' AND column_name = 'note'",
  );
  assert.deepEqual(columns, []);
});
