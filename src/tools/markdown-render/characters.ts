/** Classes of ASCII characters, one bit each (CommonMark 0.31.2, section 2.1). */
export const WHITE = 1;
export const PUNCTUATION = 2;
export const LETTER = 4;
export const DIGIT = 8;
/** Can start inline markup. */
export const INLINE = 16;
/** Can start a block, as the first non-blank character of a line. */
export const BLOCK = 32;
/** Needs no encoding in a URL; `%` and `&` are handled separately. */
export const URL_SAFE = 64;
/** Can start a formula in a paragraph, apart from what is `INLINE` anyway. */
export const FORMULA = 128;

export const TAB = 9;
export const NEWLINE = 10;
export const SPACE = 32;
export const BACKSLASH = 92;
export const BACKTICK = 96;

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";

const CLASSES = new Uint8Array(128);
mark("\t\n\v\f\r ", WHITE);
mark("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", PUNCTUATION);
mark(LETTERS, LETTER);
mark(DIGITS, DIGIT);
mark("\n\\`*_~[]!&<:@w", INLINE);
mark("$", FORMULA);
mark(`${DIGITS}>#\`~<=-*_+[|:$\\`, BLOCK);
mark(`${LETTERS}${DIGITS}!#$'()*+,-./:;=?@_~`, URL_SAFE);

function mark(characters: string, bit: number): void {
  for (let i = 0; i < characters.length; i++) {
    const c = characters.charCodeAt(i);
    CLASSES[c] = (CLASSES[c] as number) | bit;
  }
}

/** Whether an ASCII character is in one of the classes. `NaN`, the code after the end of the text, is in none. */
export function isIn(c: number, classes: number): boolean {
  return c < 128 && ((CLASSES[c] as number) & classes) !== 0;
}

export function isBlank(c: number): boolean {
  return c === SPACE || c === TAB;
}

/**
 * Returns `WHITE`, `PUNCTUATION` or 0 (neither) for the character at `pos` of `s`, by the rules for flanking
 * delimiters: Unicode's white space (Zs), punctuation (P) and symbols (S). Everything outside `from` to `to` is white.
 */
export function flankAfter(s: string, pos: number, to: number): number {
  if (pos >= to) return WHITE;
  const c = s.charCodeAt(pos);
  return c < 128 ? (CLASSES[c] as number) & FLANK : flankOf(s.codePointAt(pos) ?? c);
}

/** Like `flankAfter`, for the character that ends at `pos`. */
export function flankBefore(s: string, pos: number, from: number): number {
  if (pos <= from) return WHITE;
  const c = s.charCodeAt(pos - 1);
  if (c < 128) return (CLASSES[c] as number) & FLANK;
  const isLowHalf = (c & 0xfc00) === 0xdc00 && pos - 2 >= from;
  const whole = isLowHalf ? (s.codePointAt(pos - 2) ?? c) : c;
  return flankOf(whole > 0xffff ? whole : c);
}

const FLANK = WHITE | PUNCTUATION;
const UNICODE_PUNCTUATION = /[\p{P}\p{S}]/u;
const UNICODE_WHITE = /\p{Zs}/u;

function flankOf(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (UNICODE_PUNCTUATION.test(character)) return PUNCTUATION;
  return UNICODE_WHITE.test(character) ? WHITE : 0;
}
