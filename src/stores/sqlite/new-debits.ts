import type { DebitRow } from "#ledger/rules/rows.ts";
import type { KnownAccount } from "../ledger/known-account.ts";
import { DEBIT } from "../ledger/row-columns.ts";
import type { DebitPeriods } from "./debit-periods.ts";
import { insertSql, type SqlDriver, type SqlStatement, type SqlValue } from "./driver.ts";

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
    const row = [accountNo, ...DEBIT.values(debit)];
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
  const columns = `account_no, ${DEBIT.columns}, checksum`;
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

/**
 * The journal of debits (stores/schema/sqlite-ledger.ts). A commit appends to its end, so it changes as few pages for a thousand
 * accounts as for one. From time to time the oldest rows are moved to `debit_by_account` in one transaction, sorted by account,
 * so that many debits share one change of a page.
 */
export type Journal = {
  /** The number of rows in the journal. */
  count(): number;
  /** The number of rows from which moving them pays off. It is lower if the journal has few accounts, which shortens the wait. */
  drainFrom(): number;
  /** Moves at most `rowsMax` of the oldest rows with a time before `before`. Returns how many were moved. */
  drain(rowsMax: number, before?: number): number;
  /** The time of the latest debit in the journal. */
  latest(): number;
  /** Debits up to this time may have been moved already. */
  drainedUntil(): number;
};

/**
 * The journal is drained at this size in any case. Reading an account's debits scans all of its rows, which takes about 1 ms.
 * Calls that wait for a move of 10,000 rows wait 10 ms with one account, and 40 ms with 1,000 accounts.
 */
export const JOURNAL_ROWS_MAX = 10_000;
/** A smaller journal is not worth draining. Calls that wait for a move of this many rows wait 2 to 3 ms. */
export const JOURNAL_ROWS_MIN = 2_000;
/** With this many rows per account, an account's page is changed rarely enough. */
const ROWS_AN_ACCOUNT = 10;
/**
 * The maximum number of rows per move, for a journal that could not be drained for a while: little more than JOURNAL_ROWS_MAX, so that
 * calls wait no longer then, and the last batch before a move does not leave rows behind.
 */
export const JOURNAL_SLICE_ROWS = 12_000;

/** The journal of a file that many accounts share, with the statements that move its oldest debits to the table by account. */
export function createJournal(driver: SqlDriver): Journal {
  const count = driver.prepare("SELECT count(*) AS rows FROM debit_journal");
  const nth = driver.prepare(
    `SELECT at, call_id, account_no FROM debit_journal WHERE at < ?1
     ORDER BY at, call_id, account_no LIMIT 1 OFFSET ?2`,
  );
  const latest = driver.prepare(
    `SELECT at, call_id, account_no FROM debit_journal WHERE at < ?1
     ORDER BY at DESC, call_id DESC, account_no DESC LIMIT 1`,
  );
  const move = driver.prepare(
    `INSERT INTO debit_by_account SELECT * FROM debit_journal
     WHERE (at, call_id, account_no) <= (?, ?, ?) ORDER BY account_no, at, call_id`,
  );
  const remove = driver.prepare(
    "DELETE FROM debit_journal WHERE (at, call_id, account_no) <= (?, ?, ?)",
  );
  const moveAll = driver.prepare(
    "INSERT INTO debit_by_account SELECT * FROM debit_journal ORDER BY account_no, at, call_id",
  );
  // Without a condition, SQLite drops the pages of the table and reads no rows.
  const removeAll = driver.prepare("DELETE FROM debit_journal");
  const readUntil = driver.prepare(
    "SELECT value FROM setting WHERE name = 'journal_drained_until'",
  );
  const writeUntil = driver.prepare(
    `INSERT INTO setting (name, value) VALUES ('journal_drained_until', ?1) ON CONFLICT DO
     UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`,
  );
  const accounts = driver.prepare(
    "SELECT count(DISTINCT account_no) AS accounts FROM debit_journal",
  );
  return {
    count: () => (count.get()?.["rows"] ?? 0) as number,
    drainFrom() {
      const rows = Number(accounts.get()?.["accounts"]) * ROWS_AN_ACCOUNT;
      return Math.min(Math.max(rows, JOURNAL_ROWS_MIN), JOURNAL_ROWS_MAX);
    },
    drain(rowsMax, before = Number.MAX_SAFE_INTEGER) {
      const bound = nth.get(before, rowsMax - 1);
      const row = bound ?? latest.get(before);
      if (row === undefined) return 0;
      const last = [row["at"], row["call_id"], row["account_no"]] as [number, string, number];
      writeUntil.run(String(last[0]));
      if (bound === undefined && latest.get(Number.MAX_SAFE_INTEGER)?.["at"] === row["at"]) {
        const moved = moveAll.run();
        removeAll.run();
        return moved;
      }
      move.run(...last);
      return remove.run(...last);
    },
    latest: () =>
      (latest.get(Number.MAX_SAFE_INTEGER)?.["at"] ?? Number.MIN_SAFE_INTEGER) as number,
    drainedUntil: () => Number(readUntil.get()?.["value"] ?? Number.MIN_SAFE_INTEGER),
  };
}
