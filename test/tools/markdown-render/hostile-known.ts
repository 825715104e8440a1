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
  "nested strong emph": nest("*a **a ", "b", " a** a*"),
  "many emph closers with no openers": repeat("a_ "),
  "many emph openers with no closers": repeat("_a "),
  "many link closers with no openers": repeat("a]"),
  "many link openers with no closers": repeat("[a"),
  "mismatched openers and closers": repeat("*a_ "),
  "commonmark.js issue 172": repeat("*_* _ "),
  "issue 389": halves("*a ", "_a*_ "),
  "openers and closers multiple of 3": flood("a**b", "c* "),
  "link openers and emph closers": repeat("[ a_"),
  "pattern [ (](": repeat("[ (]("),
  "pattern ![[]()": repeat("![[]()"),
  "hard link/emph case": repeat("**x [a*b**c*](d)"),
  "nested brackets": nest("[", "a", "]"),
  "nested block quotes": flood("", "> ", "a"),
  "deeply nested lists": series((depth) => `${"  ".repeat(depth)}* a\n`),
  "U+0000 in input": repeat("abc\0de\0"),
  backticks: series((length) => `e${"`".repeat(length)}`),
  "unclosed links A": repeat("[a](<b"),
  "unclosed links B": repeat("[a](b"),
  "unclosed <!--": flood("</", "<!--"),
  "empty lines in deeply nested lists": square((depth) => `${"- ".repeat(depth)}a`, "\n", 4),
  "empty lines in deeply nested lists in blockquote": square(
    (depth) => `> ${"- ".repeat(depth)}a\n`,
    ">\n",
    4,
  ),
  "emph in deep blockquote": square((depth) => ">".repeat(depth), "a*", 4),
  tables: repeat("aaa\rbbb\n-\v\n"),
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
  "smart dashes": (size) => `${"- ".repeat(size / 4)}s${" -".repeat(size / 4)}`,
  "autolink :": repeat("://"),
  "autolink www": repeat("www."),
  "autolink @": repeat("@"),
  "autolink a@": repeat("a@"),
  "autolink trailing parens": flood("http://a.bc/", "("),
  "autolink closing parens": flood("www.a.bc/", ")"),
  "autolink trailing ;": flood("http://a.bc/?a&", "a;"),
  "autolink trailing punctuation": flood("www.a.bc", "?!.,:*_~"),
  "autolink trailing <": flood("http://a.bc", "<"),
  "autolink of www and spaces": repeat("www.a "),
  "autolinks of a trailing entity": repeat("www.a.bc/&amp;"),
  "autolinks of underscores before an entity": repeat("http://a.b_&amp;"),
  "footnotes nested": nest("[^a]: ", "x", "\n"),
  "footnote definitions in footnote definitions": repeat("[^a]:"),
  "footnote of every number": series((i) => `[^${i}]: x\n\n[^${i}]\n\n`),
  "table of many columns": square(
    (width) => `${"|a".repeat(width)}\n${"|-".repeat(width)}\n`,
    "|\n",
  ),
  "table of many rows in a list": flood("- |a|b|\n  |-|-|\n", "  |1|2|\n"),
  "table that starts at every line": repeat("a|b\n-|-\n"),
  "table header that grows": series((width) => `${"|a".repeat(width)}\n${"|-".repeat(width)}\n\n`),
  "table in a list in a table": repeat("- |a|\n  |-|\n  |b|\n"),
  "strikethrough flood": repeat("~"),
  "html block start conditions": repeat("<x"),
  "processing instructions <?x": repeat("<?x"),
  "unclosed <!A": flood("a", "<!A "),
  "unclosed <?": flood("a", "<?"),
  "unclosed <![CDATA[": flood("a", "<![CDATA["),
});

