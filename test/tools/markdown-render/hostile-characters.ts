import { type Hostile, repeat, series, type Table, writtenFamily } from "./hostile-shapes.ts";

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

const odd = writtenFamily("characters", around);

const lines = writtenFamily("lines", {
  "lines of growing length": series((length) => `${"a".repeat(length)}\n`),
  "all of ASCII": series((index) => String.fromCharCode(index % 128)),
  "all of ASCII, lines": series((index) => `${String.fromCharCode(index % 128)}a\n`),
  "all of the plane": series((index) => String.fromCharCode(index % 0xd800)),
});

export const characters: Hostile[] = [...odd, ...lines];
