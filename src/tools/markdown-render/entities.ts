import { BACKSLASH, DIGIT, isIn, LETTER, PUNCTUATION } from "./characters.ts";
import { ENTITY_TABLE } from "./entity-table.ts";

const AMPERSAND = 38;
const SEMICOLON = 59;
/** The longest name is `CounterClockwiseContourIntegral`. */
const NAME_CHARS_MAX = 31;

/** A character reference: its text and its end. */
export type Entity = { text: string; end: number };

/** Reads the character reference at `pos`, the place of `&` (CommonMark, section 2.5); undefined if there is none. */
export function readEntity(s: string, pos: number, to: number): Entity | undefined {
  if (s.charCodeAt(pos + 1) === 35) return readNumber(s, pos + 2, to);
  const last = Math.min(to, pos + 1 + NAME_CHARS_MAX + 1);
  let end = pos + 1;
  while (end < last && isIn(s.charCodeAt(end), LETTER | DIGIT)) end++;
  if (end >= last || s.charCodeAt(end) !== SEMICOLON) return undefined;
  names ??= readTable();
  const text = names.get(s.slice(pos + 1, end));
  return text === undefined ? undefined : { text, end: end + 1 };
}

/** One to seven decimal or one to six hexadecimal digits; an invalid number becomes U+FFFD. */
function readNumber(s: string, pos: number, to: number): Entity | undefined {
  const isHex = (s.charCodeAt(pos) | 32) === 120;
  const from = isHex ? pos + 1 : pos;
  const base = isHex ? 16 : 10;
  const last = Math.min(to, from + (isHex ? 6 : 7) + 1);
  let value = 0;
  let end = from;
  for (; end < last; end++) {
    const digit = digitOf(s.charCodeAt(end));
    if (digit >= base) break;
    value = value * base + digit;
  }
  if (end === from || end >= last || s.charCodeAt(end) !== SEMICOLON) return undefined;
  const isCharacter = value > 0 && value <= 0x10ffff && (value & ~0x7ff) !== 0xd800;
  return { text: String.fromCodePoint(isCharacter ? value : 0xfffd), end: end + 1 };
}

function digitOf(c: number): number {
  if (c >= 48 && c <= 57) return c - 48;
  const letter = (c | 32) - 87;
  return letter >= 10 && letter < 16 ? letter : 99;
}

/** Resolves backslash escapes and character references, as in link destinations, titles and info strings. */
export function resolveEscapes(s: string): string {
  return s.includes("\\") ? resolve(s, true) : resolveReferences(s);
}

/** Resolves character references, as in the text and the attributes of HTML. */
export function resolveReferences(s: string): string {
  return s.includes("&") ? resolve(s, false) : s;
}

function resolve(s: string, hasEscapes: boolean): string {
  let resolved = "";
  let kept = 0;
  for (let pos = 0; pos < s.length; pos++) {
    const c = s.charCodeAt(pos);
    if (hasEscapes && c === BACKSLASH && isIn(s.charCodeAt(pos + 1), PUNCTUATION)) {
      resolved += s.slice(kept, pos);
      kept = ++pos;
    } else if (c === AMPERSAND) {
      const entity = readEntity(s, pos, s.length);
      if (entity === undefined) continue;
      resolved += s.slice(kept, pos) + entity.text;
      kept = entity.end;
      pos = kept - 1;
    }
  }
  return resolved + s.slice(kept);
}

/** Built when the first name is found, because most documents have none. */
let names: Map<string, string> | undefined;

/** Script, Fraktur and double-struck letters, in alphabetical order starting at these code points. */
const ALPHABETS = { scr: 0x1d49c, fr: 0x1d504, opf: 0x1d538 };

function readTable(): Map<string, string> {
  const table = new Map<string, string>();
  for (const [suffix, first] of Object.entries(ALPHABETS)) {
    for (let i = 0; i < 52; i++) {
      const letter = String.fromCharCode(i < 26 ? 65 + i : 71 + i);
      table.set(letter + suffix, String.fromCodePoint(first + i));
    }
  }
  let codePoint = 0;
  for (const entry of ENTITY_TABLE.trim().split(/\s/)) {
    const [, distance, second, list] = /^(\d*)(?:\+(\d+))?(.*)$/.exec(entry) ?? [];
    codePoint += distance === "" ? 1 : Number(distance);
    let text = String.fromCodePoint(codePoint);
    if (second !== undefined) text += String.fromCodePoint(Number(second));
    for (const name of (list ?? "").split(",")) table.set(name, text);
  }
  return table;
}
