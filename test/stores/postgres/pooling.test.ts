import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Kysely, type PostgresDialect } from "kysely";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { directoryContract } from "../../contract/directory.ts";
import { ledgerContract } from "../../contract/ledger.ts";
import { HANGS_MS } from "../../support/deadline.ts";
import { openPooler } from "../../support/postgres-proxy.ts";
import { emptyDatabase, newDatabase } from "./fixture.ts";

/**
 * Runs behind a proxy that gives each transaction a different backend than the previous one. Nothing may depend on the
 * state of a connection (settings, named statements, session locks, temporary tables).
 */
const BACKENDS = 4;

async function start() {
  const url = new URL(await newDatabase());
  const target = Number(url.port);
  const database = url.pathname.slice(1);
  const pooler = await openPooler(target, { backends: BACKENDS, user: "postgres", database });
  url.port = String(pooler.port);
  const pool = openPostgresPool(url.href, { max: 8, orderMs: HANGS_MS });
  const { ledger, close } = createPostgresLedger(pool, undefined, "caller");
  return {
    ...{ pool, pooler, ledger },
    async close() {
      await close();
      await pool.close();
      await pooler.close();
    },
  };
}

let pooled: ReturnType<typeof start> | undefined;
after(async () => (await pooled)?.close());

/** The same database each time, without its rows. */
async function open() {
  pooled ??= start();
  const opened = await pooled;
  await emptyDatabase(opened.pool);
  const { pool, ledger, pooler } = opened;
  const db = createPostgresDatabase(pool);
  return { pool, pooler, ledger, ...createPostgresDashboardStore(pool), db };
}

const NAME = "behind a proxy that pools transactions";
// These parts send every kind of message: batches, single orders, copied rows and reports.
ledgerContract(NAME, open, ["debits", "reversals", "concurrency"]);
directoryContract(NAME, open);

test("the sign-in sends one statement at a time, each to a different backend", async () => {
  const { pool, pooler, signInDatabase } = await open();
  const { dialect, transaction } = signInDatabase;
  assert.equal(transaction, false, "it begins no transactions");
  const db = new Kysely<{ user_token: { id: string; identifier: string } }>({
    dialect: dialect as PostgresDialect,
  });
  const before = pooler.transactions();
  const now = new Date();
  const kept = { value: "v", expiresAt: now, createdAt: now, updatedAt: now };
  for (let no = 0; no < 10; no += 1) {
    const row = { id: `t${no}`, identifier: "i", ...kept };
    await db.insertInto("user_token").values(row).execute();
  }
  const found = await db.selectFrom("user_token").select("id").execute();
  assert.equal(found.length, 10);
  assert.equal(pooler.transactions() - before, 11);
  const backends = new Set<number>();
  for (let no = 0; no < BACKENDS; no += 1) {
    const [row] = await pool.once<{ pid: number }>("read", "SELECT pg_backend_pid() AS pid");
    backends.add(row?.pid ?? 0);
  }
  assert.equal(backends.size, BACKENDS);
});
