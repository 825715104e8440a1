import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import { createPostgresReads } from "#stores/postgres/database.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { sqliteHolds } from "#stores/schema/holds.ts";
import { inPostgres } from "#stores/schema/in-postgres.ts";
import { postgresLedger } from "#stores/schema/postgres-ledger.ts";
import { createSqliteReads } from "#stores/sqlite/reads.ts";
import { newEmptyDatabase } from "./postgres/fixture.ts";
import { openDriver } from "./sqlite/fixture.ts";

/**
 * The audit of rows that no rule has written: two accounts with one of everything, as statements that SQLite and PostgreSQL both take.
 * What other reads return is in the ledger's contract.
 */
const START = 1_788_220_800_000;
const NOW = START + 2 * DAY_MS;
const H = HOUR_MS;

type DebitTable = "debit" | "debit_by_account" | "debit_journal";
type Audit = ReturnType<ReturnType<typeof createSqliteReads>["audit"]>;

async function checkAudit(audit: (now: number) => Audit | Promise<Audit>): Promise<void> {
  const { ok, accounts, totals, faults } = await audit(NOW);
  assert.deepEqual({ ok, accounts }, { ok: false, accounts: 2 });
  assert.deepEqual(totals, {
    ...{ granted: 78, debited: 29, reversed: 8 },
    ...{ remaining: 58, held: 0, expired: 2, voided: 1 },
  });
  // What the rows say on purpose: the free call and the plan are right, the sum and the kept balance are not.
  assert.deepEqual(faults, [
    "ada: 71 credits were granted, but 75 are accounted for",
    "ada: the account row says that the balance is 50, but its grants hold 51",
  ]);
  const later = await audit(START + 3 * DAY_MS);
  assert.equal(later.faults.length, 1, "the stored balance is valid until the front grant expires");
}

for (const newer of ["debit_journal", "debit_by_account"] as const)
  test(`the audit names what does not reconcile, in SQLite with new debits in ${newer}`, async (t) => {
    const driver = openDriver(t);
    for (const statement of rowsOfLedger(["debit_by_account", newer])) driver.exec(statement);
    await checkAudit((now) => createSqliteReads(driver).audit({ now }));
  });

test("the audit names what does not reconcile, in PostgreSQL", async (t) => {
  const pool = openPostgresPool(await newEmptyDatabase(), { max: 2 });
  t.after(() => pool.close());
  const statements = [postgresLedger, inPostgres(sqliteHolds), ...rowsOfLedger(["debit", "debit"])];
  await pool.transaction("upkeep", (query) => query(statements.join(";\n")));
  await checkAudit((now) => createPostgresReads(pool).audit({ now }));
});

const PARTS =
  '[{"id":"soon","kind":"pack","credits":3},{"id":"never","kind":"operator","credits":4}]';

/** `tables`: where the debits of a ledger go in turn, newest last. */
function rowsOfLedger(tables: readonly [DebitTable, DebitTable]): string[] {
  const [older, newer] = tables;
  const debits = (table: DebitTable, rows: string) =>
    `INSERT INTO ${table} (account_no, at, call_id, key_no, tool, credits, is_free, grant_no, parts, reversed_at) VALUES ${rows}`;
  return [
    `INSERT INTO account (id, created_at, state, free_call, low_balance, notified_level, lifetime_grants, front_grant, rest) VALUES
      ('ada', ${START}, 'open', 'used', 20, 'enough', 1, 'soon', 45), ('bob', ${START}, 'suspended', 'open', 0, 'gone', 0, 'its', 0)`,
    `INSERT INTO api_key (account_no, id, sha256, start, label, created_at) VALUES
      (1, 'key_2', 'b', 'tb_2', 'second', ${START + 1}), (1, 'key_1', 'a', 'tb_1', 'first', ${START}),
      (2, 'key_3', 'c', 'tb_3', 'other', ${START})`,
    `INSERT INTO credit_grant (account_no, id, kind, amount, remaining, spent, voided, voided_at, granted_at, expires_at) VALUES
      (1, 'never', 'operator', 50, 46, 0, 0, NULL, ${START}, NULL),
      (1, 'soon', 'pack', 9, 5, 0, 1, ${START + 7 * H}, ${START}, ${START + 3 * DAY_MS}),
      (1, 'gone', 'starter', 8, 2, 0, 0, NULL, ${START}, ${START + DAY_MS}),
      (1, 'spent', 'lifetime', 4, 0, 1, 0, NULL, ${START}, NULL),
      (2, 'its', 'pack', 7, 7, 0, 0, NULL, ${START}, NULL)`,
    `INSERT INTO usage_hour (account_no, hour, key_no, tool, calls, free_calls, credits) VALUES
      (1, ${START}, 2, 'hash', 5, 1, 4), (1, ${START}, 1, 'uuid', 3, 0, 0), (1, ${START}, 2, 'uuid', 1, 0, 1)`,
    debits(
      older,
      `(1, ${START + 2 * H}, 'c1', 2, 'hash', 5, 0, 3, NULL, NULL),
       (1, ${START + 2 * H}, 'c2', 2, 'hash', 4, 0, 4, NULL, NULL),
       (1, ${START + 2 * H}, 'c3', 0, '', 0, 0, NULL, NULL, ${START})`,
    ),
    debits(
      newer,
      `(1, ${START + 2 * H}, 'c15', 2, 'hash', 1, 0, 3, NULL, ${START + 5 * H}),
       (1, ${START + 3 * H}, 'c4', 1, 'uuid', 7, 0, 2, '${PARTS}', NULL),
       (1, ${START + 4 * H}, 'c5', 1, 'echo', 0, 0, NULL, NULL, NULL)`,
    ),
    `INSERT INTO reversal (account_no, debit_at, call_id, reversed_at, credits, debit_kept, grant_no, parts, key_no, tool) VALUES
      (1, ${START + 2 * H}, 'c15', ${START + 5 * H}, 1, 1, 3, NULL, 2, 'hash'),
      (1, ${START + H}, 'c0', ${START + 2 * H}, 7, 0, 2, '${PARTS}', 1, 'uuid')`,
    `INSERT INTO event (account_no, at, kind, data) VALUES
      (1, ${START}, 'credits.depleted', '{}'),
      (2, ${START + 1}, 'credits.low', '{"balance":3,"lowBalance":5}')`,
  ];
}
