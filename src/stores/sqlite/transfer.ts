import { readTransfer, writeTransfer } from "#ledger/transfer/lines.ts";
import {
  type RecordCounts,
  storeFault,
  TransferError,
  type TransferRecord,
  totalsFault,
} from "#ledger/transfer/records.ts";
import { completeImport, filledSql } from "../sql/complete-import.ts";
import { RECORD_ORDER, RECORD_TABLES } from "../sql/transfer-rows.ts";
import { firstCursor, type PageCursor } from "../sql/transfer-table.ts";
import { fillChecksums } from "./checked-tables.ts";
import { createSqliteReads } from "./database.ts";
import type { SqlDriver } from "./driver.ts";
import { constraintOf } from "./faults.ts";
import { pagesOf, prepareInserts, preparePages } from "./transfer-rows.ts";

/** Exporting and importing a ledger in SQLite. `ledger/transfer/lines.ts` defines the format. */

/**
 * Exports the whole ledger as of one moment, and the secret that is given. The transaction reads a snapshot, so it does not block
 * calls.
 */
export function exportSqlite(
  driver: SqlDriver,
  { secret }: { secret: string | null },
  write: (bytes: Uint8Array) => void,
): RecordCounts {
  return driver.transaction("read", () => writeTransfer(allRecords(driver, secret), write));
}

function* allRecords(driver: SqlDriver, secret: string | null): Generator<TransferRecord> {
  for (const kind of RECORD_ORDER) if (kind !== "secret") yield* pagesOf(driver, kind);
  if (secret !== null) yield { record: "secret", value: secret };
}

/**
 * Imports an export into an empty ledger, all or nothing. The totals are audited before the commit. Throws a `TransferError` that
 * names the line with the fault.
 */
export function importSqlite(
  driver: SqlDriver,
  lines: Iterable<Uint8Array>,
  now: number,
): RecordCounts {
  return driver.transaction("write", () => {
    if (!isEmptyLedger(driver)) throw new TransferError("The ledger is not empty");
    const insert = prepareInserts(driver);
    const records = readTransfer(lines);
    let step = records.next();
    for (; !step.done; step = records.next()) {
      const { line, record } = step.value;
      try {
        insert(record);
      } catch (error) {
        const fault = constraintOf(error);
        throw fault === undefined ? error : storeFault(fault, line, record);
      }
    }
    for (const { sql, values } of completeImport(now)) driver.prepare(sql).run(...values);
    fillChecksums(driver, null);
    const { ok, faults } = createSqliteReads(driver).audit({ now });
    if (!ok) throw totalsFault(faults);
    return step.value;
  });
}

export const isEmptyLedger = (driver: SqlDriver): boolean =>
  driver.prepare(filledSql.sql).get()?.["filled"] === 0;

/** Whether the account exists. If its creation did not finish, there is an address without an account. */
export const hasAccount = (driver: SqlDriver, account: string): boolean =>
  driver.prepare("SELECT 1 FROM account WHERE id = ?").get(account) !== undefined;

/** Inserts records, all or none. */
export function takeRecords(driver: SqlDriver, records: readonly TransferRecord[]): void {
  const insert = prepareInserts(driver);
  driver.transaction("write", () => {
    for (const record of records) insert(record);
  });
}

/** Deletes an account, so that it can be imported again. */
export function dropAccount(driver: SqlDriver, account: string): void {
  const tables = [
    "api_key",
    "credit_grant",
    "debit_by_account",
    "debit_journal",
    "usage_hour",
    "usage_kept",
    "reversal",
    "idempotency",
  ];
  driver.transaction("write", () => {
    for (const table of tables) {
      driver
        .prepare(`DELETE FROM ${table} WHERE account_no = (SELECT no FROM account WHERE id = ?)`)
        .run(account);
    }
    driver.prepare("DELETE FROM account WHERE id = ?").run(account);
  });
}

/** Yields the records of one account. A kind comes after the kinds that its records refer to. */
export function* recordsOfAccount(driver: SqlDriver, account: string): Generator<TransferRecord> {
  const no = driver.prepare("SELECT no FROM account WHERE id = ?").get(account)?.["no"] as number;
  yield* preparePages(driver, "account")([no - 1], 1).records;
  for (const [kind, table] of [
    ["key", "api_key"],
    ["grant", "credit_grant"],
  ] as const) {
    const rows = driver.prepare(`SELECT no FROM ${table} WHERE account_no = ? ORDER BY no`).all(no);
    const page = preparePages(driver, kind);
    for (const row of rows) yield* page([(row["no"] as number) - 1], 1).records;
  }
  // The keys of these tables start with the account, so one account's rows are adjacent.
  for (const kind of ["debit", "usage", "reversal", "idempotency"] as const)
    yield* adjacentRecords(driver, kind, account, no);
}

const ADJACENT_PAGE_ROWS = 500;

function* adjacentRecords(
  driver: SqlDriver,
  kind: "debit" | "usage" | "reversal" | "idempotency",
  account: string,
  accountNo: number,
): Generator<TransferRecord> {
  const page = preparePages(driver, kind);
  const [, ...before] = firstCursor(RECORD_TABLES[kind]);
  for (let cursor: PageCursor = [accountNo, ...before]; cursor !== null; ) {
    const {
      records,
      after,
    }: { records: (TransferRecord & { account: string })[]; after: PageCursor } = page(
      cursor,
      ADJACENT_PAGE_ROWS,
    );
    const own = records.filter((record) => record.account === account);
    yield* own;
    cursor = own.length < records.length ? null : after;
  }
}
