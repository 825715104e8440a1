import type { SqlRow, SqlValue } from "./sqlite/driver.ts";

/**
 * How an object is stored as a row. A column has the name of its field in snake case. Booleans are stored as 0 and 1, objects as JSON.
 */
export type StoredRow<Row> = {
  columns: string;
  read(row: SqlRow): Row;
  /** Null if there is no row. */
  find(row: SqlRow | undefined): Row | null;
  /** The values in the order of the columns. */
  values(row: Row): SqlValue[];
};

type Fields = Record<string, unknown>;

const FLAGS: ReadonlySet<string> = new Set(["isFree", "hasLapsed", "mayAct"]);
const OBJECTS: ReadonlySet<string> = new Set(["prices", "limits", "spent", "parts", "kinds"]);

/** Fields whose columns are named otherwise. */
const FIELDS: Readonly<Record<string, string>> = {
  budget_spent: "spent",
  debit_at: "at",
  takes: "take",
};

const fieldOf = (column: string): string =>
  FIELDS[column] ?? column.replace(/_(\w)/g, (_, first: string) => first.toUpperCase());

/** How a field is read and written, which is decided once for all rows. */
type Codec = { read(value: SqlValue): unknown; write(value: unknown): SqlValue };

const PLAIN: Codec = { read: (value) => value, write: (value) => value as SqlValue };
const FLAG: Codec = { read: (value) => value === 1, write: (value) => (value ? 1 : 0) };
const OBJECT: Codec = { read: readJson, write: (value) => writeJson(value as object | null) };

const codecOf = (field: string): Codec =>
  FLAGS.has(field) ? FLAG : OBJECTS.has(field) ? OBJECT : PLAIN;

export function readJson<Value>(text: SqlValue | undefined): Value | null {
  return text == null ? null : (JSON.parse(text as string) as Value);
}

export function writeJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** `also`: columns that are read and not written. `derived`: columns that are written and not read. */
export function rowOf<Row extends Fields>(
  columns: string,
  also: readonly string[] = [],
  derived: Readonly<Record<string, (row: Row) => SqlValue>> = {},
): StoredRow<Row> {
  const written = columns.split(", ");
  const read = [...also, ...written.filter((column) => !Object.hasOwn(derived, column))].map(
    (column) => ({ column, field: fieldOf(column), codec: codecOf(fieldOf(column)) }),
  );
  const writers = written.map((column): ((row: Row) => SqlValue) => {
    const field = fieldOf(column);
    const { write } = codecOf(field);
    return derived[column] ?? ((row) => write(row[field]));
  });
  const readRow = (row: SqlRow): Row => {
    const fields: Fields = {};
    for (const { column, field, codec } of read) fields[field] = codec.read(row[column] ?? null);
    return fields as Row;
  };
  return {
    columns,
    read: readRow,
    find: (row) => (row === undefined ? null : readRow(row)),
    values: (row) => writers.map((write) => write(row)),
  };
}
