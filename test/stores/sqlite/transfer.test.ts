import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { storeSecret } from "#stores/sqlite/settings.ts";
import { exportSqlite, importSqlite, isEmptyLedger } from "#stores/sqlite/transfer.ts";
import { type Goal, holdExports, holdImports } from "../transfer-contract.ts";
import { bytesOf, fill, linesOf, NOW } from "../transfer-fixture.ts";
import { LEDGER_TABLES } from "./damage-fixture.ts";
import { openDriver, temporaryFile } from "./fixture.ts";

async function openGoal(t: TestContext): Promise<Goal> {
  const driver = openDriver(t);
  return {
    ...openSqliteDirect(driver),
    purchases: createPurchaseStore(createSqliteDatabase(driver)),
    keepSecret: (secret) => storeSecret(driver, secret),
    isEmpty: async () => isEmptyLedger(driver),
    take: async (lines) => importSqlite(driver, bytesOf(lines), NOW),
    lines: async (withSecret) => linesOf(driver, withSecret),
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
  /^(?:users|user_\w+|email_requested|job(?:_turn)?|operator_action|webhook_\w+|notification_choice|event(?:_\w+)?|account_import|import_page|schema_\w+|sqlite_sequence|usage_kept)$/;

/** An import computes these from the other records and the current time. */
const DERIVED = new Set([
  ...["account.lifetime_grants", "account.front_grant", "account.rest", "account.summed_until"],
  ...["credit_grant.spent", "credit_grant.event_due_at"],
  // Every row of SQLite has one, and the import writes its own.
  ...[...LEDGER_TABLES.map((table) => `${table}.checksum`), "api_key.use_checksum"],
  // Budgets count it for two days.
  "starter_claim.network",
]);

holdImports("SQLite", openGoal);
holdExports("SQLite", openGoal);

test("an export of SQLite shows one moment, whatever is written concurrently, and blocks no writer", async (t) => {
  const file = temporaryFile(t);
  const [reader, writer] = [openDriver(t, file), openDriver(t, file)];
  await fill(reader);
  const before = linesOf(reader);
  const accounts = writer.prepare(
    "INSERT INTO account (id, created_at, free_call) VALUES (?, 1, 'open')",
  );
  const chunks: Uint8Array[] = [];
  exportSqlite(reader, { secret: null }, (bytes) => {
    // The snapshot starts with the first record, after the header.
    if (chunks.length > 0) accounts.run(`acc_${chunks.length}`);
    chunks.push(bytes);
  });
  assert.deepEqual(Buffer.concat(chunks).toString().trimEnd().split("\n"), before);
});
