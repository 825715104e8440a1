import { type Hostile, nest, repeat, series, type Table, writtenFamily } from "./hostile-shapes.ts";

/** CommonMark 0.31.2, section 6.3: the most characters in a link label. */
const LABEL_MAX = 999;

const definitions = writtenFamily("references", {
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

const footnotes = writtenFamily("footnotes", {
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

export const references: Hostile[] = [...definitions, ...footnotes];
