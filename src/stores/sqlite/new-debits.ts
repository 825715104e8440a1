import type { DebitRow } from "#ledger/rules/rows.ts";
import type { KnownAccount } from "../ledger/known-account.ts";
import { DEBIT_COLUMNS, debitValues } from "../ledger/row-columns.ts";
import type { DebitPeriods } from "./debit-periods.ts";
import { insertSql, type SqlDriver, type SqlStatement, type SqlValue } from "./driver.ts";
import type { Journal } from "./journal.ts";

/**
 * Writes the debits of a transaction. Most go to the journal. If an account has many debits in the transaction, they go directly
 * to `debit_by_account`, because they take few pages there and then need not be moved. In the database of a single account, the time
 * of a debit decides (debit-periods.ts).
 *
 * A unique constraint covers only one of the two tables. So a debit that, by its time, may exist in the other table is looked up
 * there.
 */
export type NewDebits = ReturnType<typeof createNewDebits>;

/** A debit with the same account, time and call id already exists. */
export class DebitIsThere extends Error {}

/** If an account has this many debits later than the journal, writing them directly costs less than moving them later. */
const DIRECT_FROM = 8;
/** The number of debits per INSERT. Half the cost of a single-row insert is the statement itself. */
const DEBITS_A_STATEMENT = 16;

/** `values`: the column values of all new rows, one row after the other. */
type Table = {
  values: SqlValue[];
  columns: number;
  insertOne: SqlStatement;
  insertMany: SqlStatement;
};

/** `periods`: of the database of a single account; null if many accounts share it. */
export function createNewDebits(
  driver: SqlDriver,
  journal: Journal,
  periods: Pick<DebitPeriods, "start" | "forget"> | null,
) {
  const appended = prepareTable(driver, "debit_journal");
  const direct = prepareTable(driver, "debit_by_account");
  const lastOf = driver.prepare(
    "SELECT at FROM debit_by_account WHERE account_no = ? ORDER BY at DESC, call_id DESC LIMIT 1",
  );
  const findIn = (table: string) =>
    driver.prepare(`SELECT 1 FROM ${table} WHERE account_no = ? AND at = ? AND call_id = ?`);
  const isThere = { appended: findIn("debit_journal"), direct: findIn("debit_by_account") };
  /** The time of an account's latest debit in `debit_by_account`, not counting debits that were moved there since. */
  const latest = new WeakMap<KnownAccount, number>();
  /** The time of the latest debit that was ever in the journal; null: not read yet. */
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

  function collectRow({ values }: Table, accountNo: number, debit: DebitRow): void {
    const row = [accountNo, ...debitValues(debit)];
    values.push(...row, driver.checksum?.(row) ?? null);
  }

  function readJournalEnd(): number {
    journalEnd ??= journal.latest();
    return journalEnd;
  }

  function isDirect(debits: readonly DebitRow[]): boolean {
    if (debits.length < DIRECT_FROM) return false;
    const end = readJournalEnd();
    let later = 0;
    for (const { at } of debits) if (at > end) later += 1;
    return later >= DIRECT_FROM;
  }

  function collectDirect(known: KnownAccount, accountNo: number, debits: readonly DebitRow[]) {
    for (const debit of debits) collectRow(direct, accountNo, debit);
    const end = readJournalEnd();
    let last = latestOf(known);
    for (const { at, callId } of debits) {
      if (at <= end && isThere.appended.get(accountNo, at, callId)) throw new DebitIsThere();
      if (at > last) last = at;
    }
    latest.set(known, last);
  }

  function collectByPeriod(accountNo: number, debits: readonly DebitRow[], start: number) {
    for (const debit of debits) collectRow(debit.at < start ? appended : direct, accountNo, debit);
  }

  function append(known: KnownAccount, accountNo: number, debits: readonly DebitRow[]) {
    drainedUntil ??= journal.drainedUntil();
    let end = readJournalEnd();
    const last = Math.max(drainedUntil, latestOf(known));
    for (const debit of debits) {
      const { at, callId } = debit;
      if (at <= last && isThere.direct.get(accountNo, at, callId)) throw new DebitIsThere();
      if (at > end) end = at;
      collectRow(appended, accountNo, debit);
    }
    journalEnd = end;
  }

  return {
    /** Call at the start of a transaction, and after rows of the journal were moved within one. */
    begin() {
      drainedUntil = null;
    },
    /** Collects debits to write. Throws `DebitIsThere` if a debit exists in the table where no constraint would find it. */
    collect(known: KnownAccount, accountNo: number, debits: readonly DebitRow[]): void {
      if (debits.length === 0) return;
      if (periods !== null) collectByPeriod(accountNo, debits, periods.start());
      else if (isDirect(debits)) collectDirect(known, accountNo, debits);
      else append(known, accountNo, debits);
    },
    /** Writes the collected debits. Returns how many went to the journal. */
    write(): number {
      writeTo(direct);
      return writeTo(appended);
    },
    /** Call after the transaction was rolled back. */
    forget() {
      periods?.forget();
      journalEnd = null;
      direct.values = [];
      appended.values = [];
    },
  };
}

function prepareTable(driver: SqlDriver, name: "debit_journal" | "debit_by_account"): Table {
  const columns = `account_no, ${DEBIT_COLUMNS}, checksum`;
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
  let from = 0;
  for (; from + many <= values.length; from += many)
    table.insertMany.run(...values.slice(from, from + many));
  for (; from < values.length; from += columns)
    table.insertOne.run(...values.slice(from, from + columns));
  return values.length / columns;
}
