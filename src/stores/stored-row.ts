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
  ...{ budget_spent: "spent", debit_at: "at", takes: "take" },
};

const fieldOf = (column: string): string =>
  FIELDS[column] ?? column.replace(/_(\w)/g, (_, first: string) => first.toUpperCase());

function readValue(field: string, value: SqlValue): unknown {
  if (FLAGS.has(field)) return value === 1;
  return OBJECTS.has(field) ? readJson(value) : value;
}

function writeValue(field: string, value: unknown): SqlValue {
  if (FLAGS.has(field)) return value ? 1 : 0;
  return OBJECTS.has(field) ? writeJson(value as object | null) : (value as SqlValue);
}

export const readJson = <Value>(text: SqlValue | undefined): Value | null =>
  text == null ? null : (JSON.parse(text as string) as Value);

export const writeJson = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value);

/** `also`: columns that are read and not written. `derived`: columns that are written and not read. */
export function rowOf<Row extends Fields>(
  columns: string,
  also: readonly string[] = [],
  derived: Readonly<Record<string, (row: Row) => SqlValue>> = {},
): StoredRow<Row> {
  const written = columns.split(", ");
  const read = [...also, ...written.filter((column) => !Object.hasOwn(derived, column))].map(
    (column) => ({ column, field: fieldOf(column) }),
  );
  const writers = written.map((column): ((row: Row) => SqlValue) => {
    const field = fieldOf(column);
    return derived[column] ?? ((row) => writeValue(field, row[field]));
  });
  const readRow = (row: SqlRow): Row => {
    const fields: Fields = {};
    for (const { column, field } of read) fields[field] = readValue(field, row[column] ?? null);
    return fields as Row;
  };
  return {
    columns,
    read: readRow,
    find: (row) => (row === undefined ? null : readRow(row)),
    values: (row) => writers.map((write) => write(row)),
  };
}
