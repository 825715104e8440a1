import {
  family,
  flood,
  type Hostile,
  halves,
  nest,
  repeat,
  repeats,
  series,
  square,
} from "./hostile-shapes.ts";

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
const cmark = family("cmark", {
  "many emph closers with no openers": repeat("a_ "),
  "many emph openers with no closers": repeat("_a "),
  "many link closers with no openers": repeat("a]"),
  "many link openers with no closers": repeat("[a"),
  "mismatched openers and closers": repeat("*a_ "),
  "emph delimiters of both kinds": repeat("*_* _ "),
  "link openers and emph closers": repeat("[ a_"),
  "pattern [ (](": repeat("[ (]("),
  "pattern ![[]()": repeat("![[]()"),
  "hard link/emph case": repeat("**x [a*b**c*](d)"),
  "U+0000 in input": repeat("abc\u0000de\u0000"),
  "unclosed links A": repeat("[a](<b"),
  "unclosed links B": repeat("[a](b"),
  tables: repeat("aaa\rbbb\n-\u000b\n"),
  "openers and closers multiple of 3": flood("a**b", "c* "),
  "nested block quotes": flood("", "> ", "a"),
  "unclosed <!--": flood("</", "<!--"),
  "emph openers within emph closers": halves("*a ", "_a*_ "),
  "nested strong emph": nest("*a **a ", "b", " a** a*"),
  "nested brackets": nest("[", "a", "]"),
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
const cmarkGfm = family("cmark-gfm", {
  "smart quotes": repeat("'"),
  "autolink :": repeat("://"),
  "autolink www": repeat("www."),
  "autolink @": repeat("@"),
  "autolink a@": repeat("a@"),
  "autolink of www and spaces": repeat("www.a "),
  "autolinks of a trailing entity": repeat("www.a.bc/&amp;"),
  "autolinks of underscores before an entity": repeat("http://a.b_&amp;"),
  "footnote definitions in footnote definitions": repeat("[^a]:"),
  "table that starts at every line": repeat("a|b\n-|-\n"),
  "table in a list in a table": repeat("- |a|\n  |-|\n  |b|\n"),
  "strikethrough flood": repeat("~"),
  "html block start conditions": repeat("<x"),
  "processing instructions <?x": repeat("<?x"),
  "autolink trailing parens": flood("http://a.bc/", "("),
  "autolink closing parens": flood("www.a.bc/", ")"),
  "autolink trailing ;": flood("http://a.bc/?a&", "a;"),
  "autolink trailing punctuation": flood("www.a.bc", "?!.,:*_~"),
  "autolink trailing <": flood("http://a.bc", "<"),
  "table of many rows in a list": flood("- |a|b|\n  |-|-|\n", "  |1|2|\n"),
  "unclosed <!A": flood("a", "<!A "),
  "unclosed <?": flood("a", "<?"),
  "unclosed <![CDATA[": flood("a", "<![CDATA["),
  "footnotes nested": nest("[^a]: ", "x", "\n"),
  "smart dashes": (size) => `${"- ".repeat(size / 4)}s${" -".repeat(size / 4)}`,
  "footnote of every number": series((i) => `[^${i}]: x\n\n[^${i}]\n\n`),
  "table of many columns": square(
    (width) => `${"|a".repeat(width)}\n${"|-".repeat(width)}\n`,
    "|\n",
  ),
  "table header that grows": series((width) => `${"|a".repeat(width)}\n${"|-".repeat(width)}\n\n`),
});

/** test/pathological-tests.py of mity/md4c, and its issues. */
const md4c = family("md4c", {
  "many 3-emph openers with no closers": repeat("a***"),
  "many links": repeat("[t](/u) "),
  "many images with brackets in URLs": repeat("[![img](url[)]() "),
  "many html openers and closers": repeat("<>"),
  "many backticks and escapes": repeat("\\``"),
  "many broken links": repeat("]([\n"),
  "CR and CR+LF line endings": repeat("# h1\r\n\r\na\rb\r\n\r- x\r\n- y\r"),
  "U+FEFF": repeat("\ufefffoo"),
  "many html proc. inst. openers": flood("x", "<?"),
  "many html CDATA openers": flood("x", "<![CDATA["),
  "broken thematic break": flood("", "* ", "a"),
  "many broken permissive autolinks": flood("", "www._", "x"),
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
const others = family("others", {
  "emphasis **_* pattern": repeat("**_* "),
  "backtick ``\\``\\`` pattern": repeat("``\\"),
  "schema prefixes mailto:": repeat("mailto:"),
  "schema prefixes http:": repeat("http:"),
  "schema prefixes http://": repeat("http://"),
  "smart quotes of both kinds": repeat("\"'"),
  "*_*_": repeat("*_"),
  "[](": repeat("[]("),
  "!-- <": repeat("!-- <"),
  "</<!--": repeat("</<!--"),
  "[x]( unclosed": repeat("[x]("),
  "tildes to the end": repeat("~"),
  "block quotes in words": repeat("a > "),
  "pulldown-cmark [^ at every line": repeat("[^\n"),
  "comrak nested quote and table": repeat("> | a | b |\n> |---|---|\n"),
  "autolinks <<<<...<<> pattern": flood("", "<", ">"),
  "fuzzy links and an @": flood("", "a.com ", "@"),
  "fuzzy emails and a .com": flood("", "a@b.com ", ".com"),
  "[ and backslashes": flood("[", "\\"),
  "[](  and spaces": flood("[](", " "),
  "comment with many dashes": flood("foo <!--", "-", "->"),
  "list then text of stars": flood("", "* ", "\n"),
  "heading of spaces": flood("#", " ", "a"),
  "heading of spaces and closing": flood("# a", " ", "#b"),
  "heading closed again and again": flood("# a", " #", " b"),
  "setext of spaces": flood("a\n=", " ", "a"),
  "tabs before text": flood("", "\t", "a"),
  "pulldown-cmark [^ in an open tag": flood("<a ", "[^\n"),
  "<<<:/:/:/": halves("<", ":/"),
  "nested inlines": nest("*", "a", "*"),
  "hardbreak whitespaces pattern": (size) => `x${" ".repeat(size)}x  \nx`,
  "long word before an underline": (size) => `${"a".repeat(size)}\n= b`,
  "every line one deeper": series((depth) => `${">".repeat(depth)}a\n`),
});

/** A single character or short word, repeated. */
export const singles: Hostile[] = family("nothing but", {
  ...repeats(..."*_~`[]()<>!&#+-=|\\:;.@/\"'{}$%^?, \t\n\r\v\f\0aA0", "\n ", "\t\n"),
});

/** Documents that other engines could not handle. */
export const known: Hostile[] = [...cmark, ...cmarkGfm, ...md4c, ...others];