/** test/pathological-tests.py of mity/md4c, and its issues. */
const md4c = family("md4c", {
  "many 3-emph openers with no closers": repeat("a***"),
  "many links": repeat("[t](/u) "),
  "many images with brackets in URLs": repeat("[![img](url[)]() "),
  "many disabled bracket openers": (size) => {
    const count = Math.floor(size / 3);
    return `${"[".repeat(count)}![img](/url${"[".repeat(count)})](/outer)${"]".repeat(count - 1)}`;
  },
  "many html openers and closers": repeat("<>"),
  "many html proc. inst. openers": flood("x", "<?"),
  "many html CDATA openers": flood("x", "<![CDATA["),
  "many backticks and escapes": repeat("\\``"),
  "broken thematic break": flood("", "* ", "a"),
  "nested invalid link references": (size) => `${nest("[", "", "]")(size)}\n\n[a]: /b`,
  "many broken permissive autolinks": flood("", "www._", "x"),
  "huge table": (size) =>
    square((width) => `${"th|".repeat(width)}\n${"-|".repeat(width)}\n`, "td\n", 4)(size),
  "many broken links": repeat("]([\n"),
  "many link ref. def. instantiations": (size) =>
    `[x]: ${"x".repeat(size / 2)}\n${"[x]".repeat(size / 6)}`,
  "many nested footnotes references": (size) => `[^na]:\n\n${nest("[^", "x", "]")(size)}`,
  "CR and CR+LF line endings": repeat("# h1\r\n\r\na\rb\r\n\r- x\r\n- y\r"),
  "U+FEFF": repeat("\ufefffoo"),
});

/** test/pathological.mjs of markdown-it and of linkify-it, and issues of markdown-it, marked, commonmark.js and others. */
const others = family("others", {
  "nested inlines": nest("*", "a", "*"),
  "emphasis **_* pattern": repeat("**_* "),
  "backtick ``\\``\\`` pattern": repeat("``\\"),
  "autolinks <<<<...<<> pattern": flood("", "<", ">"),
  "hardbreak whitespaces pattern": (size) => `x${" ".repeat(size)}x  \nx`,
  "fuzzy links and an @": flood("", "a.com ", "@"),
  "fuzzy emails and a .com": flood("", "a@b.com ", ".com"),
  "schema prefixes mailto:": repeat("mailto:"),
  "schema prefixes http:": repeat("http:"),
  "schema prefixes http://": repeat("http://"),
  "smart quotes of both kinds": repeat("\"'"),
  "*_*_": repeat("*_"),
  "[](": repeat("[]("),
  "[ and backslashes": flood("[", "\\"),
  "!-- <": repeat("!-- <"),
  "</<!--": repeat("</<!--"),
  "[](  and spaces": flood("[](", " "),
  "[x]( unclosed": repeat("[x]("),
  "tildes to the end": repeat("~"),
  "comment with many dashes": flood("foo <!--", "-", "->"),
  "list then text of stars": flood("", "* ", "\n"),
  "heading of spaces": flood("#", " ", "a"),
  "heading of spaces and closing": flood("# a", " ", "#b"),
  "heading closed again and again": flood("# a", " #", " b"),
  "setext of spaces": flood("a\n=", " ", "a"),
  "tabs before text": flood("", "\t", "a"),
  "long word before an underline": (size) => `${"a".repeat(size)}\n= b`,
  "<<<:/:/:/": halves("<", ":/"),
  "block quotes in words": repeat("a > "),
  "every line one deeper": series((depth) => `${">".repeat(depth)}a\n`),
  "pulldown-cmark [^ at every line": repeat("[^\n"),
  "pulldown-cmark [^ in an open tag": flood("<a ", "[^\n"),
  "comrak nested quote and table": repeat("> | a | b |\n> |---|---|\n"),
});

/** A single character or short word, repeated. */
export const singles: Hostile[] = family("nothing but", {
  ...repeats(..."*_~`[]()<>!&#+-=|\\:;.@/\"'{}$%^?, \t\n\r\v\f\0aA0"),
  ...repeats("\r\n", "a\n", "a\n\n", "\n ", " \n", "\t\n", "\\\n", "a ", "a  \n", "a\\\n", "&amp"),
});

/** Documents that other engines could not handle. */
export const known: Hostile[] = [...cmark, ...cmarkGfm, ...md4c, ...others];
