import {
  booksFault,
  type RecordCounts,
  type RecordKind,
  readTransfer,
  storeFault,
  TransferFault,
  type TransferRecord,
  writeTransfer,
} from "#ledger/transfer/records.ts";
import { createSqliteAudit } from "./audit.ts";
import type { SqlDriver } from "./driver.ts";
import {
  completeImport,
  type PageCursor,
  pagesOf,
  prepareInserts,
  preparePages,
  RECORD_ORDER,
} from "./transfer-rows.ts";

/** A ledger in SQLite to lines of JSON and back. What the lines say is in `credits/transfer.ts`. */

/** Writes all there is, as of one moment: the transaction reads a snapshot, and calls go on beside it. */
export function exportSqlite(
  driver: SqlDriver,
  options: { withSecret: boolean },
  write: (bytes: Uint8Array) => void,
): RecordCounts {
  const kinds = RECORD_ORDER.filter((kind) => kind !== "secret" || options.withSecret);
  return driver.transaction("read", () => writeTransfer(allRecords(driver, kinds), write));
}

function* allRecords(driver: SqlDriver, kinds: readonly RecordKind[]): Generator<TransferRecord> {
  for (const kind of kinds) yield* pagesOf(driver, kind);
}

/**
 * Takes the lines into an empty ledger, all or nothing: what they say is audited before it is committed.
 * Throws a `TransferFault` with the line where something is wrong.
 */
export function importSqlite(
  driver: SqlDriver,
  lines: Iterable<Uint8Array>,
  now: number,
): RecordCounts {
  return driver.transaction("write", () => {
    if (!isEmptyLedger(driver)) throw new TransferFault("The ledger is not empty");
    const insert = prepareInserts(driver);
    const records = readTransfer(lines);
    let step = records.next();
    for (; !step.done; step = records.next()) {
      const { line, record } = step.value;
      try {
        insert(record);
      } catch (error) {
        throw explain(error, line, record);
      }
    }
    completeImport(driver, now);
    const { ok, faults } = createSqliteAudit(driver).audit({ now });
    if (!ok) throw booksFault(faults);
    return step.value;
  });
}

export function isEmptyLedger(driver: SqlDriver): boolean {
  const row = driver
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM account) OR EXISTS (SELECT 1 FROM address)
         OR EXISTS (SELECT 1 FROM closed_address) OR EXISTS (SELECT 1 FROM purchase) AS filled`,
    )
    .get();
  return row?.["filled"] === 0;
}

/** Where the making of an account broke off there is an address, and no account. */
export const hasAccount = (driver: SqlDriver, account: string): boolean =>
  driver.prepare("SELECT 1 FROM account WHERE id = ?").get(account) !== undefined;

/** Takes in records that are to be written as lines; all or none, and none again where they are there. */
export function takeRecords(driver: SqlDriver, records: readonly TransferRecord[]): void {
  const insert = prepareInserts(driver);
  driver.transaction("write", () => {
    for (const record of records) insert(record);
  });
}

/** What is there of one account goes: it is to be taken in anew. */
export function dropAccount(driver: SqlDriver, account: string): void {
  const tables = ["api_key", "credit_grant", "debit", "usage_hour", "reversal", "idempotency"];
  driver.transaction("write", () => {
    for (const table of tables) {
      driver
        .prepare(`DELETE FROM ${table} WHERE account_no = (SELECT no FROM account WHERE id = ?)`)
        .run(account);
    }
    driver.prepare("DELETE FROM account WHERE id = ?").run(account);
  });
}

/** What belongs to one account, each kind after those whose records it names, read page by page. */
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
  // These lie in the order of the accounts, so one account's are one stretch.
  yield* stretch(driver, "debit", account, [no, -1, ""]);
  yield* stretch(driver, "usage", account, [no, -1, 0, ""]);
  yield* stretch(driver, "reversal", account, [no, -1, ""]);
  yield* stretch(driver, "idempotency", account, [no, "", ""]);
}

const STRETCH_ROWS = 500;

function* stretch(
  driver: SqlDriver,
  kind: "debit" | "usage" | "reversal" | "idempotency",
  account: string,
  start: PageCursor,
): Generator<TransferRecord> {
  const page = preparePages(driver, kind);
  for (let cursor = start; cursor !== null; ) {
    const {
      records,
      after,
    }: { records: (TransferRecord & { account: string })[]; after: PageCursor } = page(
      cursor,
      STRETCH_ROWS,
    );
    const own = records.filter((record) => record.account === account);
    yield* own;
    cursor = own.length < records.length ? null : after;
  }
}

/** Extended result codes of SQLite's constraints (sqlite.org/rescode.html), said of the line that met one. */
function explain(error: unknown, line: number, { record }: TransferRecord): unknown {
  switch ((error as { errcode?: number }).errcode) {
    case 1555: // SQLITE_CONSTRAINT_PRIMARYKEY
    case 2067: // SQLITE_CONSTRAINT_UNIQUE
      return storeFault("again", line, record);
    case 1299: // SQLITE_CONSTRAINT_NOTNULL
      return storeFault("unknown", line, record);
    case 275: // SQLITE_CONSTRAINT_CHECK
      return storeFault("contradiction", line, record);
  }
  return error;
}
