import {
  checkEntriesOrder,
  ENTRY_KINDS,
  type EntriesOrder,
  type EntriesPage,
  type EntryPlace,
  noSuchPage,
  readPlace,
} from "#ledger/entries.ts";
import { LISTS, mergePage, pageValues } from "#stores/sql/entry-lists.ts";
import type { SqlDriver, SqlValue } from "./driver.ts";

/** The list of an account's entries as SQLite statements. */
export function createSqliteEntries(driver: SqlDriver) {
  const findAccount = driver.prepare("SELECT no FROM account WHERE id = ?");
  const findKey = driver.prepare("SELECT no FROM api_key WHERE id = ? AND account_no = ?");
  const pages = ENTRY_KINDS.map((kind) => ({ kind, page: driver.prepare(LISTS[kind].page) }));

  /** The place in terms of rows, which name keys by small integers. */
  function partsOf({ kind, parts }: EntryPlace, accountNo: number): SqlValue[] {
    const [first = "", ...rest] = parts;
    if (kind === "reversal") return [Number(first), ...rest];
    if (kind !== "usage") return parts;
    const key = findKey.get(first, accountNo);
    if (key === undefined) throw noSuchPage();
    return [key["no"] as number, ...rest];
  }

  return {
    entries(order: EntriesOrder): EntriesPage {
      checkEntriesOrder(order);
      const after = order.after === null ? null : readPlace(order.after);
      const accountNo = findAccount.get(order.account)?.["no"] as number | undefined;
      if (accountNo === undefined) return { entries: [], next: null };
      const from = { after, parts: after === null ? [] : partsOf(after, accountNo) };
      const rows = pages.flatMap(({ kind, page }) =>
        page.all(...pageValues(kind, order, accountNo, from)).map((row) => ({ kind, row })),
      );
      return mergePage(rows, order.max);
    },
  };
}
