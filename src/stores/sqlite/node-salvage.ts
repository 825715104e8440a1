import type { DatabaseSync } from "node:sqlite";
import { CHECKSUMS } from "./checked-tables.ts";
import { createSqliteReads } from "./database.ts";
import type { SqlDriver, SqlRow, SqlStatement, SqlValue } from "./driver.ts";
import { insertSql } from "./driver.ts";
import { type Gap, readAround } from "./node-read-around.ts";
import { ROW_KEYS } from "./row-checks.ts";
import { rowChecksum } from "./row-checksum.ts";
import { dropAccount } from "./transfer.ts";

/**
 * What of a damaged database is whole. An account is whole if every row of it can be read and matches its checksum, and its totals
 * reconcile: then no row that moved credits is missing either.
 */
export type Salvaged = {
  whole: number;
  damaged: DamagedAccount[];
  tables: DamagedTable[];
};

export type DamagedAccount = {
  /** Null if not even the id can be read. */
  account: string | null;
  email: string | null;
  /** The credits of the grants that can be read; null without any. */
  balance: number | null;
  problems: string[];
};

/** A table with damage: the rows that were read, those that do not match their checksum, and the number of gaps between them. */
export type DamagedTable = { table: string; rows: number; damagedRows: number; gaps: number };

/** The tables that an export contains, and their keys. A table comes after those that its rows refer to. */
const TABLES: Readonly<Record<string, string>> = {
  ...ROW_KEYS,
  address: "email",
  closed_address: "email_hash",
  starter_claim: "account",
  purchase: "id",
};

/** Rows of this table are left out singly: a missing one concerns only the repeat of a call within a day. */
const REPLAYS = "idempotency";

/** Indexes that name the owners of rows that cannot be read. */
const OWNERS: Readonly<Record<string, { index: string; owner: string }>> = {
  account: { index: "sqlite_autoindex_account_1", owner: "no" },
  api_key: { index: "api_key_by_account", owner: "account_no" },
  credit_grant: { index: "credit_grant_by_age", owner: "account_no" },
};

/**
 * Copies the whole accounts of a damaged database into an empty one, `to`, and says what is not whole. Addresses, purchases and
 * starter claims come with their accounts.
 */
export function salvage(from: DatabaseSync, to: SqlDriver, now: number): Salvaged {
  const problems = new Map<number, Set<string>>();
  const blame = (accountNo: SqlValue | undefined, problem: string) => {
    const no = Number(accountNo ?? 0);
    problems.set(no, (problems.get(no) ?? new Set()).add(problem));
  };
  const tables: DamagedTable[] = [];
  const gaps = new Map<string, Gap[]>();
  to.exec("PRAGMA foreign_keys = OFF");
  to.transaction("write", () => {
    for (const [table, key] of Object.entries(TABLES)) {
      const insert = prepareInsert(to, table);
      const read = { table, rows: 0, damagedRows: 0, gaps: 0 };
      const isWhole = wholeness(table);
      const found = readAround(from, table, key, (row) => {
        read.rows += 1;
        if (isWhole(row) && insert(row)) return;
        read.damagedRows += 1;
        if (table !== REPLAYS) blame(ownerOf(table, row), `a row of ${table} is damaged`);
      });
      read.gaps = found.length;
      gaps.set(table, found);
      if (read.damagedRows + read.gaps > 0) tables.push(read);
    }
    blameGaps(from, to, gaps, blame);
    blameMissing(to, now, blame);
    if (tables.some(({ table }) => table === "address")) blameUnaddressed(to, blame);
  });
  const names = namesOf(from, [...problems.keys()]);
  const damaged = [...problems].map(([no, own]) => describe(to, no, names.get(no), [...own], now));
  for (const { account } of damaged) if (account !== null) drop(to, account);
  dropOwnerless(to);
  const whole = Number(to.prepare("SELECT count(*) AS whole FROM account").get()?.["whole"]);
  return { whole, damaged, tables };
}

/** Debits of both tables go into one. */
const targetOf = (table: string) => (table === "debit_journal" ? "debit_by_account" : table);

/** Returns a function that inserts a row, and whether it could: a damaged page may repeat rows or hold rows of another kind. */
function prepareInsert(to: SqlDriver, table: string): (row: SqlRow) => boolean {
  const target = targetOf(table);
  const info = to.prepare(`SELECT name FROM pragma_table_info('${target}')`).all();
  const columns = info.map((row) => String(row["name"]));
  let statement: SqlStatement | undefined;
  return (row) => {
    statement ??= to.prepare(insertSql(target, columns.join(", ")));
    try {
      statement.run(...columns.map((column) => row[column] ?? null));
      return true;
    } catch {
      return false;
    }
  };
}

function wholeness(table: string): (row: SqlRow) => boolean {
  const sums = CHECKSUMS.filter((each) => each.table === table).map(({ checksum, columns }) => ({
    checksum,
    columns: columns.split(", "),
  }));
  return (row) =>
    sums.every(
      ({ checksum, columns }) =>
        rowChecksum(columns.map((column) => row[column] ?? null)) === row[checksum],
    );
}

const ownerOf = (table: string, row: SqlRow) => row[table === "account" ? "no" : "account_no"];

type Blame = (accountNo: SqlValue | undefined, problem: string) => void;

