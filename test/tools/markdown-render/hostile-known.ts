import { type Hostile, nest, repeats, series, square, writtenFamily } from "./hostile-shapes.ts";

/** The hash of cmark's reference map when it had 16 buckets. */
function cmarkBucket(label: string): number {
  let hash = 0;
  for (const char of label) {
    hash = (char.charCodeAt(0) + (hash << 6) + (hash << 16) - hash) | 0;
  }
  return (hash >>> 0) % 16;
}

function* collidingLabels(): Generator<string> {
  for (let index = 0; ; index += 1) {
    if (cmarkBucket(`x${index}`) === 0) yield `x${index}`;
  }
}

/** test/pathological_tests.py of commonmark/cmark and of github/cmark-gfm. */
const cmark = writtenFamily("cmark", {
  "deeply nested lists": series((depth) => `${"  ".repeat(depth)}* a\n`),
  backticks: series((length) => `e${"`".repeat(length)}`),
  "empty lines in deeply nested lists": square((depth) => `${"- ".repeat(depth)}a`, "\n", 4),
  "empty lines in deeply nested lists in blockquote": square(
    (depth) => `> ${"- ".repeat(depth)}a\n`,
    ">\n",
    4,
  ),
  "emph in deep blockquote": square((depth) => ">".repeat(depth), "a*", 4),
  "many references": (size) =>
    series((index) => `[${index}]: u\n`)(size / 2) + "[0] ".repeat(size / 8),
  "reference collisions": (size) => {
    const labels = collidingLabels();
    const bad = labels.next().value;
    return series(() => `[${labels.next().value}]: /url\n\n[${bad}]\n\n`)(size);
  },
});

/** Issues of cmark and cmark-gfm, and the advisories of cmark-gfm. */
const cmarkGfm = writtenFamily("cmark-gfm", {
  "smart dashes": (size) => `${"- ".repeat(size / 4)}s${" -".repeat(size / 4)}`,
  "footnote of every number": series((i) => `[^${i}]: x\n\n[^${i}]\n\n`),
  "table of many columns": square(
    (width) => `${"|a".repeat(width)}\n${"|-".repeat(width)}\n`,
    "|\n",
  ),
  "table header that grows": series((width) => `${"|a".repeat(width)}\n${"|-".repeat(width)}\n\n`),
});

/** test/pathological-tests.py of mity/md4c, and its issues. */
const md4c = writtenFamily("md4c", {
  "many disabled bracket openers": (size) => {
    const count = Math.floor(size / 3);
    return `${"[".repeat(count)}![img](/url${"[".repeat(count)})](/outer)${"]".repeat(count - 1)}`;
  },
  "nested invalid link references": (size) => `${nest("[", "", "]")(size)}\n\n[a]: /b`,
  "huge table": (size) =>
    square((width) => `${"th|".repeat(width)}\n${"-|".repeat(width)}\n`, "td\n", 4)(size),
  "many link ref. def. instantiations": (size) =>
    `[x]: ${"x".repeat(size / 2)}\n${"[x]".repeat(size / 6)}`,
  "many nested footnotes references": (size) => `[^na]:\n\n${nest("[^", "x", "]")(size)}`,
});

/** test/pathological.mjs of markdown-it and of linkify-it, and issues of markdown-it, marked, commonmark.js and others. */
const others = writtenFamily("others", {
  "hardbreak whitespaces pattern": (size) => `x${" ".repeat(size)}x  \nx`,
  "long word before an underline": (size) => `${"a".repeat(size)}\n= b`,
  "every line one deeper": series((depth) => `${">".repeat(depth)}a\n`),
});

/** A single character or short word, repeated. */
export const singles: Hostile[] = writtenFamily("nothing but", {
  ...repeats(..."*_~`[]()<>!&#+-=|\\:;.@/\"'{}$%^?, \t\n\r\v\f\0aA0"),
});

/** Documents that other engines could not handle. */
export const known: Hostile[] = [...cmark, ...cmarkGfm, ...md4c, ...others];
