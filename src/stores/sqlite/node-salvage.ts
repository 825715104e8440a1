import { CHECKSUMS } from "./checked-tables.ts";
import { createSqliteReads } from "./database.ts";
import type { SqlDriver, SqlRow, SqlStatement, SqlValue } from "./driver.ts";
import { insertSql } from "./driver.ts";
import type { DamagedFile } from "./node-damaged-file.ts";
import {
  findLostPages,
  type Gap,
  type RowUse,
  readTree,
  type Tree,
  type TreeReading,
} from "./node-read-tree.ts";
import { ROW_KEYS } from "./row-checks.ts";
import { rowChecksum } from "./row-checksum.ts";
import { dropAccount } from "./transfer.ts";

/**
 * What of a damaged database is whole. An account is whole if every row of it was read and matches its checksum, no row
 * can be missing where the file is damaged, every row that an index or another row names is there, and its totals reconcile.
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
  usage_kept: "account_no, hour, key_no, tool",
  address: "email",
  closed_address: "email_hash",
  starter_claim: "account",
  purchase: "id",
};

/** Rows of this table are left out singly: a missing one concerns only the repeat of a call within a day. */
const REPLAYS = "idempotency";
/** Follows from the debits, and no export contains it. */
const SUMS = "usage_kept";

/** Indexes that repeat which rows there are, and whose. The last columns are the key of the table. */
const INDEXES: readonly { table: string; index: string; columns: string; owner: string }[] = [
  { table: "account", index: "sqlite_autoindex_account_1", columns: "id, no", owner: "no" },
  {
    table: "api_key",
    index: "api_key_by_account",
    // SQLite appends the number of the row even if the index has it.
    columns: "account_no, created_at, no, no",
    owner: "account_no",
  },
  {
    table: "credit_grant",
    index: "credit_grant_by_age",
    columns: "account_no, granted_at, id, no",
    owner: "account_no",
  },
  {
    table: "credit_grant",
    index: "sqlite_autoindex_credit_grant_1",
    columns: "account_no, id, no",
    owner: "account_no",
  },
  {
    table: "address",
    index: "sqlite_autoindex_address_2",
    columns: "account, email",
    owner: "account",
  },
  {
    table: "purchase",
    index: "purchase_by_account",
    columns: "account, created_at, id",
    owner: "account",
  },
];

type Blame = (owner: SqlValue | undefined, problem: string) => void;
type Reading = TreeReading & { table: string };

/**
 * Copies the whole accounts of a damaged database into an empty one, `to`, and says what is not whole. Addresses, purchases and
 * starter claims come with their accounts.
 */
export function salvage(file: DamagedFile, to: SqlDriver, now: number): Salvaged {
  const problems = new Map<number, Set<string>>();
  const names = new Map<number, string>();
  to.exec("PRAGMA foreign_keys = OFF");
  const readings = to.transaction("write", () => {
    const noOf = to.prepare("SELECT no FROM account WHERE id = ?");
    const blame: Blame = (owner, problem) => {
      const no = typeof owner === "string" ? noOf.get(owner)?.["no"] : owner;
      if (typeof no === "number") problems.set(no, (problems.get(no) ?? new Set()).add(problem));
    };
    const copied = copyRows(file, to, blame, names);
    for (const reading of copied) blameGaps(to, reading, blame);
    for (const each of INDEXES) compareIndex(file, to, each, copied, blame, names);
    blameUnnamed(file, to, copied, blame);
    blameMissing(to, now, blame);
    const addresses = copied.find(({ table }) => table === "address");
    if (addresses !== undefined && addresses.gaps.length > 0) blameUnaddressed(to, blame);
    return copied;
  });
  const damaged = [...problems].map(([no, own]) => describe(to, no, names.get(no), [...own], now));
  for (const { account } of damaged) if (account !== null) drop(to, account);
  dropOwnerless(to);
  const whole = Number(to.prepare("SELECT count(*) AS whole FROM account").get()?.["whole"]);
  const tables = readings.map(({ table, rows, damagedRows, gaps }) => ({
    table,
    rows: rows + damagedRows,
    damagedRows,
    gaps: countGaps(gaps),
  }));
  const isDamaged = (each: DamagedTable) => each.damagedRows + each.gaps > 0;
  return { whole, damaged, tables: tables.filter(isDamaged) };
}

/** Gaps that touch are one. */
const countGaps = (gaps: readonly Gap[]) => {
  const ofPages = gaps.filter(({ isOfRows }) => !isOfRows);
  const touches = ({ after }: Gap, index: number) =>
    index > 0 && String(ofPages[index - 1]?.before) === String(after);
  return ofPages.filter((gap, index) => !touches(gap, index)).length;
};

