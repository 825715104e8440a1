import { LABEL_CHARS_MAX, LINK_PARENTHESES_MAX } from "./bounds.ts";
import { BACKSLASH, isIn, NEWLINE, PUNCTUATION, SPACE } from "./characters.ts";
import { resolveEscapes } from "./entities.ts";
import { skipBlanks, skipWhite } from "./scan.ts";

const LESS = 60;
const GREATER = 62;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_PARENTHESIS = 40;
const CLOSE_PARENTHESIS = 41;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;

/** A link's destination and title with escapes resolved, and where they end. */
export type Target = { destination: string; title: string | undefined; end: number };

/** Reads `(destination "title")` at `pos`, the place of `(` (CommonMark, section 6.3). */
export function readInlineTarget(s: string, pos: number, to: number): Target | undefined {
  const start = skipWhite(s, pos + 1, to);
  let end = skipDestination(s, start, to);
  if (end < 0) return undefined;
  const destination = destinationOf(s, start, end);
  let title: string | undefined;
  const titleStart = skipWhite(s, end, to);
  if (titleStart > end) {
    const titleEnd = skipTitle(s, titleStart, to);
    if (titleEnd > 0) {
      title = resolveEscapes(s.slice(titleStart + 1, titleEnd - 1));
      end = titleEnd;
    }
  }
  end = skipWhite(s, end, to);
  if (end >= to || s.charCodeAt(end) !== CLOSE_PARENTHESIS) return undefined;
  return { destination, title, end: end + 1 };
}

/** Reads `[label]: destination "title"` and the end of its line at `pos`, the place of `[` (section 4.7). */
export function readDefinition(
  s: string,
  pos: number,
  to: number,
): (Target & { label: string }) | undefined {
  const labelEnd = skipLabel(s, pos, to);
  if (labelEnd < 0 || labelEnd >= to || s.charCodeAt(labelEnd) !== 58) return undefined;
  const label = normalizeLabel(s.slice(pos + 1, labelEnd - 1));
  if (label === "") return undefined;
  const start = skipWhite(s, labelEnd + 1, to);
  const destinationEnd = start < to ? skipDestination(s, start, to) : -1;
  if (destinationEnd < 0 || destinationEnd === start) return undefined;
  const destination = destinationOf(s, start, destinationEnd);
  const titleStart = skipWhite(s, destinationEnd, to);
  if (titleStart > destinationEnd) {
    const titleEnd = skipTitle(s, titleStart, to);
    const end = titleEnd < 0 ? -1 : skipLine(s, titleEnd, to);
    if (end >= 0) {
      const title = resolveEscapes(s.slice(titleStart + 1, titleEnd - 1));
      return { label, destination, title, end };
    }
  }
  // Text that is not a title must be on the next line.
  const end = skipLine(s, destinationEnd, to);
  return end < 0 ? undefined : { label, destination, title: undefined, end };
}

/** Labels match regardless of case and of the amount of white space (section 4.7). */
export function normalizeLabel(label: string): string {
  // Fast path: a label of lowercase letters, digits and hyphens needs no white space or Unicode folding.
  if (/^[a-z0-9-]*$/.test(label)) return label.toUpperCase();
  return label
    .trim()
    .replace(/[ \t\r\n]+/g, " ")
    .toLowerCase()
    .toUpperCase();
}

/** Returns the position after the label at `pos`, the place of `[`; -1 if there is none. */
export function skipLabel(s: string, pos: number, to: number): number {
  const last = Math.min(to, pos + LABEL_CHARS_MAX + 2);
  for (let end = pos + 1; end < last; end++) {
    const c = s.charCodeAt(end);
    if (c === CLOSE_BRACKET) return end + 1;
    if (c === OPEN_BRACKET) return -1;
    if (c === BACKSLASH) end++;
  }
  return -1;
}

/** Returns the position after the destination at `pos`, which may be empty; -1 if there is none. */
function skipDestination(s: string, pos: number, to: number): number {
  if (s.charCodeAt(pos) === LESS && pos < to) return skipAngled(s, pos, to);
  let depth = 0;
  let end = pos;
  for (; end < to; end++) {
    const c = s.charCodeAt(end);
    // Most characters of a destination have a higher code than `)`.
    if (c > CLOSE_PARENTHESIS && c !== BACKSLASH && c !== 127) continue;
    if (c === BACKSLASH && isIn(s.charCodeAt(end + 1), PUNCTUATION) && end + 1 < to) end++;
    else if (c === OPEN_PARENTHESIS) {
      if (++depth > LINK_PARENTHESES_MAX) return -1;
    } else if (c === CLOSE_PARENTHESIS) {
      if (depth === 0) break;
      depth--;
    } else if (c <= SPACE || c === 127) break;
  }
  return depth === 0 ? end : -1;
}

function skipAngled(s: string, pos: number, to: number): number {
  for (let end = pos + 1; end < to; end++) {
    const c = s.charCodeAt(end);
    if (c === GREATER) return end + 1;
    if (c === LESS || c === NEWLINE) return -1;
    if (c === BACKSLASH && isIn(s.charCodeAt(end + 1), PUNCTUATION)) end++;
  }
  return -1;
}

function destinationOf(s: string, start: number, end: number): string {
  const isAngled = end > start && s.charCodeAt(start) === LESS;
  return resolveEscapes(isAngled ? s.slice(start + 1, end - 1) : s.slice(start, end));
}

/** Returns the position after the title at `pos`; -1 if there is none. */
function skipTitle(s: string, pos: number, to: number): number {
  if (pos >= to) return -1;
  const open = s.charCodeAt(pos);
  if (open !== DOUBLE_QUOTE && open !== SINGLE_QUOTE && open !== OPEN_PARENTHESIS) return -1;
  const close = open === OPEN_PARENTHESIS ? CLOSE_PARENTHESIS : open;
  for (let end = pos + 1; end < to; end++) {
    const c = s.charCodeAt(end);
    if (c === close) return end + 1;
    if (c === open) return -1;
    if (c === BACKSLASH) end++;
  }
  return -1;
}

/** Returns the position after the end of the line if only blanks are left on it; otherwise -1. */
function skipLine(s: string, pos: number, to: number): number {
  const end = skipBlanks(s, pos, to);
  if (end >= to) return to;
  return s.charCodeAt(end) === NEWLINE ? end + 1 : -1;
}
