import { formatNumber } from "#counted.ts";

/** Text for the terminal: tables, counts and times, and CSV. Times are UTC, as their headings say. */

type Cell = string | number;

/** Aligns columns under their headings, and numbers to the right. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? formatNumber(cell) : cell)),
  );
  const isNumber = headings.map((_, column) => rows.some((row) => typeof row[column] === "number"));
  const widths = headings.map((heading, column) =>
    // Not with spread, whose arguments overflow the stack where there are many rows.
    texts.reduce((width, row) => Math.max(width, (row[column] ?? "").length), heading.length),
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

/** Joins names for a sentence, at most three of them. */
export const shortList = (names: readonly string[]) =>
  names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")}, …`;

export const cut = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`;

/** A time to the minute, for columns whose heading says UTC. `missing` stands for null. */
export const minute = (at: string | null, missing: string) =>
  at === null ? missing : at.slice(0, 16).replace("T", " ");

/** Names and values in two columns. */
export function lines(rows: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, value]) => `${name.padEnd(width)}${value}\n`).join("");
}

type CsvCell = string | number | null;

/** Formats a table as CSV (RFC 4180, lines end with CR LF). */
export const csv = (headings: readonly string[], rows: readonly (readonly CsvCell[])[]): string =>
  [headings, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");

function csvCell(cell: CsvCell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  // Spreadsheets run text that starts with these characters as a formula, and anyone can choose their email address.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
