import { BACKTICK, DIGIT, isBlank, isIn, SPACE, TAB } from "./characters.ts";
import { skipBlanks, trimEnd } from "./scan.ts";

const HASH = 35;
const DASH = 45;
const EQUALS = 61;

/**
 * Recognizes the first lines of blocks. `pos` is the position of the first non-blank character, `end` the end of the
 * line.
 */

/** Reads `# Heading #` (CommonMark, section 4.2): its level and the range of its text. */
export function readAtxHeading(
  s: string,
  pos: number,
  end: number,
): { level: number; from: number; to: number } | undefined {
  let from = pos;
  while (from < end && s.charCodeAt(from) === HASH) from++;
  const level = from - pos;
  if (level > 6 || (from < end && !isBlank(s.charCodeAt(from)))) return undefined;
  from = skipBlanks(s, from, end);
  let to = trimEnd(s, from, end);
  let hashes = to;
  while (hashes > from && s.charCodeAt(hashes - 1) === HASH) hashes--;
  // A blank must precede a closing sequence.
  if (hashes === from || isBlank(s.charCodeAt(hashes - 1))) to = trimEnd(s, from, hashes);
  return { level, from, to };
}

/** Reads `===` or `---` under a paragraph (section 4.3): the level, or 0. */
export function readSetextLine(s: string, pos: number, end: number): number {
  const c = s.charCodeAt(pos);
  if (c !== EQUALS && c !== DASH) return 0;
  let at = pos;
  while (at < end && s.charCodeAt(at) === c) at++;
  at = skipBlanks(s, at, end);
  return at < end ? 0 : c === EQUALS ? 1 : 2;
}

/** Reads three or more backticks or tildes (section 4.5): their number and the range of the info string. */
export function readFence(
  s: string,
  pos: number,
  end: number,
): { length: number; from: number; to: number } | undefined {
  const c = s.charCodeAt(pos);
  let from = pos;
  while (from < end && s.charCodeAt(from) === c) from++;
  const length = from - pos;
  if (length < 3) return undefined;
  if (c === BACKTICK) {
    for (let i = from; i < end; i++) if (s.charCodeAt(i) === BACKTICK) return undefined;
  }
  from = skipBlanks(s, from, end);
  return { length, from, to: trimEnd(s, from, end) };
}

/** True for a line that closes a fence of `length` characters `c`. */
export function isClosingFence(
  s: string,
  pos: number,
  end: number,
  c: number,
  length: number,
): boolean {
  let at = pos;
  while (at < end && s.charCodeAt(at) === c) at++;
  if (at - pos < length) return false;
  at = skipBlanks(s, at, end);
  return at >= end;
}

/**
 * Thematic breaks (section 4.1): three or more `*`, `-` or `_` with optional blanks between them. Every list item on
 * such a line checks for one, so the position that rules it out is cached.
 */
export class ThematicBreaks {
  private noneBefore = 0;

  isAt(s: string, pos: number, end: number): boolean {
    if (pos < this.noneBefore) return false;
    const c = s.charCodeAt(pos);
    let count = 0;
    for (let at = pos; at < end; at++) {
      const other = s.charCodeAt(at);
      if (other === c) count++;
      else if (other !== SPACE && other !== TAB) {
        this.noneBefore = at;
        return false;
      }
    }
    return count >= 3;
  }
}

export type Marker = {
  /** `-`, `+`, `*`, or for ordered lists `.` or `)`. Items of one list have the same character. */
  character: string;
  /** The number of an ordered item. */
  number: number | undefined;
  /** The number of characters. */
  length: number;
};

/** Reads `-`, `+`, `*`, `1.` or `1)`, followed by a blank or the end of the line (section 5.2). */
export function readMarker(s: string, pos: number, end: number): Marker | undefined {
  const c = s.charCodeAt(pos);
  let at = pos;
  let number: number | undefined;
  if (isIn(c, DIGIT)) {
    while (at < end && at - pos < 9 && isIn(s.charCodeAt(at), DIGIT)) at++;
    number = Number(s.slice(pos, at));
    const delimiter = s.charCodeAt(at);
    if (at >= end || (delimiter !== 46 && delimiter !== 41)) return undefined;
  } else if (c !== DASH && c !== 42 && c !== 43) return undefined;
  const character = s.charAt(at);
  at++;
  if (at < end && !isBlank(s.charCodeAt(at))) return undefined;
  return { character, number, length: at - pos };
}

/** Reads `[^label]:` (GFM's footnotes): the label, and the start of the text after it. */
export function readFootnoteStart(
  s: string,
  pos: number,
  end: number,
): { label: string; from: number } | undefined {
  if (!s.startsWith("[^", pos)) return undefined;
  let at = pos + 2;
  for (; at < end; at++) {
    const c = s.charCodeAt(at);
    if (c === 93) break;
    if (isBlank(c) || c === 91) return undefined;
  }
  if (at === pos + 2 || at + 1 >= end || s.charCodeAt(at + 1) !== 58) return undefined;
  return { label: s.slice(pos + 2, at), from: at + 2 };
}
