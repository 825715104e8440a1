import type { RecordKind, RecordOf } from "#ledger/transfer/records.ts";
import { RECORD_TABLES } from "../sql/transfer-rows.ts";
import {
  firstCursor,
  type PageCursor,
  type RecordPage,
  readPage,
  selectPage,
} from "../sql/transfer-table.ts";
import type { SqlDriver } from "./driver.ts";

/** Reading the records of an export (`ledger/transfer/records.ts`) from rows of SQLite. */

/** A page of debits reads the whole journal, so pages are long. */
const PAGE_ROWS = 5_000;

/** Prepares reading records of one kind in pages, in the order in which they were made. */
export function preparePages<Kind extends RecordKind>(driver: SqlDriver, kind: Kind) {
  const rows = RECORD_TABLES[kind];
  const page = driver.prepare(selectPage(rows, "sqlite"));
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
