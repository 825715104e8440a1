import type { DebitRow } from "#ledger/rules/rows.ts";
import type { KnownAccount } from "../ledger/known-account.ts";
import { DEBIT_COLUMNS, debitValues } from "../ledger/row-columns.ts";
import type { SqlDriver, SqlStatement, SqlValue } from "./driver.ts";
import type { Journal } from "./journal.ts";
import { insertSql } from "./save.ts";

/**
 * Writes the debits of a transaction. Where many accounts share it they go to the journal; those of an account that makes many
 * at once go straight to the table by account, because they lie on few pages there and need not be moved.
 *
 * Neither table knows the names in the other one. So an order that may lie in the table by account is looked up before it is
 * decided (`mayBeThere`), and an account's debits go straight there only where all are later than the whole journal.
 */
export type NewDebits = ReturnType<typeof createNewDebits>;

/** From so many on, what a commit writes for one account costs less than moving them later. */
const DIRECT_FROM = 16;
/** Debits are inserted so many at a time: half of what one costs is the statement around it. */
const DEBITS_A_STATEMENT = 16;

type Table = { rows: SqlValue[][]; insertOne: SqlStatement; insertMany: SqlStatement };

/** `isAlone`: one account has the database for itself. */
export function createNewDebits(driver: SqlDriver, journal: Journal, isAlone: boolean) {
  const appended = prepareTable(driver, "debit_journal");
  const direct = prepareTable(driver, "debit_by_account");
  const lastOf = driver.prepare(
    "SELECT at FROM debit_by_account WHERE account_no = ? ORDER BY at DESC, call_id DESC LIMIT 1",
  );
  /** The latest debit of an account in the table by account, as far as this connection has not moved others there since. */
  const latest = new WeakMap<KnownAccount, number>();
  let drainedUntil: number | null = null;

  function latestOf(known: KnownAccount): number {
    let at = latest.get(known);
    if (at === undefined) {
      at = (lastOf.get(known.row?.no ?? 0)?.["at"] ?? Number.MIN_SAFE_INTEGER) as number;
      latest.set(known, at);
    }
    return at;
  }

  function isDirect(debits: readonly DebitRow[]): boolean {
    if (isAlone) return true;
    if (debits.length < DIRECT_FROM) return false;
    const journalEnd = journal.latest();
    return debits.every(({ at }) => at > journalEnd);
  }

  return {
    begin() {
      drainedUntil = null;
    },
    /** Whether an order of this time may have been carried out before, with its debit where no constraint would tell. */
    mayBeThere(known: KnownAccount, now: number): boolean {
      if (isAlone) return false;
      drainedUntil ??= journal.drainedUntil();
      return now <= drainedUntil || now <= latestOf(known);
    },
    collect(known: KnownAccount, accountNo: number, debits: readonly DebitRow[]): void {
      if (debits.length === 0) return;
      const isStraight = isDirect(debits);
      const { rows } = isStraight ? direct : appended;
      for (const debit of debits) rows.push([accountNo, ...debitValues(debit)]);
      if (isStraight && !isAlone)
        latest.set(
          known,
          debits.reduce((last, { at }) => Math.max(last, at), latestOf(known)),
        );
    },
    /** Returns how many went to the journal. */
    write(): number {
      writeTo(direct);
      return writeTo(appended);
    },
    /** The transaction was rolled back. */
    forget() {
      direct.rows = [];
      appended.rows = [];
    },
  };
}

function prepareTable(driver: SqlDriver, name: "debit_journal" | "debit_by_account"): Table {
  const columns = `account_no, ${DEBIT_COLUMNS}`;
  return {
    rows: [],
    insertOne: driver.prepare(insertSql(name, columns)),
    insertMany: driver.prepare(insertSql(name, columns, DEBITS_A_STATEMENT)),
  };
}

function writeTo(table: Table): number {
  const { rows } = table;
  table.rows = [];
  let place = 0;
  for (; place + DEBITS_A_STATEMENT <= rows.length; place += DEBITS_A_STATEMENT)
    table.insertMany.run(...rows.slice(place, place + DEBITS_A_STATEMENT).flat());
  for (; place < rows.length; place += 1) table.insertOne.run(...(rows[place] as SqlValue[]));
  return rows.length;
}
