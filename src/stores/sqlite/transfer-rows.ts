import type { RecordKind, RecordOf, TransferRecord } from "#ledger/transfer/records.ts";
import { RECORD_TABLES } from "../sql/transfer-rows.ts";
import {
  firstCursor,
  insertFrom,
  type PageCursor,
  type RecordPage,
  readPage,
  selectPage,
  valuesOf,
} from "../sql/transfer-table.ts";
import type { SqlDriver, SqlStatement } from "./driver.ts";

/** Reading and writing the records of an export (`ledger/transfer/records.ts`) as rows of SQLite. */

/** A page of debits reads the whole journal, so pages are long. */
const PAGE_ROWS = 5_000;

/** Prepares reading records of one kind in pages, in the order in which they were made. */
export function preparePages<Kind extends RecordKind>(driver: SqlDriver, kind: Kind) {
  const rows = RECORD_TABLES[kind];
  const page = driver.prepare(selectPage(rows));
  return (cursor: PageCursor, max: number): RecordPage<Kind> =>
    readPage(kind, rows, page.all(...(cursor ?? firstCursor(rows)), max), max);
}

/** Yields all records of one kind. It reads them in pages, so that memory use stays constant. */
export function* pagesOf<Kind extends RecordKind>(
  driver: SqlDriver,
  kind: Kind,
): Generator<RecordOf<Kind>> {
  const pageAt = preparePages(driver, kind);
  for (let cursor: PageCursor = null; ; ) {
    const { records, after }: RecordPage<Kind> = pageAt(cursor, PAGE_ROWS);
    yield* records;
    if (after === null) return;
    cursor = after;
  }
}

/** Yields the first characters of each active key. They tell with which secret the key was made. */
export function* activeKeyStarts(driver: SqlDriver): Generator<string> {
  for (const { start, revokedAt } of pagesOf(driver, "key")) if (revokedAt === null) yield start;
}

/** Prepares inserting records. `again`: whether a record that already exists is rejected or ignored. */
export function prepareInserts(
  driver: SqlDriver,
  again: "reject" | "ignore" = "reject",
): (record: TransferRecord) => void {
  // Prepared at the first use, because the database of a single account lacks the tables of some kinds.
  const inserts = new Map<RecordKind, SqlStatement>();
  return (record) => {
    const { record: kind } = record;
    const rows = RECORD_TABLES[kind];
    const insert = inserts.get(kind) ?? driver.prepare(insertRecordSql(kind, again));
    inserts.set(kind, insert);
    insert.run(...valuesOf(rows, record));
  };
}

function insertRecordSql(kind: RecordKind, again: "reject" | "ignore"): string {
  const rows = RECORD_TABLES[kind];
  const members = Object.keys(rows.members).map((member) => `? AS "${member}"`);
  const onConflict = rows.onConflict ?? (again === "ignore" ? "ON CONFLICT DO NOTHING" : "");
  // Without the WHERE, the parser takes ON CONFLICT for the ON of a join.
  return `${insertFrom(rows, "sqlite", `(SELECT ${members.join(", ")}) r`)} WHERE true ${onConflict}`;
}
