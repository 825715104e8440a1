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
 * Neither table knows the names in the other one. So a debit that goes to one of them and, by its time, may lie in the other one
 * is looked for there.
 */
export type NewDebits = ReturnType<typeof createNewDebits>;

/** A new debit has the name of one that was made before. */
export class DebitIsThere extends Error {}

/** From so many on that are later than the journal, what a commit writes for one account costs less than moving them later. */
const DIRECT_FROM = 8;
/** Debits are inserted so many at a time: half of what one costs is the statement around it. */
const DEBITS_A_STATEMENT = 16;

/** `values`: those of all new rows, one row after the other. */
type Table = {
  values: SqlValue[];
  columns: number;
  insertOne: SqlStatement;
  insertMany: SqlStatement;
};

/** `isAlone`: one account has the database for itself. */
export function createNewDebits(driver: SqlDriver, journal: Journal, isAlone: boolean) {
  const appended = prepareTable(driver, "debit_journal");
  const direct = prepareTable(driver, "debit_by_account");
  const lastOf = driver.prepare(
    "SELECT at FROM debit_by_account WHERE account_no = ? ORDER BY at DESC, call_id DESC LIMIT 1",
  );
  const findIn = (table: string) =>
    driver.prepare(`SELECT 1 FROM ${table} WHERE account_no = ? AND at = ? AND call_id = ?`);
  const isThere = { appended: findIn("debit_journal"), direct: findIn("debit_by_account") };
  /** The latest debit of an account in the table by account, as far as this connection has not moved others there since. */
  const latest = new WeakMap<KnownAccount, number>();
  /** The latest debit that the journal has or has had; null: not read yet. */
  let journalEnd: number | null = null;
  let drainedUntil: number | null = null;

  function latestOf(known: KnownAccount): number {
    let at = latest.get(known);
    if (at === undefined) {
      at = (lastOf.get(known.row?.no ?? 0)?.["at"] ?? Number.MIN_SAFE_INTEGER) as number;
      latest.set(known, at);
    }
    return at;
  }

  function readJournalEnd(): number {
    journalEnd ??= journal.latest();
    return journalEnd;
  }

  function isDirect(debits: readonly DebitRow[]): boolean {
    if (isAlone) return true;
    if (debits.length < DIRECT_FROM) return false;
    const end = readJournalEnd();
    let later = 0;
    for (const { at } of debits) if (at > end) later += 1;
    return later >= DIRECT_FROM;
  }

  function collectDirect(known: KnownAccount, accountNo: number, debits: readonly DebitRow[]) {
    for (const debit of debits) direct.values.push(accountNo, ...debitValues(debit));
    if (isAlone) return;
    const end = readJournalEnd();
    let last = latestOf(known);
    for (const { at, callId } of debits) {
      if (at <= end && isThere.appended.get(accountNo, at, callId)) throw new DebitIsThere();
      if (at > last) last = at;
    }
    latest.set(known, last);
  }

  function append(known: KnownAccount, accountNo: number, debits: readonly DebitRow[]) {
    drainedUntil ??= journal.drainedUntil();
    let end = readJournalEnd();
    const last = Math.max(drainedUntil, latestOf(known));
    for (const debit of debits) {
      const { at, callId } = debit;
      if (at <= last && isThere.direct.get(accountNo, at, callId)) throw new DebitIsThere();
      if (at > end) end = at;
      appended.values.push(accountNo, ...debitValues(debit));
    }
    journalEnd = end;
  }

  return {
    /** At the beginning of a transaction, and where rows of the journal were moved within one. */
    begin() {
      drainedUntil = null;
    },
    /** Throws `DebitIsThere` where no constraint would tell. */
    collect(known: KnownAccount, accountNo: number, debits: readonly DebitRow[]): void {
      if (debits.length === 0) return;
      if (isDirect(debits)) collectDirect(known, accountNo, debits);
      else append(known, accountNo, debits);
    },
    /** Returns how many went to the journal. */
    write(): number {
      writeTo(direct);
      return writeTo(appended);
    },
    /** The transaction was rolled back, or another connection has written. */
    forget() {
      journalEnd = null;
      direct.values = [];
      appended.values = [];
    },
  };
}

function prepareTable(driver: SqlDriver, name: "debit_journal" | "debit_by_account"): Table {
  const columns = `account_no, ${DEBIT_COLUMNS}`;
  return {
    values: [],
    columns: columns.split(",").length,
    insertOne: driver.prepare(insertSql(name, columns)),
    insertMany: driver.prepare(insertSql(name, columns, DEBITS_A_STATEMENT)),
  };
}

function writeTo(table: Table): number {
  const { values, columns } = table;
  if (values.length === 0) return 0;
  table.values = [];
  const many = columns * DEBITS_A_STATEMENT;
  let place = 0;
  for (; place + many <= values.length; place += many)
    table.insertMany.run(...values.slice(place, place + many));
  for (; place < values.length; place += columns)
    table.insertOne.run(...values.slice(place, place + columns));
  return values.length / columns;
}
