import { type Case, check } from "./cases.ts";

const table = (head: string[], ...rows: string[][]) =>
  [
    "<table>\n<thead>\n<tr>\n",
    ...head.map((cell) => `<th>${cell}</th>\n`),
    "</tr>\n</thead>\n",
    ...(rows.length > 0 ? ["<tbody>\n"] : []),
    ...rows.flatMap((row) => ["<tr>\n", ...row.map((cell) => `<td>${cell}</td>\n`), "</tr>\n"]),
    ...(rows.length > 0 ? ["</tbody>\n"] : []),
    "</table>\n",
  ].join("");

const rowsOf = (source: string, rows: readonly [row: string, ...cells: string[]][]): Case[] =>
  rows.map(([row, ...cells]) => ({
    markdown: `| a |${" b |".repeat(cells.length - 1)}\n|${"-|".repeat(cells.length)}\n${row}`,
    html: table(["a", ...cells.slice(1).map(() => "b")], cells),
    source,
  }));

const GITHUB = "micromark-extension-gfm-table, fixture some-escapes.html of GitHub";
const CMARK = "cmark-gfm 0.29.0.gfm.6";

check("a pipe behind a backslash stays in its cell, and that backslash goes", [
  ...rowsOf(GITHUB, [
    ["| B \\| Bravo |", "B | Bravo"],
    ["| C \\\\| Charlie |", "C | Charlie"],
    ["| D \\\\\\| Delta |", "D \\| Delta"],
    ["| E \\\\\\\\| Echo |", "E \\| Echo"],
    ["| F \\ Foxtrott |", "F \\ Foxtrott"],
  ]),
  ...rowsOf(CMARK, [
    ["| `a\\\\|b` | x |", "<code>a\\|b</code>", "x"],
    ["| `a\\|b` | x |", "<code>a|b</code>", "x"],
    ["| `\\\\\\|` | x", "<code>\\\\|</code>", "x"],
    ["| \\\\ | x |", "\\", "x"],
    ["\\| x", "| x"],
    ["\\\\| x", "| x"],
    ["| a \\|", "a |"],
    ["| a \\\\|", "a |"],
    ["| a \\|\\| b \\| | x", "a || b |", "x"],
    ["| **a\\\\|b** | ~~x\\|y~~ |", "<strong>a|b</strong>", "<del>x|y</del>"],
    ["| [a\\|b](u\\|v) |", '<a href="u%7Cv">a|b</a>'],
    ['| [a\\\\|b](u "t\\\\|") |', '<a href="u" title="t|">a|b</a>'],
    ["| ![a\\|b](u) |", '<img src="u" alt="a|b" />'],
    ["| `a` \\\\| `b\\\\` | x", "<code>a</code> | <code>b\\\\</code>", "x"],
  ]),
  {
    markdown: "| `a\\\\|b` | x |\n| --- | --- |",
    html: table(["<code>a\\|b</code>", "x"]),
    source: CMARK,
  },
  {
    markdown: "a\\\\|b\n-\n\n|a\\\\|b\n|-|",
    html: `<h2>a\\|b</h2>\n${table(["a|b"])}`,
    source: CMARK,
  },
  { markdown: "a\\\\|b\n-|-", html: "<p>a\\|b\n-|-</p>\n", source: CMARK },
  { markdown: "a\\|b|c\n-|-", html: table(["a|b", "c"]), source: CMARK },
  { markdown: "|a|\n|-\\|", html: "<p>|a|\n|-|</p>\n", source: CMARK },
  {
    markdown: "> - a\\\\|b|c\n>   -|-",
    html: `<blockquote>\n<ul>\n<li>\n${table(["a|b", "c"])}</li>\n</ul>\n</blockquote>\n`,
    source: CMARK,
  },
]);