/** Copies the rows that are as they were written. */
function copyRows(
  file: DamagedFile,
  to: SqlDriver,
  blame: Blame,
  names: Map<number, string>,
): Reading[] {
  const trees = Object.entries(TABLES).map(([table, key]) => {
    const tree = treeOf(file, table, key);
    const use: RowUse = {
      isWhole: wholeness(table),
      onRow: prepareInsert(to, table),
      onDamaged(row) {
        if (table === "account" && String(row["id"]).startsWith("acc_"))
          names.set(Number(row["no"]), String(row["id"]));
        // Rows of other accounts are before and after it, so its place does not say whose it is.
        if (table === "debit_journal") blame(row["account_no"], `a row of ${table} is damaged`);
      },
    };
    return { tree, use, reading: readTree(file.pages, tree, use) };
  });
  const isChecked = (table: string) => CHECKSUMS.some((each) => each.table === table);
  findLostPages(
    file.pages,
    trees.filter(({ tree }) => isChecked(tree.name)),
  );
  return trees.map(({ tree, reading }) => ({ ...reading, table: tree.name }));
}

/** A table that the schema lacks has no page that can be read. */
function treeOf(file: DamagedFile, table: string, keyText: string): Tree {
  const key = keyText.split(", ");
  const { root = 0, columns = [] } = file.trees.get(table) ?? {};
  const kind = key[0] === "no" ? "rowid" : "key";
  // A table WITHOUT ROWID stores its key first.
  const stored =
    kind === "rowid" ? columns : [...key, ...columns.filter((column) => !key.includes(column))];
  return { name: table, root, kind, columns: stored, key };
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

/** Blames the accounts whose rows may be in a gap of a table that is in order of accounts. */
function blameGaps(to: SqlDriver, { table, gaps }: Reading, blame: Blame): void {
  const [owner] = (TABLES[table] ?? "").split(", ");
  if (table === REPLAYS || (owner !== "account_no" && owner !== "account")) return;
  for (const gap of gaps) {
    const owners = ownersInside(to, gap);
    if (table === SUMS) {
      for (const no of owners) {
        to.prepare("DELETE FROM usage_kept WHERE account_no = ?").run(no);
        to.prepare("UPDATE account SET summed_until = 0 WHERE no = ?").run(no);
      }
    } else for (const no of owners) blame(no, problemOf(table, gap));
  }
}

const problemOf = (table: string, { isOfRows }: Gap) =>
  isOfRows ? `a row of ${table} is damaged` : `rows of ${table} cannot be read`;

/** The accounts, by number or id, that are not beyond the ends of a gap. */
function ownersInside(to: SqlDriver, { after, before }: Gap): number[] {
  const [first, last] = [after?.[0] ?? null, before?.[0] ?? null];
  const column = typeof (first ?? last) === "string" ? "id" : "no";
  return to
    .prepare(
      `SELECT no FROM account WHERE (?1 IS NULL OR ${column} >= ?1) AND (?2 IS NULL OR ${column} <= ?2)`,
    )
    .all(first, last)
    .map((row) => Number(row["no"]));
}

/** Blames the accounts of rows that an index names and the table has not, or has with another content. */
function compareIndex(
  file: DamagedFile,
  to: SqlDriver,
  { table, index, columns, owner }: (typeof INDEXES)[number],
  copied: readonly Reading[],
  blame: Blame,
  names: Map<number, string>,
): void {
  const tree = indexTree(file, index, columns);
  const gaps = copied.find((each) => each.table === table)?.gaps ?? [];
  const isOfRows = gaps.every((gap) => gap.isOfRows);
  const problem = gaps.length === 0 ? `a row of ${table} is missing` : null;
  const find = to.prepare(
    `SELECT 1 FROM ${table} WHERE ${tree.columns.map((column) => `${column} = ?`).join(" AND ")}`,
  );
  const onRow = (row: SqlRow) => {
    if (find.get(...tree.columns.map((column) => row[column] ?? null)) !== undefined) return true;
    if (table === "account") names.set(Number(row["no"]), String(row["id"]));
    const place = row["no"] ?? null;
    const gap = gaps.find((each) => typeof place === "number" && isBetween(place, each));
    blame(row[owner], problem ?? problemOf(table, gap ?? { after: null, before: null, isOfRows }));
    return true;
  };
  readTree(file.pages, tree, { isWhole: () => true, onRow, onDamaged: () => {} });
}

const isBetween = (no: number, { after, before }: Gap) =>
  no > Number(after?.[0] ?? 0) && (before === null || no < Number(before[0]));

const indexTree = (file: DamagedFile, index: string, columns: string): Tree => ({
  name: index,
  root: file.trees.get(index)?.root ?? 0,
  kind: "key",
  columns: columns.split(", "),
  key: columns.split(", "),
});

/** Blames the accounts that may have rows in a gap of a table, because no index that names them can be read either. */
function blameUnnamed(
  file: DamagedFile,
  to: SqlDriver,
  copied: readonly Reading[],
  blame: Blame,
): void {
  for (const { table, gaps } of copied) {
    const indexes = INDEXES.filter((each) => each.table === table && each.owner !== "no");
    if (gaps.length === 0 || indexes.length === 0) continue;
    const unnamed = indexes.map(({ index, columns }) => {
      const use: RowUse = { isWhole: () => true, onRow: () => true, onDamaged: () => {} };
      const reading = readTree(file.pages, indexTree(file, index, columns), use);
      return new Set(reading.gaps.flatMap((gap) => ownersInside(to, gap)));
    });
    for (const no of unnamed[0] ?? [])
      if (unnamed.every((own) => own.has(no))) blame(no, `rows of ${table} cannot be read`);
  }
  const journal = copied.find(({ table }) => table === "debit_journal");
  if (journal === undefined || journal.gaps.length === 0) return;
  // The totals find the accounts with debits in the gap, but for calls that cost nothing.
  const unpriced = to.prepare(
    `SELECT 1 FROM debit WHERE credits = 0 AND is_free = 0
     UNION ALL SELECT 1 FROM usage_hour WHERE credits = 0 AND calls > free_calls LIMIT 1`,
  );
  if (unpriced.get() !== undefined)
    for (const { no } of to.prepare("SELECT no FROM account").all())
      blame(no, "calls without a price may be missing from debit_journal");
}

/** Blames accounts whose rows contradict each other, because other rows are missing. */
function blameMissing(to: SqlDriver, now: number, blame: Blame): void {
  for (const fault of createSqliteReads(to).audit({ now }).faults) {
    const [id = "", what = ""] = fault.split(/: (.*)/s);
    if (id.startsWith("acc_")) blame(id, what);
  }
  for (const [table, sql] of MISSING)
    for (const row of to.prepare(sql).all())
      blame(row["account_no"], `a row of ${table} is missing`);
  for (const { no } of to.prepare(CONTRADICTED_BALANCE).all())
    blame(no, "the balance in the account row differs from the grants");
}

/** Rows that others name, and that are missing. */
const MISSING: readonly [table: string, sql: string][] = [
  ...["debit", "usage_hour", "reversal"].map((table): [string, string] => [
    "api_key",
    `SELECT DISTINCT account_no FROM ${table} t WHERE key_no > 0
     AND NOT EXISTS (SELECT 1 FROM api_key WHERE no = t.key_no AND account_no = t.account_no)`,
  ]),
  ...["debit", "reversal"].flatMap((table): [string, string][] => [
    [
      "credit_grant",
      `SELECT DISTINCT account_no FROM ${table} t WHERE grant_no IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM credit_grant WHERE no = t.grant_no AND account_no = t.account_no)`,
    ],
    [
      "credit_grant",
      `SELECT DISTINCT account_no FROM ${table} t, json_each(t.parts) p WHERE NOT EXISTS (
       SELECT 1 FROM credit_grant WHERE account_no = t.account_no AND id = p.value ->> 'id')`,
    ],
  ]),
  [
    "credit_grant",
    `SELECT no AS account_no FROM account a WHERE front_grant IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM credit_grant WHERE account_no = a.no AND id = a.front_grant)`,
  ],
  [
    "debit",
    `SELECT DISTINCT account_no FROM reversal r WHERE debit_kept = 1 AND NOT EXISTS (SELECT 1 FROM debit d
     WHERE d.account_no = r.account_no AND d.at = r.debit_at AND d.call_id = r.call_id)`,
  ],
  [
    "account",
    "SELECT DISTINCT account_no FROM api_key WHERE account_no NOT IN (SELECT no FROM account)",
  ],
  [
    "account",
    "SELECT DISTINCT account_no FROM credit_grant WHERE account_no NOT IN (SELECT no FROM account)",
  ],
];

/** `rest` is the sum of the grants but the front one that were not expired when the row was written. */
const CONTRADICTED_BALANCE = `SELECT no FROM account a WHERE rest >= 0 AND NOT EXISTS (
  SELECT 1 FROM (SELECT 0 AS time UNION ALL SELECT expires_at FROM credit_grant WHERE account_no = a.no AND expires_at IS NOT NULL)
  WHERE a.rest = (SELECT coalesce(sum(remaining), 0) FROM credit_grant WHERE account_no = a.no
    AND id IS NOT a.front_grant AND (expires_at IS NULL OR expires_at > time)))`;

function blameUnaddressed(to: SqlDriver, blame: Blame): void {
  const rows = to.prepare(
    "SELECT no FROM account WHERE state <> 'closed' AND id NOT IN (SELECT account FROM address)",
  );
  for (const { no } of rows.all()) blame(no, "its email address cannot be read");
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
  for (const table of [...Object.keys(ROW_KEYS), SUMS])
    if (table !== "account")
      to.prepare(`DELETE FROM ${table} WHERE account_no NOT IN (SELECT no FROM account)`).run();
  for (const table of ["address", "starter_claim"])
    to.prepare(`DELETE FROM ${table} WHERE account NOT IN (SELECT id FROM account)`).run();
}
