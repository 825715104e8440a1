import type { RecordKind, RecordOf, TransferRecord } from "#ledger/transfer/records.ts";
import type { SqlRow, SqlValue } from "../sqlite/driver.ts";
import type { SqlDialect } from "./sql-database.ts";

/**
 * Describes how records of one kind are stored in a table. `transfer-rows.ts` contains the descriptions, from which statements for
 * each database are built. In SQL expressions, `t` is the row to read, and `r` is the record to write, with a column per member.
 */
export type RecordColumn = {
  column: string;
  /** A flag is a boolean in the record and 0 or 1 in the column. JSON is a value in the record and text in the column. */
  type: "text" | "number" | "flag" | "json";
  /** The SQL expressions to read and write, if not the column itself. */
  read?: string | ((dialect: SqlDialect) => string);
  write?: string | ((dialect: SqlDialect) => string);
};

export type RecordTable = {
  table: string;
  /** The order in which rows are read. If rows are numbered, an import numbers them in the same order. */
  key: readonly Key[];
  where?: string;
  /** The table that rows are written to, if it is not the one that is read. */
  into?: Record<SqlDialect, string>;
  members: Record<string, RecordColumn>;
  /** SQL expressions for columns without a member. */
  others?: Record<string, string>;
};
type Key = { column: string; type: "text" | "number" };

/** Columns of one type that have the names of their members in snake case. */
const columnsOfType =
  (type: RecordColumn["type"]) =>
  <Member extends string>(...members: Member[]) =>
    Object.fromEntries(
      members.map((member) => [member, { column: columnOf(member), type }]),
    ) as Record<Member, RecordColumn>;
const columnOf = (member: string) =>
  member.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

export const texts = columnsOfType("text");
export const numbers = columnsOfType("number");
export const flags = columnsOfType("flag");
export const json = columnsOfType("json");

/** The key of the last row of a page. Null: before the first row. */
export type PageCursor = readonly SqlValue[] | null;
export type RecordPage<Kind extends RecordKind = RecordKind> = {
  records: RecordOf<Kind>[];
  /** Where the next page starts; null after the last one. */
  after: PageCursor;
};

/** The prefix of a page's additional columns with the key, at which the next page starts. */
const KEY_PREFIX = "_key_";

const columnsOf = ({ members }: RecordTable, dialect: SqlDialect) =>
  Object.entries(members)
    .map(([member, { column, read }]) => {
      const expression = typeof read === "function" ? read(dialect) : read;
      return `${expression ?? `t.${column}`} AS "${member}"`;
    })
    .join(", ");

const listed = (keys: readonly Key[]) => keys.map(({ column }) => `t.${column}`).join(", ");

/** Returns a query of a page. Its parameters are the values of the cursor and the number of rows. */
export function selectPage(rows: RecordTable, dialect: SqlDialect): string {
  const { table, key, where = "1 = 1" } = rows;
  const hidden = key.map(({ column }, index) => `t.${column} AS ${KEY_PREFIX}${index}`).join(", ");
  const parameters = key.map(() => "?").join(", ");
  return `SELECT ${hidden}, ${columnsOf(rows, dialect)} FROM ${table} t
    WHERE (${listed(key)}) > (${parameters}) AND ${where} ORDER BY ${listed(key)} LIMIT ?`;
}

/** Returns the cursor before the first row. */
export const firstCursor = ({ key }: RecordTable): SqlValue[] =>
  key.map(({ type }) => (type === "text" ? "" : 0));

const cursorAfter = ({ key }: RecordTable, row: SqlRow): SqlValue[] =>
  key.map((_, index) => row[`${KEY_PREFIX}${index}`] as SqlValue);

/** Whether a cursor from a client has the right types for these rows. */
export function isCursorOf(rows: RecordTable, cursor: PageCursor): boolean {
  const first = firstCursor(rows);
  if (cursor === null) return true;
  const isOfType = (value: SqlValue, index: number) => typeof value === typeof first[index];
  return cursor.length === first.length && cursor.every(isOfType);
}

/** Returns a statement that inserts records from a source, which has a row per record and a column per member. */
export function insertFrom(rows: RecordTable, dialect: SqlDialect, source: string): string {
  const written = Object.entries(rows.members).map(([member, { column, write }]) => {
    const expression = typeof write === "function" ? write(dialect) : write;
    return [column, expression ?? `r."${member}"`] as const;
  });
  const all = [...written, ...Object.entries(rows.others ?? {})];
  return `INSERT INTO ${rows.into?.[dialect] ?? rows.table} (${all.map(([column]) => column).join(", ")})
    SELECT ${all.map(([, expression]) => expression).join(", ")} FROM ${source}`;
}

/** Reads a record from a row. */
function readRecord<Kind extends RecordKind>(
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

/** Reads the page of records from the rows of a `selectPage` query with this number of rows. */
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

/** Returns the values of a record's members in the order of the table's description. */
export function valuesOf({ members }: RecordTable, record: TransferRecord): SqlValue[] {
  const valueByMember = new Map<string, unknown>(Object.entries(record));
  return Object.entries(members).map(([member, { type }]) => {
    const value = valueByMember.get(member) ?? null;
    if (value === null) return null;
    if (type === "flag") return value ? 1 : 0;
    return type === "json" ? JSON.stringify(value) : (value as SqlValue);
  });
}
