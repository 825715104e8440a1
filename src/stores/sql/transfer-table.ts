import type { RecordKind, RecordOf } from "#ledger/transfer/records.ts";
import type { SqlRow, SqlValue } from "../sqlite/driver.ts";
import type { SqlDialect } from "./sql-database.ts";

/**
 * How the records of one kind lie in a table: described once (`transfer-rows.ts`), and made into statements for each
 * database. In expressions `t` is the row that is read and `r` the record that is written, by its members.
 */
export type RecordColumn = {
  column: string;
  /** A flag is a truth value in the record and 0 or 1 in the column; JSON is a value in the record and text in the column. */
  type: "text" | "number" | "flag" | "json";
  /** What is read and written where it is not the column itself. */
  read?: string;
  write?: string | ((dialect: SqlDialect) => string);
};

export type RecordTable = {
  table: string;
  /** Rows are read in its order. Where rows are numbered, an import numbers them in the same order. */
  key: readonly Key[];
  where?: string;
  /** Where rows are written, if it is not the table that is read. */
  into?: Record<SqlDialect, string>;
  members: Record<string, RecordColumn>;
  /** Columns that no member says: an expression for each. */
  others?: Record<string, string>;
  /** What becomes of a record whose like is there already, where it is not refused. */
  onConflict?: string;
};
type Key = { column: string; type: "text" | "number" };

export const text = (column: string): RecordColumn => ({ column, type: "text" });
export const number = (column: string): RecordColumn => ({ column, type: "number" });

/** A place between two rows: the values by which pages are ordered. Null: before every row there is. */
export type PageCursor = readonly SqlValue[] | null;
export type RecordPage<Kind extends RecordKind = RecordKind> = {
  records: RecordOf<Kind>[];
  /** Where the next page starts; null after the last one. */
  after: PageCursor;
};

/** Hidden columns of a page: the values of its key, by which the next page starts. */
const KEY_PREFIX = "_key_";

const columnsOf = ({ members }: RecordTable) =>
  Object.entries(members)
    .map(([member, { column, read }]) => `${read ?? `t.${column}`} AS "${member}"`)
    .join(", ");

const listed = (keys: readonly Key[]) => keys.map(({ column }) => `t.${column}`).join(", ");

/** Every row, in the order of the key. */
export const selectAll = (rows: RecordTable): string =>
  `SELECT ${columnsOf(rows)} FROM ${rows.table} t WHERE ${rows.where ?? "1 = 1"} ORDER BY ${listed(rows.key)}`;

/** A page: the values of the cursor, then how many rows. */
export function selectPage(rows: RecordTable): string {
  const { table, key, where = "1 = 1" } = rows;
  const hidden = key.map(({ column }, index) => `t.${column} AS ${KEY_PREFIX}${index}`).join(", ");
  const places = key.map(() => "?").join(", ");
  return `SELECT ${hidden}, ${columnsOf(rows)} FROM ${table} t
    WHERE (${listed(key)}) > (${places}) AND ${where} ORDER BY ${listed(key)} LIMIT ?`;
}

/** The cursor before every row. */
export const firstCursor = ({ key }: RecordTable): SqlValue[] =>
  key.map(({ type }) => (type === "text" ? "" : 0));

const cursorAfter = ({ key }: RecordTable, row: SqlRow): SqlValue[] =>
  key.map((_, index) => row[`${KEY_PREFIX}${index}`] as SqlValue);

/** Whether a cursor that came from outside can be one of these rows. */
export function isCursorOf(rows: RecordTable, cursor: PageCursor): boolean {
  const first = firstCursor(rows);
  if (cursor === null) return true;
  const isOfType = (value: SqlValue, index: number) => typeof value === typeof first[index];
  return cursor.length === first.length && cursor.every(isOfType);
}

/** Inserts the records of a source that gives them as rows with a column for each member. */
export function insertFrom(rows: RecordTable, dialect: SqlDialect, source: string): string {
  const written = Object.entries(rows.members).map(([member, { column, write }]) => {
    const expression = typeof write === "function" ? write(dialect) : write;
    return [column, expression ?? `r."${member}"`] as const;
  });
  const all = [...written, ...Object.entries(rows.others ?? {})];
  return `INSERT INTO ${rows.into?.[dialect] ?? rows.table} (${all.map(([column]) => column).join(", ")})
    SELECT ${all.map(([, expression]) => expression).join(", ")} FROM ${source}`;
}

/** The record that a row says. */
export function readRecord<Kind extends RecordKind>(
  kind: Kind,
  { members }: RecordTable,
  row: SqlRow,
): RecordOf<Kind> {
  const values = Object.entries(members).map(([member, { type }]) => {
    const value = row[member] ?? null;
    if (value === null) return [member, null];
    if (type === "flag") return [member, value === 1];
    return [member, type === "json" ? JSON.parse(value as string) : value];
  });
  return { record: kind, ...Object.fromEntries(values) };
}

/** What the rows of a page say, which `selectPage` has read with that maximum. */
export function readPage<Kind extends RecordKind>(
  kind: Kind,
  rows: RecordTable,
  found: readonly SqlRow[],
  max: number,
): RecordPage<Kind> {
  const last = found.length < max ? undefined : found.at(-1);
  return {
    records: found.map((row) => readRecord(kind, rows, row)),
    after: last === undefined ? null : cursorAfter(rows, last),
  };
}

/** What a record says, as the values of its members in their order. */
export function valuesOf({ members }: RecordTable, record: object): SqlValue[] {
  const given = record as Record<string, unknown>;
  return Object.entries(members).map(([member, { type }]) => {
    const value = given[member] ?? null;
    if (value === null) return null;
    if (type === "flag") return value ? 1 : 0;
    return type === "json" ? JSON.stringify(value) : (value as SqlValue);
  });
}