/** Blames the accounts that may have rows in a gap. Credits that are missing there are noticed by the totals as well. */
function blameGaps(from: DatabaseSync, to: SqlDriver, gaps: Map<string, Gap[]>, blame: Blame) {
  const known = to.prepare("SELECT no FROM account").all();
  for (const [table, own] of gaps) {
    for (const gap of own) {
      const problem = `rows of ${table} cannot be read`;
      const index = OWNERS[table];
      const [first = 0, last = Number.MAX_SAFE_INTEGER] = [
        gap.after?.[0],
        gap.before?.[0],
      ] as number[];
      if (index !== undefined) {
        const owners = ownersBetween(from, table, index, first ?? 0, last);
        for (const no of owners ?? known.map((row) => Number(row["no"]))) blame(no, problem);
      } else if (table !== REPLAYS && ROW_KEYS[table]?.startsWith("account_no")) {
        for (const { no } of known)
          if (Number(no) >= (first ?? 0) && Number(no) <= last) blame(no, problem);
      }
    }
  }
}

/** Returns null if the index cannot be read either. */
function ownersBetween(
  from: DatabaseSync,
  table: string,
  { index, owner }: { index: string; owner: string },
  after: number,
  before: number,
): number[] | null {
  try {
    return from
      .prepare(
        `SELECT DISTINCT ${owner} AS owner FROM ${table} INDEXED BY ${index} WHERE ${table === "account" ? "id > ''" : "account_no > 0"} AND +no > ? AND +no < ?`,
      )
      .all(after, before)
      .map((row) => Number(row["owner"]));
  } catch {
    return null;
  }
}

/** Blames accounts whose rows contradict each other, because other rows are missing. */
function blameMissing(to: SqlDriver, now: number, blame: Blame): void {
  const noOf = to.prepare("SELECT no FROM account WHERE id = ?");
  for (const fault of createSqliteReads(to).audit({ now }).faults) {
    const [id = "", what = ""] = fault.split(/: (.*)/s);
    const no = noOf.get(id)?.["no"];
    if (no !== undefined) blame(no, what);
  }
  const missing: [table: string, sql: string][] = [
    [
      "api_key",
      "SELECT account_no FROM debit WHERE key_no > 0 AND key_no NOT IN (SELECT no FROM api_key)",
    ],
    ["api_key", "SELECT account_no FROM usage_hour WHERE key_no NOT IN (SELECT no FROM api_key)"],
    [
      "credit_grant",
      "SELECT account_no FROM debit WHERE grant_no NOT IN (SELECT no FROM credit_grant)",
    ],
    [
      "debit",
      `SELECT account_no FROM reversal r WHERE debit_kept = 1 AND NOT EXISTS (SELECT 1 FROM debit d
      WHERE d.account_no = r.account_no AND d.at = r.debit_at AND d.call_id = r.call_id)`,
    ],
    ["account", "SELECT account_no FROM api_key WHERE account_no NOT IN (SELECT no FROM account)"],
    [
      "account",
      "SELECT account_no FROM credit_grant WHERE account_no NOT IN (SELECT no FROM account)",
    ],
  ];
  for (const [table, sql] of missing)
    for (const row of to.prepare(sql).all())
      blame(row["account_no"], `a row of ${table} is missing`);
}

function blameUnaddressed(to: SqlDriver, blame: Blame): void {
  const rows = to.prepare(
    "SELECT no FROM account WHERE state <> 'closed' AND id NOT IN (SELECT account FROM address)",
  );
  for (const { no } of rows.all()) blame(no, "its email address cannot be read");
}

/** Returns the ids of accounts whose row cannot be read, from the index. */
function namesOf(from: DatabaseSync, nos: readonly number[]): Map<number, string> {
  const names = new Map<number, string>();
  const wanted = new Set(nos);
  const collect = (row: SqlRow) => {
    if (wanted.has(Number(row["no"]))) names.set(Number(row["no"]), String(row["id"]));
  };
  for (const source of [
    "account",
    "(SELECT id, no FROM account INDEXED BY sqlite_autoindex_account_1 WHERE id > '')",
  ])
    readAround(from, source, source === "account" ? "no" : "id", collect);
  return names;
}

function describe(
  to: SqlDriver,
  no: number,
  name: string | undefined,
  problems: string[],
  now: number,
): DamagedAccount {
  const id = to.prepare("SELECT id FROM account WHERE no = ?").get(no)?.["id"];
  const account = (id ?? name ?? null) as string | null;
  const email = to.prepare("SELECT email FROM address WHERE account = ?").get(account)?.["email"];
  const balance = to
    .prepare(
      "SELECT sum(remaining) AS balance FROM credit_grant WHERE account_no = ? AND (expires_at IS NULL OR expires_at > ?)",
    )
    .get(no, now)?.["balance"];
  return {
    account,
    email: (email ?? null) as string | null,
    balance: (balance ?? null) as number | null,
    problems,
  };
}

function drop(to: SqlDriver, account: string): void {
  for (const table of ["address", "starter_claim", "purchase"])
    to.prepare(`DELETE FROM ${table} WHERE account = ?`).run(account);
  dropAccount(to, account);
}

/** Drops rows whose account could not be read at all. */
function dropOwnerless(to: SqlDriver): void {
  for (const table of Object.keys(ROW_KEYS))
    if (table !== "account")
      to.prepare(`DELETE FROM ${table} WHERE account_no NOT IN (SELECT no FROM account)`).run();
  for (const table of ["address", "starter_claim"])
    to.prepare(`DELETE FROM ${table} WHERE account NOT IN (SELECT id FROM account)`).run();
}
