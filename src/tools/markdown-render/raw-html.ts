import { FAILED_TAG_STEPS_FACTOR } from "./bounds.ts";
import { DIGIT, isIn, LETTER, WHITE } from "./characters.ts";
import { skipWhite } from "./scan.ts";

const DASH = 45;
const SLASH = 47;
const GREATER = 62;
const EQUALS = 61;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;

/**
 * Raw HTML within one paragraph (CommonMark, section 6.6). A failed search is not repeated, so that a paragraph of
 * unterminated tags takes linear time.
 */
export class RawHtml {
  private readonly s: string;
  private readonly to: number;
  private readonly missing = new Set<string>();
  private stepsLeft: number;

  constructor(s: string, from: number, to: number) {
    this.s = s;
    this.to = to;
    this.stepsLeft = 1000 + FAILED_TAG_STEPS_FACTOR * (to - from);
  }

  /**
   * Returns the position after the HTML at `pos`, the place of `<`, and after the contents of a hidden element; -1 if
   * there is none.
   */
  skip(pos: number): number {
    const c = this.s.charCodeAt(pos + 1);
    if (c === 33) return this.skipDeclaration(pos);
    if (c === 63) return this.skipPast("?>", pos + 2);
    if (c !== SLASH && !isIn(c, LETTER)) return -1;
    if (this.stepsLeft < 0) return -1;
    const end = skipTag(this.s, pos, this.to);
    if (end < 0) {
      // The scan gave up at `-end`.
      this.stepsLeft -= -end - pos;
      return -1;
    }
    if (c === SLASH) return end;
    const name = tagName(this.s, pos + 1, end).toLowerCase();
    if (!isHiddenElement(name)) return end;
    const contentsEnd = this.skipContents(name, end);
    return contentsEnd < 0 ? end : contentsEnd;
  }

  private skipDeclaration(pos: number): number {
    if (this.s.startsWith("<!--", pos)) {
      // Section 6.6: `<!-->` and `<!--->` are comments too.
      return this.skipPast("-->", this.s.charCodeAt(pos + 4) === DASH ? pos + 3 : pos + 2);
    }
    if (this.s.startsWith("<![CDATA[", pos)) return this.skipPast("]]>", pos + 9);
    return isIn(this.s.charCodeAt(pos + 2), LETTER) ? this.skipPast(">", pos + 3) : -1;
  }

  private skipPast(closing: string, pos: number): number {
    if (this.missing.has(closing)) return -1;
    const first = closing.charCodeAt(0);
    for (let at = pos; at + closing.length <= this.to; at++) {
      if (this.s.charCodeAt(at) === first && this.s.startsWith(closing, at)) {
        return at + closing.length;
      }
    }
    this.missing.add(closing);
    return -1;
  }

  /** Returns the position after the closing tag of a hidden element; -1 if the paragraph ends before it. */
  private skipContents(name: string, pos: number): number {
    if (this.missing.has(name)) return -1;
    for (let at = pos; at < this.to; at++) {
      if (this.s.charCodeAt(at) !== 60 || this.s.charCodeAt(at + 1) !== SLASH) continue;
      if (tagName(this.s, at + 2, this.to).toLowerCase() !== name) continue;
      const end = skipTag(this.s, at, this.to);
      if (end > 0) return end;
    }
    this.missing.add(name);
    return -1;
  }
}

/**
 * Returns the position after the opening or closing tag at `pos`, the place of `<` (section 6.6). If there is none,
 * returns the negated position at which that became certain.
 */
export function skipTag(s: string, pos: number, to: number): number {
  const isClosing = s.charCodeAt(pos + 1) === SLASH;
  const nameStart = isClosing ? pos + 2 : pos + 1;
  if (!isIn(s.charCodeAt(nameStart), LETTER)) return -nameStart;
  let end = skipName(s, nameStart, to);
  if (isClosing) {
    end = skipWhite(s, end, to);
    return end < to && s.charCodeAt(end) === GREATER ? end + 1 : -end;
  }
  for (;;) {
    const next = skipWhite(s, end, to);
    if (next >= to) return -next;
    const c = s.charCodeAt(next);
    if (c === GREATER) return next + 1;
    if (c === SLASH) return s.charCodeAt(next + 1) === GREATER && next + 1 < to ? next + 2 : -next;
    if (next === end) return -next;
    end = skipAttribute(s, next, to);
    if (end < 0) return end;
  }
}

