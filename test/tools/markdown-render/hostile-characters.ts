import {
  family,
  flood,
  type Hostile,
  halves,
  repeat,
  repeats,
  series,
  type Table,
} from "./hostile-shapes.ts";

/** Characters that are white space, punctuation or neither, surrogate pairs, and lone surrogates. */
const CHARACTERS: Readonly<Record<string, string>> = {
  "U+00A0": "\u00a0",
  "U+2028": "\u2028",
  "U+2003": "\u2003",
  "U+3000": "\u3000",
  "U+FEFF": "\ufeff",
  "U+200B": "\u200b",
  "U+202E": "\u202e",
  "a combining accent": "\u0301",
  "a letter with an accent": "\u00e9",
  "a currency sign": "\u20ac",
  "a quotation mark": "\u201c",
  "a Chinese full stop": "\u3002",
  "a surrogate pair": "\u{1f600}",
  "a letter of two units": "\u{10400}",
  "punctuation of two units": "\u{10100}",
  "a family of joined pairs": "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
  "half a pair": "\ud83d",
  "the other half": "\ude00",
  "U+FFFD": "\ufffd",
  "U+0085": "\u0085",
  "U+001B": "\u001b",
  "U+007F": "\u007f",
};

const around: Table = Object.fromEntries(
  Object.entries(CHARACTERS).flatMap(([name, char]) => [
    [`${name} only`, repeat(char)],
    [`${name} around stars and underscores`, repeat(`${char}*a_${char}`)],
    [`${name} in destinations and labels`, repeat(`[${char}](${char})[${char}]`)],
    [`${name} around autolinks`, repeat(`www.a${char}.b${char}@`)],
    [`${name} at every line`, repeat(`${char}\n`)],
  ]),
);

const odd = family("characters", around);

const lines = family("lines", {
  ...repeats(
    "\r",
    "\n\r",
    "\r\n\r\n",
    "a\r",
    "a\r\n",
    "a\r\n\r\n",
    "a\n\r",
    "> a\r",
    "- a\r\n",
    "# a\r",
    "```\r\n",
    "a\u2028b",
    "a\u0085",
    "a\v",
    "a\f\n",
    "\0\n",
    "\0\0",
  ),
  "one line": repeat("lorem ipsum "),
  "one word": repeat("a"),
  "a line and a half": halves("a", "b ", "\n"),
  "lines of one character": repeat("a\n"),
  "lines of growing length": series((length) => `${"a".repeat(length)}\n`),
  "paragraphs of one character": repeat("a\n\n"),
  "spaces at the end of one line": flood("a", " ", "\nb"),
  "spaces at the end of one line, a CR": flood("a", " ", "\rb"),
  "spaces at the start of one line": flood("a\n", " ", "b"),
  "spaces in the middle": flood("a", " ", "b"),
  "spaces only": flood("", " "),
  "tabs and spaces by turns": repeat("\t "),
  "tabs in words": repeat("a\tb"),
  "hard breaks by spaces": repeat("a  \n"),
  "hard breaks by backslashes": repeat("a\\\n"),
  "two spaces that break nothing": repeat("a  "),
  "no newline at the end, a million before": flood("", "\n", "a"),
  "a document after a million newlines": flood("", "\n", "\n- a\n- b"),
  "special characters all over": repeat("*_~`[]()<>!&#+-=|\\:;.@/\"'"),
  "all of ASCII": series((index) => String.fromCharCode(index % 128)),
  "all of ASCII, lines": series((index) => `${String.fromCharCode(index % 128)}a\n`),
  "all of the plane": series((index) => String.fromCharCode(index % 0xd800)),
});

export const characters: Hostile[] = [...odd, ...lines];
