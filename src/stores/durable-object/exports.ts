import { OrderRejected } from "#ledger/port.ts";
import { type MoveOperations, requireAccountRecord } from "#ledger/transfer/account-moves.ts";
import { RECORD_TABLES } from "../sql/transfer-rows.ts";
import { firstCursor, isCursorOf, readPage, selectPage } from "../sql/transfer-table.ts";
import type { SqlDriver } from "../sqlite/driver.ts";
import type { Writes } from "./writes.ts";

/** Reading an account's records while calls go on. Importing is the same as into a node's file (`sqlite/imports.ts`). */

/** A page is sent from the object to a Worker in one message. */
const PAGE_RECORDS_MAX = 5_000;

export function exportRecords(
  driver: SqlDriver,
  writes: Writes,
  { kind, after, max, hold }: MoveOperations["exportRecords"][0],
): MoveOperations["exportRecords"][1] {
  requireAccountRecord(kind);
  if (!(Number.isInteger(max) && max > 0 && max <= PAGE_RECORDS_MAX)) {
    throw new OrderRejected(`The page size must be from 1 to ${PAGE_RECORDS_MAX} records`);
  }
  const rows = RECORD_TABLES[kind];
  if (!isCursorOf(rows, after))
    throw new OrderRejected(`The cursor does not fit records of kind "${kind}"`);
  if (hold) writes.hold();
  const found = driver
    .prepare(selectPage(rows, "sqlite"))
    .all(...(after ?? firstCursor(rows)), max);
  return { ...readPage(kind, rows, found, max), state: writes.state() };
}
