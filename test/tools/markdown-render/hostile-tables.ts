import {
  flood,
  type Hostile,
  repeat,
  series,
  square,
  type Table,
  writtenFamily,
} from "./hostile-shapes.ts";

const row = (cell: string, width: number) => `|${`${cell}|`.repeat(width)}\n`;
const head = (width: number, delimiter = "-") => row("a", width) + row(delimiter, width);

const WIDTHS = [2, 10, 50, 100, 128, 200, 1000, 10_000];

const widths: Table = Object.fromEntries(
  WIDTHS.flatMap((width) => [
    [`${width} columns, rows of one cell`, flood(head(width), "a\n")],
    [`${width} centred columns, rows of one bar`, flood(head(width, ":-:"), "|\n")],
    [`${width} columns, again and again`, repeat(`${head(width)}a\n\n`)],
    [`${width} columns, full rows`, flood(head(width), row("", width))],
  ]),
);

export const tables: Hostile[] = writtenFamily("tables", {
  ...widths,
  "as many columns as rows": square((width) => head(width), "a\n", 4),
  "as many centred columns as rows of bars": square((width) => head(width, ":-:"), "|\n", 6),
  "as many columns as blank cells": square((width) => head(width), "||\n", 4),
  "header of many columns, no rows": (size) => head(Math.floor(size / 4) - 2),
  "header of many columns, delimiter row too short": (size) =>
    row("a", size / 4) + row("-", size / 4 - 1),
  "header of many columns, delimiter row too long": (size) =>
    row("a", size / 4 - 2) + row("-", size / 4),
  "header of bars only": (size) => `${"|".repeat(size / 2)}\n${"|-".repeat(size / 4)}|\n`,
  "a row with far too many cells": (size) => head(1) + "|a".repeat(size / 2 - 8),
  "rows with far too many cells": flood(head(2), row("", 1000)),
  "delimiter rows of growing width": series((width) => `|${"-|".repeat(width)}\n`),
  "headers that never get a delimiter row": repeat(row("a", 500)),
  "headers with escaped bars": repeat(`${"a\\|".repeat(500)}\n-|-\n`),
  "a cell of backslashes": flood(`${head(1)}|`, "\\", "|"),
  "a cell of stars": flood(`${head(1)}|`, "*a ", "|"),
  "a cell of brackets": flood(`${head(1)}|`, "[", "|"),
  "a cell of spaces": flood(`${head(1)}|`, " ", "|"),
  "an opener in every cell": flood(head(1), "|*a|\n"),
  "an opener in every cell of one row": (size) => `${head(1000)}${"|*a".repeat(size / 3 - 2000)}`,
  "a link in every cell": flood(head(2), "|[a](b)|\n"),
  "a reference in every cell": flood(`[a]: b\n\n${head(2)}`, "|[a]|\n"),
  "an open link in every cell": flood(head(2), "|[a](|\n"),
  "an open tag in every cell": flood(head(2), "|<a b='|\n"),
  "an open comment in every cell": flood(head(2), "|<!--|\n"),
  "a raw-text element opened in every cell": flood(head(2), "|<script>|\n"),
  "tables in deep lists": repeat(`${"- ".repeat(50)}|a|\n${" ".repeat(100)}|-|\n`),
  "tables one column wider each time": series((width) => `${head(width + 1)}a\n\n`),
  "rows that grow": series((width) => row("a", width), head(3)),
});