/** Returns the position after an attribute with its value, or the negated position at which it proved invalid. */
function skipAttribute(s: string, pos: number, to: number): number {
  if (!isNameStart(s.charCodeAt(pos))) return -pos;
  let end = pos + 1;
  while (end < to && isNamePart(s.charCodeAt(end))) end++;
  const equals = skipWhite(s, end, to);
  if (equals >= to || s.charCodeAt(equals) !== EQUALS) return end;
  const value = skipWhite(s, equals + 1, to);
  const quote = s.charCodeAt(value);
  end = value;
  if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
    for (end = value + 1; end < to; end++) if (s.charCodeAt(end) === quote) return end + 1;
    return -end;
  }
  while (end < to && isUnquotedValue(s.charCodeAt(end))) end++;
  return end === value ? -end : end;
}

function isNameStart(c: number): boolean {
  return isIn(c, LETTER) || c === 95 || c === 58;
}

function isNamePart(c: number): boolean {
  return isNameStart(c) || isIn(c, DIGIT) || c === 46 || c === DASH;
}

function isUnquotedValue(c: number): boolean {
  if (c === DOUBLE_QUOTE || c === SINGLE_QUOTE || c === EQUALS || c === 60) return false;
  return c !== GREATER && c !== 96 && !isIn(c, WHITE);
}

/** `br` or `img` for the tag from `pos` to `end` of an element that shows something by itself; "" for others. */
export function shownElement(s: string, pos: number, end: number): "br" | "img" | "" {
  // Most tags are others, which the first letter tells.
  const c = s.charCodeAt(pos + 1) | 32;
  if (c !== 98 && c !== 105) return "";
  const name = tagName(s, pos + 1, end).toLowerCase();
  return name === "br" || name === "img" ? name : "";
}

/** Returns the tag name that starts at `pos`. */
export function tagName(s: string, pos: number, to: number): string {
  return s.slice(pos, skipName(s, pos, Math.min(to, pos + 16)));
}

function skipName(s: string, pos: number, to: number): number {
  let end = pos;
  while (end < to && (isIn(s.charCodeAt(end), LETTER | DIGIT) || s.charCodeAt(end) === DASH)) end++;
  return end;
}

/**
 * Elements whose contents a browser does not show as text (HTML, sections 13.1.2 and 13.2.6). Raw HTML is removed tag by
 * tag; for these elements the contents are removed too.
 */
const HIDDEN = "script|style|title|textarea|iframe|noembed|noframes|plaintext|xmp";
const HIDDEN_NAME = new RegExp(`^(?:${HIDDEN})$`);
const CLOSING_TAG = new RegExp(`</(${HIDDEN})(?=[\\s/>])`, "gi");

/** `name` in lower case. */
export function isHiddenElement(name: string): boolean {
  return HIDDEN_NAME.test(name);
}

/** The position of the last closing tag of each hidden element in a document. */
export function lastClosings(source: string): Map<string, number> {
  const last = new Map<string, number>();
  for (const match of source.matchAll(CLOSING_TAG)) {
    last.set((match[1] ?? "").toLowerCase(), match.index);
  }
  return last;
}

const ATTRIBUTE = /([^\s/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S*)))?/g;

/** The attributes of a tag: names in lower case, and values with their character references. */
export function* attributesOf(source: string): Generator<[name: string, value: string]> {
  for (const [, name = "", double, single, bare = ""] of source.matchAll(ATTRIBUTE)) {
    yield [name.toLowerCase(), double ?? single ?? bare];
  }
}
