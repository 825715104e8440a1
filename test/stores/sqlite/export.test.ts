import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { exportSqlite, importSqlite } from "#stores/sqlite/transfer.ts";
import { assertTotals } from "../../contract/ledger/fixture.ts";
import {
  assertSame,
  bytesOf,
  fill,
  goOn,
  HASH,
  linesOf,
  NOW,
  openEmpty,
} from "../transfer-fixture.ts";
import { LEDGER_TABLES } from "./damage-fixture.ts";

describe("an export of SQLite", () => {
  test("an imported ledger is equal, and exports the same lines", async (t) => {
    const [from, to] = [openEmpty(t), openEmpty(t)];
    await fill(from);
    const lines = linesOf(from, true);
    const counts = importSqlite(to, bytesOf(lines), NOW);
    assert.deepEqual(linesOf(to, true), lines);
    for (const kind of [
      "account",
      "key",
      "grant",
      "purchase",
      "debit",
      "usage",
      "reversal",
      "idempotency",
    ] as const) {
      assert.ok((counts[kind] ?? 0) > 1, `there are records of the kind ${kind}`);
    }
    const imported = openSqliteDirect(to);
    await assertSame(imported, openSqliteDirect(from));
    await assertTotals(imported.ledger, NOW);
  });

  test("an imported ledger behaves like the original: spending, replaying, reversing, rolling up", async (t) => {
    const [from, to] = [openEmpty(t), openEmpty(t)];
    await fill(from);
    importSqlite(to, bytesOf(linesOf(from)), NOW);
    const went = await goOn(openSqliteDirect(to));
    assert.deepEqual(went, await goOn(openSqliteDirect(from)));
    assert.deepEqual(
      went.slice(0, 5).map((outcome) => (outcome as { outcome: string }).outcome),
      ["replayed", "debited", "invalid_key", "account_suspended", "invalid_key"],
    );
  });

  test("contains the secret only if requested", async (t) => {
    const from = openEmpty(t);
    await fill(from);
    assert.equal(
      linesOf(from).some((line) => line.includes("secret")),
      false,
    );
    assert.ok(
      linesOf(from, true).includes('{"record":"secret","value":"the secret of this service"}'),
    );
  });

  test("has every table and every column of the schema", async (t) => {
    const from = openEmpty(t);
    await fill(from);
    const members = new Map<string, Set<string>>();
    for (const { record, ...rest } of linesOf(from, true).map((line) => JSON.parse(line))) {
      members.set(record, new Set(Object.keys(rest)));
    }
    const recordOf: Record<string, string> = {
      api_key: "key",
      credit_grant: "grant",
      usage_hour: "usage",
      closed_address: "closedAddress",
      starter_claim: "starterClaim",
      setting: "secret",
      debit_by_account: "debit",
      debit_journal: "debit",
    };
    /** Columns whose member has a different name; `no` is the row number, which differs between stores. */
    const memberOf: Record<string, string> = {
      account_no: "account",
      key_no: "key",
      grant_no: "grant",
      grant_id: "grant",
    };
    const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
    const tables = from.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    // Not exported: users, who sign up again with their address and get their account (docs/backup.md); pending jobs
    // and events; the records of operators' actions and imports; and the sums of debits, which are exported themselves.
    const isOfDashboard =
      /^(?:users|user_\w+|email_requested|job(?:_turn)?|operator_action|webhook_\w+|notification_choice|event(?:_\w+)?|account_import|import_page|schema_\w+|sqlite_sequence|usage_kept)$/;
    // An import computes these from the other records and the current time.
    const isWorkedOut = new Set([
      ...["account.lifetime_grants", "account.front_grant", "account.rest"],
      "account.summed_until",
      ...["credit_grant.spent", "credit_grant.event_due_at"],
      // Every row of SQLite has one, and the import writes its own.
      ...LEDGER_TABLES.map((table) => `${table}.checksum`),
      "api_key.use_checksum",
      // Budgets count it for two days.
      "starter_claim.network",
    ]);
    for (const { name } of tables) {
      const table = String(name);
      if (isOfDashboard.test(table)) continue;
      const written = members.get(recordOf[table] ?? table);
      assert.ok(written, `the table ${table} is exported`);
      for (const column of from.prepare(`PRAGMA table_info(${table})`).all()) {
        const text = String(column["name"]);
        if (text === "no" || table === "setting" || isWorkedOut.has(`${table}.${text}`)) continue;
        assert.ok(written.has(memberOf[text] ?? camel(text)), `${table}.${text} is exported`);
      }
    }
  });

  test("shows one moment, whatever is written concurrently, and blocks no writer", async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-transfer-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, "toolbooth.sqlite");
    const [reader, writer] = [openEmpty(t, file), openEmpty(t, file)];
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

  test("with many pages contains every record once, in whichever table debits are", (t) => {
    const from = openEmpty(t);
    from.exec(`
      INSERT INTO account (id, created_at, free_call) VALUES ('acc_One000000000', 1, 'withheld'), ('acc_Two000000000', 1, 'withheld');
      INSERT INTO api_key (account_no, id, sha256, start, label, created_at)
        VALUES (1, 'key_One0000000000000000001', '${HASH}', 'tb_', 'l', 1);
      INSERT INTO credit_grant (account_no, id, kind, amount, remaining, spent, granted_at)
        VALUES (1, 'g', 'pack', 8000, 0, 1, 1), (2, 'g', 'pack', 4000, 0, 1, 1);
    `);
    for (const [table, rest] of [
      ["debit_by_account", 0],
      ["debit_journal", 1],
    ])
      from.exec(`
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
        INSERT INTO ${table} (account_no, at, call_id, key_no, tool, credits, is_free, grant_no)
        SELECT 1 + (i > 8000), i / 3, 'call_' || i, 1, 'hash', 1, 0, 1 + (i > 8000) FROM n WHERE i % 2 = ${rest}`);
    const lines = linesOf(from);
    assert.equal(new Set(lines).size, lines.length);
    const to = openEmpty(t);
    assert.equal(importSqlite(to, bytesOf(lines), NOW).debit, 12_000);
    assert.deepEqual(linesOf(to), lines);
  });
});
