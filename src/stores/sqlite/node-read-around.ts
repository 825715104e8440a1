import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { SqlRow, SqlValue } from "./driver.ts";

/** The rows between two keys, exclusive, cannot be read. Null: from the beginning, to the end. */
export type Gap = { after: SqlValue[] | null; before: SqlValue[] | null };

/** Before every key, because numbers come before texts. */
const FIRST = Number.MIN_SAFE_INTEGER;
/** The number of times that a gap is divided in search of readable rows inside of it. */
const DIVISIONS_MAX = 400;

/**
 * Reads the rows of a table around pages that SQLite cannot read, and returns the gaps. It reads from both ends until SQLite
 * reports damage, then divides what is left by the first column of the key, if that is a number, and reads from there in both
 * directions.
 */
export function readAround(
  database: DatabaseSync,
  table: string,
  key: string,
  onRow: (row: SqlRow) => void,
): Gap[] {
  const columns = key.split(", ");
  const parameters = `(${columns.map(() => "?").join(", ")})`;
  let divisions = DIVISIONS_MAX;

  /** Returns null at the end of the range; otherwise the key of the last row before the damage, null if there is none. */
  function read({ after, before }: Gap, order: "ASC" | "DESC"): { last: SqlValue[] | null } | null {
    let last: SqlValue[] | null = null;
    const conditions = [
      ...(after === null ? [] : [`(${key}) > ${parameters}`]),
      ...(before === null ? [] : [`(${key}) < ${parameters}`]),
    ];
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    const by = columns.map((column) => `${column} ${order}`).join(", ");
    try {
      const statement = database.prepare(`SELECT * FROM ${table} ${where} ORDER BY ${by}`);
      // Damage can make a number too large for JavaScript's.
      statement.setReadBigInts(true);
      for (const found of statement.iterate(...(after ?? []), ...(before ?? []))) {
        const row = plainRow(found);
        onRow(row);
        last = columns.map((column) => row[column] ?? null);
      }
      return null;
    } catch {
      return { last };
    }
  }

  function readRange(range: Gap): Gap[] {
    const forward = read(range, "ASC");
    if (forward === null) return [];
    const rest = { ...range, after: forward.last ?? range.after };
    const backward = read(rest, "DESC");
    if (backward === null) return [];
    return divide({ ...rest, before: backward.last ?? range.before });
  }

  function divide(gap: Gap): Gap[] {
    const from = gap.after === null ? 0 : gap.after[0];
    const to = gap.before === null ? Number.MAX_SAFE_INTEGER : gap.before[0];
    if (typeof from !== "number" || typeof to !== "number" || to - from < 2) return [gap];
    if (divisions <= 0) return [gap];
    divisions -= 1;
    // An open end is approached in powers of two, because keys are far below the largest number.
    const middle =
      gap.before === null ? Math.max(from * 2, from + 2) : from + Math.floor((to - from) / 2);
    if (middle >= to) return [gap];
    const at = columns.map((_, index) => (index === 0 ? middle : FIRST));
    return joined([
      ...readRange({ after: gap.after, before: at }),
      ...readRange({ after: at, before: gap.before }),
    ]);
  }

  return readRange({ after: null, before: null });
}

/** Joins gaps that touch: dividing a gap inside a damaged page gives many. */
function joined(gaps: Gap[]): Gap[] {
  const result: Gap[] = [];
  for (const gap of gaps) {
    const last = result.at(-1);
    if (last !== undefined && String(last.before) === String(gap.after)) last.before = gap.before;
    else result.push({ ...gap });
  }
  return result;
}

function plainRow(row: Record<string, SQLOutputValue>): SqlRow {
  const values = Object.entries(row).map(([column, value]): [string, SqlValue] => [
    column,
    typeof value === "bigint" ? Number(value) : value instanceof Uint8Array ? String(value) : value,
  ]);
  return Object.fromEntries(values);
}
