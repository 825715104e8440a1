import { ACCOUNT_RECORDS, type RecordCursor } from "#ledger/transfer/account-moves.ts";
import type { RecordKind, TransferRecord } from "#ledger/transfer/records.ts";
import { accountsOfLedger } from "./directory.ts";
import { lastRows, type SqlDatabase, type SqlDialect, type SqlQuery } from "./sql-database.ts";
import { RECORD_TABLES } from "./transfer-rows.ts";
import {
  firstCursor,
  type PageCursor,
  type RecordTable,
  readPage,
  selectPage,
} from "./transfer-table.ts";

/**
 * Reads the records of an export, account by account, so that an import can open each account when its last line has arrived: the
 * account, its keys and grants, then its calls. Records that belong to no ledger come last.
 */

const PAGE_RECORDS = 1_000;
const ACCOUNTS_A_PAGE = 100;
type Pages = AsyncGenerator<readonly TransferRecord[]>;

/** Yields all records of a database that holds all accounts. `db` shows one moment. */
export async function* exportLedger(
  db: SqlDatabase,
  dialect: SqlDialect,
  pause: () => Promise<void>,
): Pages {
  const index = accountsOfLedger(db);
  for (let after: { account: string; createdAt: number } | null = null; ; ) {
    const accounts = await index.list({ after, max: ACCOUNTS_A_PAGE });
    for (const { account } of accounts) {
      for (const kind of ACCOUNT_RECORDS)
        yield* recordsOf(db, dialect, kind, ofOneAccount(kind, account));
      await pause();
    }
    if (accounts.length < ACCOUNTS_A_PAGE) break;
    after = accounts.at(-1) ?? null;
  }
  yield* exportOthers(db, dialect);
}

/** Yields the records that belong to no ledger. */
export async function* exportOthers(db: SqlDatabase, dialect: SqlDialect): Pages {
  for (const kind of ["address", "closedAddress", "starterClaim", "purchase"] as const)
    yield* recordsOf(db, dialect, kind, { rows: RECORD_TABLES[kind], values: [] });
}

/** Yields the records of an account with a database of its own. `read` reads a page of it. */
export async function* exportAccount(
  read: (order: RecordCursor & { max: number }) => Promise<{
    records: TransferRecord[];
    after: RecordCursor["after"];
  }>,
): Pages {
  for (const kind of ACCOUNT_RECORDS) {
    for (
      let after: RecordCursor["after"] = null, isOver = false;
      !isOver;
      isOver = after === null
    ) {
      const page = await read({ kind, after, max: PAGE_RECORDS });
      yield page.records;
      after = page.after;
    }
  }
}

type Selection = { rows: RecordTable; values: readonly string[] };

async function* recordsOf(
  db: SqlDatabase,
  dialect: SqlDialect,
  kind: RecordKind,
  { rows, values }: Selection,
): Pages {
  const sql = selectPage(rows, dialect);
  for (let cursor: PageCursor = null, isOver = false; !isOver; isOver = cursor === null) {
    const query: SqlQuery = {
      sql,
      values: [...(cursor ?? firstCursor(rows)), ...values, PAGE_RECORDS],
    };
    const { records, after } = readPage(kind, rows, await lastRows(db, query), PAGE_RECORDS);
    if (records.length > 0) yield records;
    cursor = after;
  }
}

/** Restricts a table to one account, and removes the account from the key, so that a page is a range of an index. */
function ofOneAccount(kind: RecordKind, account: string): Selection {
  const rows = RECORD_TABLES[kind];
  const { key, table, where = "1 = 1" } = rows;
  const owner =
    table === "account" ? "t.id = ?" : "t.account_no = (SELECT no FROM account WHERE id = ?)";
  return {
    rows: {
      ...rows,
      key: key.filter(({ column }) => column !== "account_no"),
      where: `${where} AND ${owner}`,
    },
    values: [account],
  };
}
