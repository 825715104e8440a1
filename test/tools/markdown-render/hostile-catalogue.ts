import { constructs } from "./hostile-constructs.ts";
import { known, singles } from "./hostile-known.ts";
import { drawn, pairs } from "./hostile-pairs.ts";
import {
  family,
  flood,
  type Hostile,
  nest,
  repeat,
  repeats,
  series,
  square,
  type Table,
} from "./hostile-shapes.ts";

const emphasis = family("emphasis", {
  "runs of growing length": series((length) => `${"*".repeat(length)}a`),
  "runs of growing length that close": series((length) => `a${"*".repeat(length)} `),
  "both runs of growing length": series((length) => `${"*".repeat(length)}a${"_".repeat(length)} `),
  "tildes of growing length": series((length) => `${"~".repeat(length)}a`),
  "a long run before every length": (size) =>
    `${"*".repeat(size / 2)}a${series((n) => `${"*".repeat(n)} `)(size / 2)}`,
  "stars between a long word": (size) => `*${"a".repeat(size / 2)}*${"b".repeat(size / 2)}*`,
});

const code = family("code spans", {
  "lengths that fall": (size) => {
    const longest = Math.floor(Math.sqrt(2 * size)) - 2;
    return Array.from({ length: longest }, (_, index) => `${"`".repeat(longest - index)}a`).join(
      "",
    );
  },
  "lengths that rise, then fall": (size) => {
    const rising = series((length) => `${"`".repeat(length + 1)}a`)(size / 2);
    return rising + [...rising].reverse().join("");
  },
  "each length at each paragraph": series((length) => `${"`".repeat(length)}a\n\n`),
});

const inlines: Hostile[] = [...emphasis, ...code];

const autolinks: Hostile[] = family("autolinks", {
  "a long path ending in brackets": (size) =>
    `www.a.b/${"(".repeat(size / 4)}${")".repeat((size * 3) / 4)}`,
  ...Object.fromEntries(
    [
      "www._",
      "www.a_b.",
      "http://",
      "http://a_",
      "://",
      "a@",
      "a@b.c",
      "a@b_",
      "www.a*b*",
      "a.b.",
      "xmpp:",
    ].map((unit) => [`${unit} in link text, never closed`, flood("[", unit)]),
  ),
});

/** Engines allow this many levels of parentheses in a destination; the specification requires at least three. */
const PARENS_MAX = 32;

const links: Hostile[] = family("links", {
  ...repeats("[a](\\)"),
  "destinations of opening brackets": repeat(`[a](${"(".repeat(PARENS_MAX)}`),
  ...Object.fromEntries(
    [-1, 0, 1, 2].map((more): [string, Table[string]] => {
      const depth = PARENS_MAX + more;
      return [
        `destinations ${depth} deep`,
        repeat(`[a](${"(".repeat(depth)}${")".repeat(depth)})`),
      ];
    }),
  ),
  "destinations of long words, unclosed": repeat(`[a](${"b".repeat(1000)}`),
});

/** CommonMark 0.31.2, section 6.3: the most characters in a link label. */
const LABEL_MAX = 999;

const definitions = family("references", {
  "definitions of different labels": series((i) => `[a${i}]: b\n`),
  "definitions of different labels, used": series((i) => `[a${i}]: b\n`, "", "\n[a0] [a1]"),
  "definitions and uses in turn": series((i) => `[a${i}]: b\n\n[a${i}]\n\n`),
  "uses before their definitions": (size) =>
    `${series((i) => `[a${i}] `)(size / 2)}\n\n${series((i) => `[a${i}]: b\n`)(size / 2)}`,
  "uses of what is not defined": series((i) => `[a${i}][b${i}] `, "[a]: b\n\n"),
  "an address expanded by each use": (size) =>
    `[a]: ${"b".repeat(size / 2)}\n\n${"[a]".repeat(size / 6)}`,
  "a short address expanded": (size) =>
    `[a]: ${"b".repeat(1000)}\n\n${"[a]".repeat(size / 3 - 400)}`,
  "a title expanded by each use": (size) =>
    `[a]: b "${'"'.repeat(0)}${"c".repeat(size / 2)}"\n\n${"[a]".repeat(size / 6)}`,
  "quotes in a title expanded": (size) =>
    `[a]: b '${'"'.repeat(size / 2)}'\n\n${"[a]".repeat(size / 6)}`,
  "an address expanded by each image": (size) =>
    `[a]: ${"b".repeat(size / 2)}\n\n${"![a]".repeat(size / 8)}`,
  "non-ASCII expanded": (size) => `[a]: ${"\u20ac".repeat(size / 8)}\n\n${"[a]".repeat(size / 6)}`,
  "U+2191 expanded": (size) =>
    `[\u2191]: ${"b".repeat(size / 2)}\n\n${"[\u2191]".repeat(size / 6)}`,
  "an address of dropped scheme expanded": (size) =>
    `[a]: javascript:${"b".repeat(size / 2)}\n\n${"[a]".repeat(size / 6)}`,
  "label of 999 characters": (size) =>
    `[${"a".repeat(LABEL_MAX)}]: b\n\n${`[${"a".repeat(LABEL_MAX)}]`.repeat(size / (LABEL_MAX + 2) - 2)}`,
  ...Object.fromEntries(
    [-1, 0, 1].map((more): [string, Table[string]] => [
      `labels of ${LABEL_MAX + more} characters`,
      series((i) => `[${String(i).padEnd(LABEL_MAX + more, "a")}]: b\n`),
    ]),
  ),
  "labels of 999 characters, used and not defined": repeat(`[${"a".repeat(LABEL_MAX)}]`),
  "labels of 999 spaces": repeat(`[${" ".repeat(LABEL_MAX)}]`),
  "labels with much white space": repeat(`[a${" ".repeat(900)}b]`),
  "labels that fold to more": series(
    (i) => `[${"\u1e9e".repeat(300)}${i}]: b\n\n[${"ss".repeat(300)}${i}]\n\n`,
  ),
  "labels in labels, each defined": (size) => `[a]: b\n\n${nest("[a", "a", "]")(size)}`,
  "full references in brackets": (size) =>
    `[a]: b\n\n${"[".repeat(size / 6)}${"[a][a]".repeat(size / 8)}`,
  "a prototype's names": (size) =>
    series((i) => `[${["__proto__", "constructor", "toString", "valueOf"][i % 4]}] `)(size),
  "labels that look like numbers": series((i) => `[${i}]: b\n`),
  "labels of large numbers": series((i) => `[${4294967290 + i * 7}]: b\n`),
});

const footnotes = family("footnotes", {
  "one definition, many references": (size) => `[^a]: b\n\n${"[^a]".repeat(size / 4 - 3)}`,
  "one definition, many references in lines": (size) =>
    `[^a]: b\n\n${"[^a]\n\n".repeat(size / 6 - 3)}`,
  "one definition with a long label": (size) =>
    `[^${"a".repeat(900)}]: b\n\n${`[^${"a".repeat(900)}] `.repeat(size / 904 - 2)}`,
  "many definitions, each used": series((i) => `[^${i}]: b\n\n[^${i}]\n\n`),
  "many definitions, used often": (size) =>
    series((i) => `[^${i}]: b\n`)(size / 2) + series((i) => `[^${i % 100}]`, "\n")(size / 2),
  "many definitions, none used": series((i) => `[^${i}]: b\n\n`),
  "many references, none defined": series((i) => `[^${i}]`),
  "a chain of definitions": series((i) => `[^${i}]: [^${i + 1}]\n\n`, "[^0]\n\n"),
  "a chain of definitions backwards": (size) =>
    `${series((i) => `[^${i + 1}]: [^${i}]\n\n`)(size - 20)}[^${Math.floor(size / 20)}]`,
  "a circle of definitions": (size) =>
    `[^a]\n\n${series((i) => `[^${i}]: [^${i + 1}] [^0]\n\n`)(size - 6)}`,
  "a definition that refers to itself": (size) => `[^a]\n\n[^a]: ${"[^a] ".repeat(size / 5 - 4)}`,
  "a long definition, much used": (size) =>
    `[^a]: ${"b ".repeat(size / 4)}\n\n${"[^a]".repeat(size / 8)}`,
  "definitions in one another by indentation": series(
    (i) => `${"    ".repeat(i)}[^${i}]: [^${i + 1}]\n\n`,
    "[^0]\n\n",
  ),
  "definitions in every quote": series((i) => `> [^${i}]: [^${i}]\n\n`),
  "definitions twice": (size) => `[^a]\n\n${"[^a]: b\n\n".repeat(size / 9)}`,
  "references in a link's text": (size) => `[^a]: b\n\n${"[c [^a]](d)".repeat(size / 12)}`,
  "references in an image's text": (size) => `[^a]: b\n\n${"![[^a]](d)".repeat(size / 11)}`,
  "labels of other cases": series((i) => `[^${i % 2 ? "\u00df" : "SS"}${i}]`, "[^ss1]: b\n\n"),
  "labels with markup": series((i) => `[^"<&${i}]: b\n\n[^"<&${i}]\n\n`),
});

const references: Hostile[] = [...definitions, ...footnotes];

/**
 * Container depths below, at and above the limits of engines, with lines that must be matched against all containers.
 */
const DEPTHS = [8, 32, 64, 99, 100, 101, 128, 256, 1000];
/** Lines that are repeated after the containers. */
const TAILS: Readonly<Record<string, string>> = {
  "lazy lines": "a\n",
  "blank lines": "\n",
  "lazy lines and blank lines": "a\n\n",
  "lines one container in": "> a\n",
  "lines of a deep list": "  a\n",
};
const CONTAINERS: Readonly<Record<string, string>> = {
  quotes: "> ",
  "quotes without spaces": ">",
  lists: "- ",
  "ordered lists": "1. ",
  "quotes and lists": "> - ",
  "lists of three kinds": "- + 1) ",
};

const depths: Table = Object.fromEntries([
  ...Object.entries(CONTAINERS).flatMap(([container, marker]) =>
    Object.entries(TAILS).flatMap(([tail, line]) => [
      [
        `${container} as deep as there are ${tail}`,
        square((count) => `${marker.repeat(count)}a\n`, line, marker.length),
      ] as const,
      [`${container} 100 deep, then ${tail}`, flood(`${marker.repeat(100)}a\n`, line)] as const,
    ]),
  ),
  ...DEPTHS.flatMap((depth) => [
    [`quotes ${depth} deep on every line`, repeat(`${"> ".repeat(depth)}a\n`)] as const,
    [`quotes ${depth} deep in every paragraph`, repeat(`${">".repeat(depth)}\n\n`)] as const,
    [`lists ${depth} deep on every line`, repeat(`${"- ".repeat(depth)}a\n`)] as const,
    [`quotes ${depth} deep with one lazy line`, repeat(`${">".repeat(depth)}a\nb\n\n`)] as const,
  ]),
]);

const nested = family("containers", {
  ...depths,
  "quotes one deeper each line": series((depth) => `${"> ".repeat(depth)}a\n`),
  "quotes one less deep each line": (size) => {
    const deepest = Math.floor(Math.sqrt(size)) - 2;
    return Array.from({ length: deepest }, (_, index) => `${"> ".repeat(deepest - index)}a\n`).join(
      "",
    );
  },
  "quotes deep, then one paragraph": (size) =>
    `${">".repeat(size / 2)}a\n\n${"a ".repeat(size / 4)}`,
  "quotes deep, then none, by turns": repeat(`${"> ".repeat(100)}a\n\nb\n\n`),
  "quotes deep, by turns with less deep": repeat(`${"> ".repeat(100)}a\n${"> ".repeat(50)}\n`),
  "an open fence in a deep list": square((depth) => `${"- ".repeat(depth)}\`\`\`\n`, "\n", 4),
  "an open fence 100 lists deep": flood(`${"- ".repeat(100)}\`\`\`\n`, "\n"),
  "an open HTML block 100 lists deep": flood(`${"- ".repeat(100)}<pre>\n`, "\n"),
  "indented code 90 lists deep": flood(`${"- ".repeat(90)}    a\n`, "\n"),
  "indented code 90 lists deep, each line": flood(
    `${"- ".repeat(90)}    a\n`,
    `${" ".repeat(190)}b\n\n`,
  ),
  "a table 90 quotes deep": flood("", `${">".repeat(90)}|a|\n${">".repeat(90)}|-|\n\n`),
  "list and quote, one deeper each line": series((depth) => `${"> - ".repeat(depth)}a\n`),
  "a footnote in each level": series((depth) => `${"> ".repeat(depth % 100)}[^${depth}]: a\n\n`),
});

const lists = family("lists", {
  ...repeats("1. a\n1) b\n", "-\n+\n", "-\n+\n*\n"),
  "nested by indentation": series((depth) => `${"  ".repeat(depth)}- a\n`),
  "nested by indentation, blank lines between": series((depth) => `${"  ".repeat(depth)}- a\n\n`),
  "nested by indentation, ordered": series((depth) => `${"   ".repeat(depth)}1. a\n`),
  "nested by indentation of one": series((depth) => `${" ".repeat(depth)}- a\n`),
  "nested by indentation of four": series((depth) => `${"    ".repeat(depth)}- a\n`),
  "nested by tabs": series((depth) => `${"\t".repeat(depth)}- a\n`),
  "nested, 90 deep, again and again": repeat(
    Array.from({ length: 90 }, (_, depth) => `${"  ".repeat(depth)}- a\n`).join(""),
  ),
  "nested and back again": series((index) => `${"  ".repeat(Math.abs((index % 180) - 90))}- a\n`),
  "deep, then many items at the top": (size) =>
    `${"- ".repeat(size / 2)}a\n${"- a\n".repeat(size / 8)}`,
  "deep, then many blank lines": (size) => `${"- ".repeat(size / 2)}a\n${"\n".repeat(size / 2)}`,
  "deep, then many lazy lines": (size) => `${"- ".repeat(size / 2)}a\n${"a\n".repeat(size / 4)}`,
  "tasks 90 deep": repeat(`${"- [ ] ".repeat(90)}a\n\nb\n\n`),
  "numbers that grow": series((index) => `${index}. a\n`),
  "numbers with many noughts": series((index) => `${String(index).padStart(9, "0")}. a\n`),
  "empty items, each with more spaces": series((spaces) => `-${" ".repeat(spaces)}\n`),
  "items that begin with more spaces": series((spaces) => `-${" ".repeat(spaces % 7)}a\n`),
});

const containers: Hostile[] = [...nested, ...lists];

const leaves: Hostile[] = family("leaf blocks", {
  "fences of growing length": series((length) => `${"`".repeat(length + 3)}\n`),
  "fences of growing length, apart": series((length) => `${"~".repeat(length + 3)}\na\n\n`),
  "fences of falling length": (size) => {
    const longest = Math.floor(Math.sqrt(2 * size)) - 4;
    return Array.from(
      { length: longest },
      (_, index) => `${"`".repeat(longest - index + 3)}\n`,
    ).join("");
  },
  "indented code with long blank lines": flood("    a\n", `${" ".repeat(100)}\n`, "    b"),
  "rule nearly, at every line": repeat(`${"* ".repeat(50)}a\n`),
  "rule nearly, of dashes, at every line": repeat(`${"- ".repeat(50)}a\n`),
  "rule nearly, of underscores, at every line": repeat(`${"_ ".repeat(50)}a\n`),
  "rules with many spaces": repeat(`*${" ".repeat(100)}**\n`),
  "blank lines with growing spaces": series((spaces) => `${" ".repeat(spaces)}\n`),
  "a paragraph of growing indentation": series((spaces) => `${" ".repeat(spaces)}a\n`),
  "a paragraph with spaces at each end": repeat(`a${" ".repeat(100)}\n`),
  "a paragraph with tabs at each end": repeat(`a${"\t".repeat(100)}\n`),
  "alerts one deeper each line": series((depth) => `${"> ".repeat(depth % 90)}[!NOTE]\n\n`),
});

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

const tables: Hostile[] = family("tables", {
  ...widths,
  "one column without bars": flood("a\n:-\n", "b\n"),
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

const lines = family("lines", {
  "lines of growing length": series((length) => `${"a".repeat(length)}\n`),
  "all of ASCII": series((index) => String.fromCharCode(index % 128)),
  "all of ASCII, lines": series((index) => `${String.fromCharCode(index % 128)}a\n`),
  "all of the plane": series((index) => String.fromCharCode(index % 0xd800)),
});

/** Written by hand, each to attack one task of an engine. */
export const byHand: readonly Hostile[] = [
  ...known,
  ...singles,
  ...inlines,
  ...autolinks,
  ...links,
  ...references,
  ...containers,
  ...leaves,
  ...lines,
  ...tables,
];

/** Generated by combination: every construct in every way, and every pair of fragments. */
export const combined: readonly Hostile[] = [...constructs, ...pairs];

const byName = new Map([...byHand, ...combined].map((hostile) => [hostile.name, hostile]));

/** Documents that are drawn from a number need no list. */
export function hostileNamed(name: string): Hostile {
  const number = /^drawn (\d+)/.exec(name)?.[1];
  const hostile = number === undefined ? byName.get(name) : drawn(Number(number));
  if (hostile === undefined) throw new Error(`there is no hostile document "${name}"`);
  return hostile;
}
