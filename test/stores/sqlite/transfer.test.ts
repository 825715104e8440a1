import type { TestContext } from "node:test";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { createSqliteImports } from "#stores/sqlite/imports.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { type Goal, holdTransfers } from "../transfer-contract.ts";
import { recordsOf } from "../transfer-fixture.ts";
import { LEDGER_TABLES } from "./damage-fixture.ts";
import { openDriver } from "./fixture.ts";

async function openGoal(t: TestContext): Promise<Goal> {
  const driver = openDriver(t);
  return {
    ...openSqliteDirect(driver),
    purchases: createPurchaseStore(createSqliteDatabase(driver)),
    imports: createSqliteImports(driver),
    export: () => recordsOf(driver),
    async columns() {
      const tables = driver.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      return tables
        .map(({ name }) => String(name))
        .filter((table) => !NOT_EXPORTED.test(table))
        .flatMap((table) =>
          driver
            .prepare(`PRAGMA table_info(${table})`)
            .all()
            .map(({ name }) => ({ table, column: String(name) })),
        )
        .filter(({ table, column }) => !DERIVED.has(`${table}.${column}`));
    },
  };
}

/**
 * Users, who sign up again with their address and get their account (docs/backup.md); pending jobs and events; the records of
 * operators' actions and imports; and the sums of debits, which are exported themselves.
 */
const NOT_EXPORTED =
  /^(?:users|user_\w+|sign_in_attempt|upgrade_notice|email_requested|job(?:_turn)?|operator_action|webhook_\w+|notification_choice|event(?:_\w+)?|account_import|import_page|schema_\w+|sqlite_sequence|usage_kept|hold|kept_call|kept_bytes)$/;

/** An import computes these from the other records and the current time. */
const DERIVED = new Set([
  ...["account.lifetime_grants", "account.front_grant", "account.rest", "account.summed_until"],
  ...["credit_grant.spent", "credit_grant.event_due_at"],
  // Every row of SQLite has one, and the import writes its own.
  ...[...LEDGER_TABLES.map((table) => `${table}.checksum`), "api_key.use_checksum"],
  // Budgets count it for two days.
  "starter_claim.network",
]);

holdTransfers("SQLite", openGoal);
