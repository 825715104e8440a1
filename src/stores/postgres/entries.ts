import {
  checkEntriesOrder,
  ENTRY_KINDS,
  type EntriesOrder,
  type EntriesPage,
  type EntryKind,
  type EntryPlace,
  noSuchPage,
  readPlace,
} from "#ledger/entries.ts";
import { LISTS, mergePage, pageValues } from "#stores/sql/entry-lists.ts";
import type { SqlRow, SqlValue } from "#stores/sqlite/driver.ts";
import type { PostgresPool, PostgresQuery } from "./pool.ts";

/** The list of an account's entries: the statements of SQLite in the words of PostgreSQL, in one snapshot. */
export function createPostgresEntries({ transaction }: PostgresPool) {
  async function partsOf(
    query: PostgresQuery,
    { kind, parts }: EntryPlace,
    accountNo: number,
  ): Promise<SqlValue[]> {
    const [first = "", ...rest] = parts;
    if (kind === "reversal") return [Number(first), ...rest];
    if (kind !== "usage") return parts;
    const sql = "SELECT no FROM api_key WHERE id = $1 AND account_no = $2";
    const [key] = await query<{ no: number }>(sql, [first, accountNo]);
    if (key === undefined) throw noSuchPage();
    return [key.no, ...rest];
  }

  return {
    async entries(order: EntriesOrder): Promise<EntriesPage> {
      checkEntriesOrder(order);
      const after = order.after === null ? null : readPlace(order.after);
      return transaction("snapshot", async (query) => {
        const sql = "SELECT no FROM account WHERE id = $1";
        const [account] = await query<{ no: number }>(sql, [order.account]);
        if (account === undefined) return { entries: [], next: null };
        const from = {
          after,
          parts: after === null ? [] : await partsOf(query, after, account.no),
        };
        const rows: { kind: EntryKind; row: SqlRow }[] = [];
        for (const kind of ENTRY_KINDS) {
          const found = await query<SqlRow>(PAGES[kind], pageValues(kind, order, account.no, from));
          for (const row of found) rows.push({ kind, row });
        }
        return mergePage(rows, order.max);
      });
    },
  };
}

/** Numbered places are written otherwise, no index is named, and what is kept is a truth value and no number. */
const translate = (sql: string) =>
  sql
    .replaceAll(/\?(\d)/g, "$$$1")
    .replace("INDEXED BY reversal_folded", "")
    .replace("debit_kept = 0", "NOT debit_kept");

const PAGES = Object.fromEntries(
  ENTRY_KINDS.map((kind) => [kind, translate(LISTS[kind].page)]),
) as Record<EntryKind, string>;
