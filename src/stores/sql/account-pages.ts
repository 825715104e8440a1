import { OrderRejected } from "#ledger/port.ts";
import { type MoveOperations, requireAccountRecord } from "#ledger/transfer/account-moves.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import type { SqlQuery } from "./sql-database.ts";
import { RECORD_TABLES } from "./transfer-rows.ts";
import {
  firstCursor,
  isCursorOf,
  type PageCursor,
  type RecordTable,
  readPage,
  selectPage,
} from "./transfer-table.ts";

const PAGE_RECORDS_MAX = 5_000;

/** Reads a page of one account's records from a database that holds other accounts as well: the query, and how to read its rows. */
export function accountPage({
  account,
  kind,
  after,
  max,
}: Pick<MoveOperations["exportRecords"][0], "account" | "kind" | "after" | "max">): {
  query: SqlQuery;
  read(rows: SqlRow[]): { records: TransferRecord[]; after: PageCursor };
} {
  requireAccountRecord(kind);
  if (!(Number.isInteger(max) && max > 0 && max <= PAGE_RECORDS_MAX))
    throw new OrderRejected(`The page size must be from 1 to ${PAGE_RECORDS_MAX} records`);
  const rows = ofOneAccount(RECORD_TABLES[kind]);
  if (!isCursorOf(rows, after))
    throw new OrderRejected(`The cursor does not fit records of kind "${kind}"`);
  return {
    query: { sql: selectPage(rows), values: [...(after ?? firstCursor(rows)), account, max] },
    read: (found) => readPage(kind, rows, found, max),
  };
}

/** Restricts a table to one account, and removes the account from the key, so that a page is a range of an index. */
function ofOneAccount(rows: RecordTable): RecordTable {
  const { key, table, where = "1 = 1" } = rows;
  const owner =
    table === "account" ? "t.id = ?" : "t.account_no = (SELECT no FROM account WHERE id = ?)";
  return {
    ...rows,
    key: key.filter(({ column }) => column !== "account_no"),
    where: `${where} AND ${owner}`,
  };
}
