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

/** Records as rows of SQLite: pages of them are read, and each is written by itself. */

/** A page goes through the journal of debits, so pages are long. */
const PAGE_ROWS = 5_000;

/** Reads pages of one kind's records, in the order in which they were made. */
export function preparePages<Kind extends RecordKind>(driver: SqlDriver, kind: Kind) {
  const rows = RECORD_TABLES[kind];
  const page = driver.prepare(selectPage(rows));
  return (cursor: PageCursor, max: number): RecordPage<Kind> =>
    readPage(kind, rows, page.all(...(cursor ?? firstCursor(rows)), max), max);
}

/** The records of one kind, page by page, so that memory stays flat. */
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

/** `again`: what to do with a record whose like is there already. */
export function prepareInserts(
  driver: SqlDriver,
  again: "refuse" | "leave" = "refuse",
): (record: TransferRecord) => void {
  // Prepared when one comes: the ledger of one account has not the tables of all kinds.
  const inserts = new Map<RecordKind, SqlStatement>();
  return (record) => {
    const { record: kind } = record;
    const rows = RECORD_TABLES[kind];
    const insert = inserts.get(kind) ?? driver.prepare(insertSql(kind, again));
    inserts.set(kind, insert);
    insert.run(...valuesOf(rows, record));
  };
}

function insertSql(kind: RecordKind, again: "refuse" | "leave"): string {
  const rows = RECORD_TABLES[kind];
  const members = Object.keys(rows.members).map((member) => `? AS "${member}"`);
  const onConflict = rows.onConflict ?? (again === "leave" ? "ON CONFLICT DO NOTHING" : "");
  // Without a WHERE the parser would take ON for that of a join.
  return `${insertFrom(rows, "sqlite", `(SELECT ${members.join(", ")}) r`)} WHERE true ${onConflict}`;
}

/** What a record met that SQLite did not take, by the words of its constraint; undefined where it is another error. */
export function constraintOf(error: unknown): "again" | "unknown" | "contradiction" | undefined {
  const message = error instanceof Error ? error.message : String(error);
  if (/NOT NULL constraint failed/.test(message)) return "unknown";
  if (/UNIQUE constraint failed/.test(message)) return "again";
  // Values of a type that no column takes are told by the driver.
  const isOther = /constraint failed|cannot store/.test(message) || error instanceof TypeError;
  return isOther ? "contradiction" : undefined;
}
