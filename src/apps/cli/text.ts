import { DAY_MS } from "#limits.ts";

/** Text for people at a terminal: tables, counts and times. Times are UTC, and headings say so. */

type Cell = string | number;

/** Columns under their headings, numbers to the right. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? whole(cell) : cell)),
  );
  const isNumber = headings.map((_, column) => rows.some((row) => typeof row[column] === "number"));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...texts.map((row) => (row[column] ?? "").length)),
  );
  return [headings, ...texts]
    .map((row) =>
      row
        .map((text, column) =>
          isNumber[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** 1234567 as 1,234,567. */
export const whole = (number: number) => number.toLocaleString("en-US");

export const counted = (number: number, one: string, more = `${one}s`) =>
  `${whole(number)} ${number === 1 ? one : more}`;

/** The first few of many, for a sentence. */
export const shortly = (names: readonly string[]) =>
  names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")}, …`;

/** On one line of a table. */
export const cut = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`;

export const instant = (at: number) => new Date(at).toISOString();
export const instantOrNull = (at: number | null) => (at === null ? null : instant(at));

/** Times, which are the members whose names end in `At`, as JSON has them. */
export const withInstants = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      name.endsWith("At") && typeof value === "number" ? instant(value) : value,
    ]),
  );

/** To the minute, for columns whose heading names UTC. */
export const minute = (at: number | null, none: string) =>
  at === null ? none : instant(at).slice(0, 16).replace("T", " ");

export const dayOf = (at: number) => instant(at).slice(0, 10);

/** The first millisecond of a day (2027-01-31) in UTC; undefined where there is no such day. */
export function startOfDay(day: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) || dayOf(at) !== day ? undefined : at;
}

/** The first millisecond after a day. */
export function endOfDay(day: string): number | undefined {
  const start = startOfDay(day);
  return start === undefined ? undefined : start + DAY_MS;
}
