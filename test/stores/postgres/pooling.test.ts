import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { after, describe, test } from "node:test";
import { Kysely, type PostgresDialect } from "kysely";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { activityLogContract } from "../../contract/activity-log.ts";
import { directoryContract } from "../../contract/directory.ts";
import { describeConcurrency } from "../../contract/ledger/concurrency.ts";
import { describeDebits } from "../../contract/ledger/debits.ts";
import { describeReversals } from "../../contract/ledger/reversals.ts";
import { openPooler } from "../../support/postgres-proxy.ts";
import { drawSample } from "../../support/sample.ts";
import { newDatabase } from "./fixture.ts";

/**
 * Runs behind a proxy that gives each transaction a different backend than the previous one. Nothing may depend on the
 * state of a connection (settings, named statements, session locks, temporary tables).
 */
const BACKENDS = 4;
let transactions = 0;

/** `hooks`: those of the test or of the file. */
async function openPooled(hooks: Pick<TestContext, "after">) {
  const url = new URL(await newDatabase());
  const target = Number(url.port);
  const database = url.pathname.slice(1);
  const pooler = await openPooler(target, { backends: BACKENDS, user: "postgres", database });
  url.port = String(pooler.port);
  const pool = openPostgresPool(url.href, { max: 8 });
  const { ledger, close } = createPostgresLedger(pool, undefined, "caller");
  hooks.after(async () => {
    transactions += pooler.transactions();
    await close();
    await pool.close();
    await pooler.close();
  });
  return { pool, pooler, ledger };
}

const TAKES_ALL = process.env["TEST_FLEET"] === "all";
const PARTS = [
  ["debits", describeDebits],
  ["reversals", describeReversals],
  ["concurrency", describeConcurrency],
] as const;
describe("the ledger, behind a proxy that pools transactions", () => {
  for (const [part, describePart] of drawSample("the ledger, pooled", PARTS, 1, TAKES_ALL))
    describe(part, () => describePart(openPooled));
});

const openStore = async () => {
  const { pool } = await openPooled({ after: (act) => void after(act as () => void) });
  return { ...createPostgresDashboardStore(pool), db: createPostgresDatabase(pool) };
};
directoryContract("behind a proxy that pools transactions", openStore);
activityLogContract("behind a proxy that pools transactions", openStore);

test("the sign-in sends one statement at a time, each to a different backend", async (t) => {
  const { pool, pooler } = await openPooled(t);
  const { dialect, transaction } = createPostgresDashboardStore(pool).signInDatabase;
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

after(() => {
  assert.ok(transactions > (TAKES_ALL ? 400 : 100), `${transactions} transactions were pooled`);
});
