import type { TestContext } from "node:test";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresImports, exportPostgres } from "#stores/postgres/imports.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { HANGS_MS } from "../../support/deadline.ts";
import { borrowDatabase } from "./fixture.ts";

/** A ledger in PostgreSQL that imports and exports lines. */
export function openStore(url: string) {
  const pool = openPostgresPool(url, { max: 4, orderMs: HANGS_MS });
  const { ledger, close } = createPostgresLedger(pool, undefined, "caller");
  return {
    ...{ pool, ledger, ...createPostgresDashboardStore(pool) },
    imports: createPostgresImports(pool),
    columns: () => pool.once<{ table: string; column: string }>("read", COLUMNS),
    async export() {
      const records: TransferRecord[] = [];
      for await (const page of exportPostgres(pool, async () => {})) records.push(...page);
      return records;
    },
    /** The number of calls in each table. */
    async places() {
      const sql =
        "SELECT tableoid::regclass::text AS place, count(*) AS calls FROM debit GROUP BY 1 ORDER BY 1";
      const rows = await pool.once<{ place: string; calls: number }>("read", sql);
      return Object.fromEntries(rows.map(({ place, calls }) => [place, calls]));
    },
    async close() {
      await close();
      await pool.close();
    },
  };
}

export async function openFresh(t: TestContext) {
  const store = openStore(await borrowDatabase(t));
  t.after(store.close);
  return store;
}

/**
 * Without the dashboard, whose users sign up again; what is counted for minutes; events and jobs, which the node that is left carries on;
 * operators' actions, which stay where they were done; the sums of kept debits, and the days of debits; the request log, which is apart
 * from the ledger. Without the columns that an import computes.
 */
const COLUMNS = `SELECT table_name AS table, column_name AS column FROM information_schema.columns
  WHERE table_schema = 'public' AND table_name <> 'schema_migration'
    AND table_name !~ '^(users?|sign_in_attempt|upgrade_notice|email|throttle|event|job|notification|operator_action|account_import|import_page|purchase|webhook|debit_|usage_kept|hold|kept_|request_)'
    AND column_name NOT IN ('spent', 'event_due_at', 'lifetime_grants', 'front_grant', 'rest', 'summed_until', 'network')`;
