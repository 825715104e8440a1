import { StatementRejected } from "./faults.ts";

/** Values as parts of statements: several statements go in one message only as text, and unnamed ones keep no plan. */
export type PostgresValue = string | number | boolean | null | readonly (string | number | null)[];

/** `$1` and so on as literals. */
export function inline(sql: string, values: readonly PostgresValue[]): string {
  if (values.length === 0) return sql;
  return sql.replace(/\$(\d+)/g, (_, place) => literalOf(values[Number(place) - 1] ?? null));
}

export function literalOf(value: PostgresValue): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return quote(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return value < 0 ? `(${value})` : String(value);
  return `ARRAY[${value.map(literalOf).join(",")}]`;
}

/** As `pg.escapeLiteral`, which goes through a batch of orders character by character. */
function quote(text: string): string {
  assertNoNul(text);
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return quoted.includes("\\") ? ` E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

/** A message ends at a NUL, so the rest of it would be taken for another one. */
function assertNoNul(text: string): void {
  if (text.includes("\0")) throw new StatementRejected("PostgreSQL holds no text with a NUL in it");
}

export type Column = { type: "bigint" | "text"; values: readonly (string | number | null)[] };

/** Rows to join with, by their columns. */
export function rowsFrom(name: string, columns: Record<string, Column>): string {
  const arrays = Object.values(columns).map(arrayOf);
  return `unnest(${arrays.join(", ")}) ${name} (${Object.keys(columns).join(", ")})`;
}

/** One literal: it costs a tenth of an ARRAY of literals to parse. */
export const arrayOf = ({ type, values }: Column): string =>
  `${quote(`{${values.map(element).join(",")}}`)}::${type}[]`;

const IN_ARRAYS = /["\\]/;
function element(value: string | number | null): string {
  if (typeof value !== "string") return value === null ? "NULL" : String(value);
  return `"${IN_ARRAYS.test(value) ? value.replace(/["\\]/g, "\\$&") : value}"`;
}

/** A row in the text format of COPY. Joined, because a string that grows field by field costs ten strings. */
export const copyLine = (first: number, others: readonly (string | number | null)[]): string =>
  `${first}\t${others.map(field).join("\t")}\n`;

const IN_FIELDS = /[\\\t\n\r\0]/;
const ESCAPED: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
function field(value: string | number | null): string {
  if (typeof value !== "string") return value === null ? "\\N" : String(value);
  if (!IN_FIELDS.test(value)) return value;
  assertNoNul(value);
  return value.replace(/[\\\t\n\r]/g, (character) => ESCAPED[character] as string);
}
