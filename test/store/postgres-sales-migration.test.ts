import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { postgres0001Ledger } from "#stores/schema/postgres-0001-ledger.ts";
import { postgres0002Debit } from "#stores/schema/postgres-0002-debit.ts";
import { postgres0003People } from "#stores/schema/postgres-0003-people.ts";
import { postgres0004Throttle } from "#stores/schema/postgres-0004-throttle.ts";
import { accountId, createScene, DAY, keyId, keySha256, START } from "../contract/ledger/scene.ts";
import { newDatabase, newEmptyDatabase, openNode } from "./postgres-scene.ts";

/** A database from before credits were sold, with accounts and grants in it. */
const BEFORE = [postgres0001Ledger, postgres0002Debit, postgres0003People, postgres0004Throttle];

async function openOlder(t: TestContext) {
  const url = await newEmptyDatabase();
  const pool = openPostgresPool(url, { max: 1 });
  t.after(() => pool.close());
  await pool.transaction("upkeep", async (query) => {
    for (const sql of BEFORE) await query(sql);
    await query("CREATE TABLE schema_version (version integer NOT NULL)");
    await query("INSERT INTO schema_version (version) VALUES ($1)", [BEFORE.length]);
  });
  return { url, pool };
}

/** Account, state, and of each of its grants: remaining, and in how many days it ends. */
const ACCOUNTS: [
  name: string,
  state: string,
  grants: [remaining: number, days: number | null][],
][] = [
  ["Ended", "open", [[50, -1]]],
  ["Month", "open", [[50, 60]]],
  ["Weeks", "open", [[50, 20]]],
  ["Days", "suspended", [[50, 3]]],
  ["Low", "open", [[3, null]]],
  [
    "Both",
    "open",
    [
      [40, -2],
      [20, null],
    ],
  ],
  ["Closed", "closed", [[0, 60]]],
  ["Nothing", "open", []],
];

async function fill({ once }: PostgresPool, now: number): Promise<void> {
  for (const [name, state, grants] of ACCOUNTS) {
    const account = accountId(name);
    await once(
      "write",
      `WITH made AS (INSERT INTO account (id, created_at, state, free_call) VALUES ($1, 1, $2, 'used') RETURNING no)
       INSERT INTO api_key (account_no, id, sha256, start, label, created_at) SELECT no, $3, $4, 'tb_', 'l', 1 FROM made`,
      [account, state, keyId(account), keySha256(account)],
    );
    for (const [i, [remaining, days]] of grants.entries())
      await once(
        "write",
        `INSERT INTO credit_grant (account_no, id, kind, amount, remaining, voided, voided_at, granted_at, expires_at)
         SELECT no, $2, 'pack', 50, $3, 50 - $3, 1, 1, $4 FROM account WHERE id = $1`,
        [account, `g${i}`, remaining, days === null ? null : now + days * DAY],
      );
  }
}

test("a database from before notices is told nothing of what is past, and all of what comes", async (t) => {
  const { url, pool } = await openOlder(t);
  const now = Date.now();
  await fill(pool, now);
  const node = await openNode(url);
  t.after(() => node.close());
  const { ledger } = node;
  const rows = await pool.once<{ name: string; level: string; looks: number[] | null }>(
    "read",
    `SELECT trim(trailing '0' FROM substr(a.id, 5)) AS name, told_level AS level,
       (SELECT array_agg(look_at::float8 ORDER BY g.no) FROM credit_grant g WHERE g.account_no = a.no AND look_at IS NOT NULL)
         AS looks
     FROM account a ORDER BY no`,
  );
  const inDays = (days: number) => [now + days * DAY];
  assert.deepEqual(
    rows.map(({ name, level, looks }) => [name, level, looks]),
    [
      ["Ended", "gone", null],
      ["Month", "enough", inDays(30)],
      ["Weeks", "enough", inDays(13)],
      ["Days", "enough", inDays(3)],
      ["Low", "low", null],
      ["Both", "enough", null],
      ["Closed", "gone", null],
      ["Nothing", "gone", null],
    ],
  );
  assert.deepEqual(await ledger.recordExpiries({ now, max: 100 }), { noticed: 0, more: false });
  const scene = createScene({ ledger });
  const told = async () => {
    const { notices } = await ledger.listEvents({ max: 100 });
    await ledger.deleteEvents({ ids: notices.map(({ id }) => id) });
    return notices.map(({ account, kind }) => `${account.slice(4).replace(/0+$/, "")} ${kind}`);
  };
  for (let calls = 0; calls < 3; calls += 1) await scene.debit(accountId("Low"), { now });
  await scene.debit(accountId("Both"), { now });
  assert.deepEqual(await told(), ["Low credits.depleted", "Both credits.low"]);
  for (const days of [3, 13, 30]) await ledger.recordExpiries({ now: now + days * DAY, max: 100 });
  assert.deepEqual(await told(), [
    "Days credits.depleted",
    "Weeks credits.expiring",
    "Weeks credits.depleted",
    "Month credits.expiring",
  ]);
});

test("a migrated database and a new one have the same tables, indexes and functions", async (t) => {
  const older = await openOlder(t);
  await migratePostgres(older.pool);
  const fresh = openPostgresPool(await newDatabase(), { max: 1 });
  t.after(() => fresh.close());
  for (const sql of CATALOGS) {
    const [one, other] = [await older.pool.once("read", sql), await fresh.once("read", sql)];
    assert.ok(one.length > 5);
    assert.deepEqual(one, other);
  }
});

const CATALOGS = [
  `SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name
   FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
  "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexdef",
  `SELECT conrelid::regclass::text AS table, pg_get_constraintdef(oid) AS rule FROM pg_constraint
   WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
  `SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
];

test("a debit touches no index of the grants, also where their ends are to be told of", async (t) => {
  const pool = openPostgresPool(await newDatabase(), { max: 1 });
  const { ledger, close } = createPostgresLedger(pool);
  t.after(() => close().then(() => pool.close()));
  const scene = createScene({ ledger });
  const account = await scene.account("Ada");
  await scene.grant(account, "pack", 50, { expiresAt: START + 60 * DAY });
  const updates = async () => {
    await pool.once("write", "SELECT pg_stat_force_next_flush()");
    const sql = `SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = 'credit_grant'`;
    return (await pool.once<{ all: number; hot: number }>("read", sql))[0];
  };
  assert.deepEqual(await updates(), { all: 0, hot: 0 });
  // As many as fit into half a page, so that nothing has to be tidied up in between.
  for (let calls = 0; calls < 20; calls += 1) await scene.debit(account);
  assert.deepEqual(await updates(), { all: 20, hot: 20 });
});
