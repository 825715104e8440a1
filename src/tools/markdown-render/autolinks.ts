import { BACKSLASH, DIGIT, flankAfter, isIn, LETTER, PUNCTUATION, WHITE } from "./characters.ts";

/** An address found in the text, with its start and end. */
export type Autolink = { start: number; end: number; text: string; address: string };

const DOT = 46;
const DASH = 45;
const UNDERSCORE = 95;
const AT = 64;
const COLON = 58;
const SLASH = 47;
const LESS = 60;
const GREATER = 62;
const CLOSE_BRACKET = 93;
const CLOSE_PARENTHESIS = 41;
const SEMICOLON = 59;
const AMPERSAND = 38;

/** Reads `<scheme:...>` or `<name@domain>` at `pos`, the place of `<` (CommonMark, section 6.5); `end` is after `>`. */
export function readAngled(s: string, pos: number, to: number): Autolink | undefined {
  let end = pos + 1;
  let colon = 0;
  let at = 0;
  for (; end < to; end++) {
    const c = s.charCodeAt(end);
    if (c === GREATER) break;
    if (c <= 32 || c === LESS || c === 127) return undefined;
    if (c === COLON && colon === 0) colon = end;
    if (c === AT) at = end;
  }
  if (end >= to) return undefined;
  const text = s.slice(pos + 1, end);
  const place = { start: pos, end: end + 1, text };
  if (colon > 0 && isScheme(s, pos + 1, colon)) return { ...place, address: text };
  if (at === 0 || !isAngledEmail(s, pos + 1, at, end)) return undefined;
  return { ...place, address: `mailto:${text}` };
}

/** 2 to 32 letters, digits, `+`, `.` and `-`, starting with a letter. */
function isScheme(s: string, from: number, to: number): boolean {
  if (to - from < 2 || to - from > 32 || !isIn(s.charCodeAt(from), LETTER)) return false;
  for (let i = from + 1; i < to; i++) {
    const c = s.charCodeAt(i);
    if (!isIn(c, LETTER | DIGIT) && c !== 43 && c !== DOT && c !== DASH) return false;
  }
  return true;
}

function isAngledEmail(s: string, from: number, at: number, to: number): boolean {
  if (at === from) return false;
  for (let i = from; i < at; i++) {
    const c = s.charCodeAt(i);
    if (!isIn(c, LETTER | DIGIT) && !".!#$%&'*+/=?^_`{|}~-".includes(s.charAt(i))) return false;
  }
  // Labels of 1 to 63 letters, digits and `-`, without `-` at either end.
  let start = at + 1;
  for (let i = start; i <= to; i++) {
    const c = i < to ? s.charCodeAt(i) : DOT;
    if (c === DOT) {
      if (i === start || i - start > 63 || s.charCodeAt(i - 1) === DASH) return false;
      start = i + 1;
    } else if (!isIn(c, LETTER | DIGIT) && (c !== DASH || i === start)) return false;
  }
  return true;
}

/**
 * Finds addresses without brackets in the text of one paragraph (GFM, section 6.9). An invalid domain is not read again
 * from its middle, so that a long one takes linear time.
 */
export class BareAutolinks {
  private readonly s: string;
  private readonly from: number;
  /** The end of the text in which an address can be. */
  to: number;
  private readonly isBracketed: boolean;
  /** Domains that start before this position are invalid. */
  private badUntil = 0;

  /** `isBracketed`: an address ends before a closing bracket. */
  constructor(s: string, from: number, to: number, isBracketed = false) {
    this.s = s;
    this.from = from;
    this.to = to;
    this.isBracketed = isBracketed;
  }

  /** Reads the address that contains the `:`, `@` or `w` at `pos` and starts at `floor` or later. */
  read(pos: number, floor: number): Autolink | undefined {
    const c = this.s.charCodeAt(pos);
    if (c === COLON) return this.url(pos, floor);
    return c === AT ? this.email(pos, floor) : this.www(pos);
  }

  /** Reads `www.` and a domain at `pos`. */
  private www(pos: number): Autolink | undefined {
    const { s } = this;
    if (!s.startsWith("www.", pos) || !this.mayPrecede(pos)) return undefined;
    const domainEnd = this.skipDomain(pos, this.to);
    if (domainEnd <= pos + 4 || s.charCodeAt(pos + 4) === DOT) return undefined;
    const end = this.trimTail(pos, this.skipPath(domainEnd));
    const text = s.slice(pos, end);
    return { start: pos, end, text, address: `http://${text}` };
  }

  /** Reads `http://`, `https://` or `ftp://` and a domain; `pos` is the place of the colon. */
  private url(pos: number, floor: number): Autolink | undefined {
    const { s } = this;
    if (s.charCodeAt(pos + 1) !== SLASH || s.charCodeAt(pos + 2) !== SLASH) return undefined;
    let start = pos;
    while (start > floor && pos - start < 6 && isIn(s.charCodeAt(start - 1), LETTER)) start--;
    if (!/^(?:https?|ftp)$/i.test(s.slice(start, pos))) return undefined;
    if (pos + 3 >= this.to || !isHostCharacter(s, pos + 3, s.charCodeAt(pos + 3))) return undefined;
    const domainEnd = this.skipDomain(pos + 3, this.to);
    if (domainEnd <= pos + 3) return undefined;
    const end = this.trimTail(start, this.skipPath(domainEnd));
    const text = s.slice(start, end);
    return { start, end, text, address: text };
  }

  /** Reads `name@domain`, possibly after `mailto:` or `xmpp:`; `pos` is the place of the `@`. */
  private email(pos: number, floor: number): Autolink | undefined {
    const { s } = this;
    let start = pos;
    while (start > floor && isNamePart(s.charCodeAt(start - 1))) start--;
    const before = start > this.from ? s.charCodeAt(start - 1) : 0;
    // An escaped character cannot be part of an address.
    const isEscaped = before === BACKSLASH && start === floor;
    if (start === pos || before === SLASH || isEscaped) return undefined;
    let end = pos + 1;
    let dots = 0;
    for (; end < this.to; end++) {
      const c = s.charCodeAt(end);
      if (c === DOT && isIn(s.charCodeAt(end + 1), LETTER | DIGIT) && end + 1 < this.to) dots++;
      else if (!isIn(c, LETTER | DIGIT) && c !== DASH && c !== UNDERSCORE) break;
    }
    if (
      dots === 0 ||
      (end < this.to && s.charCodeAt(end) === AT) ||
      !isIn(s.charCodeAt(end - 1), LETTER)
    ) {
      return undefined;
    }
    const scheme = before === COLON ? emailScheme(s, start) : "";
    if (scheme !== "" && start - scheme.length >= floor) {
      start -= scheme.length;
      if (scheme === "xmpp:") end = this.skipResource(end);
    }
    const text = s.slice(start, end);
    return { start, end, text, address: text.includes(":") ? text : `mailto:${text}` };
  }

  /** An XMPP address can have one part after a slash (GFM, section 6.9). */
  private skipResource(pos: number): number {
    if (pos >= this.to || this.s.charCodeAt(pos) !== SLASH) return pos;
    let end = pos + 1;
    while (end < this.to && isResourcePart(this.s.charCodeAt(end))) end++;
    while (end > pos && this.s.charCodeAt(end - 1) === DOT) end--;
    return end === pos + 1 ? pos : end;
  }

  /** What can precede an address: the start of a line, white space, or one of `* _ ~ (`. */
  private mayPrecede(pos: number): boolean {
    if (pos <= this.from) return true;
    const c = this.s.charCodeAt(pos - 1);
    return isIn(c, WHITE) || c === 42 || c === UNDERSCORE || c === 126 || c === 40;
  }

  /**
   * Returns the end of the domain at `pos`, which must not have an underscore in its last two parts; -1 if there is
   * none. Underscores at its end are not part of it if the address ends there: they close emphasis. Neither is a period.
   */
  private skipDomain(pos: number, to: number): number {
    if (pos < this.badUntil) return -1;
    const { s } = this;
    let end = pos;
    let previousPart = pos;
    let lastPart = pos;
    let hasUnderscore = false;
    let hadUnderscore = false;
    for (; end < to; end++) {
      const c = s.charCodeAt(end);
      if (c === UNDERSCORE) hasUnderscore = true;
      else if (c === DOT) {
        hadUnderscore = hasUnderscore;
        hasUnderscore = false;
        previousPart = lastPart;
        lastPart = end + 1;
      } else if (c !== DASH && !isHostCharacter(s, end, c)) break;
    }
    // A period that ends the sentence separates no parts.
    const isSentence = lastPart === end && end > pos && this.endsAddress(end);
    if (!hasUnderscore && !hadUnderscore && !isSentence) return end;
    const trimmed = trimUnderscores(s, pos, end);
    if (trimmed < end && (isSentence || this.endsAddress(end)))
      return this.skipDomain(pos, trimmed);
    this.badUntil = previousPart;
    return -1;
  }

  /** Whether `trimTail` would leave out everything from `pos` to the end of the address. */
  private endsAddress(pos: number): boolean {
    const { s, to } = this;
    for (let at = pos; at < to; at++) {
      const c = s.charCodeAt(at);
      if (c === AMPERSAND) {
        at = skipReference(s, at, to);
        if (at < 0) return false;
      } else if (c !== CLOSE_PARENTHESIS && c !== SEMICOLON && !isTail(c)) {
        return this.endsPath(at);
      }
    }
    return true;
  }

  private skipPath(pos: number): number {
    let end = pos;
    while (end < this.to && !this.endsPath(end)) end++;
    return end;
  }

  private endsPath(pos: number): boolean {
    const c = this.s.charCodeAt(pos);
    if (c === LESS || (c === CLOSE_BRACKET && this.isBracketed)) return true;
    return c < 128 ? isIn(c, WHITE) : flankAfter(this.s, pos, this.to) === WHITE;
  }

  /**
   * GFM's extended autolink path validation: punctuation that ends a sentence or closes a bracket is not part of the
   * address.
   */
  private trimTail(start: number, pathEnd: number): number {
    const { s } = this;
    let unopened = 0;
    for (let i = start; i < pathEnd; i++) {
      const c = s.charCodeAt(i);
      if (c === 40) unopened--;
      else if (c === CLOSE_PARENTHESIS) unopened++;
    }
    let end = pathEnd;
    for (; end > start; end--) {
      const c = s.charCodeAt(end - 1);
      if (c === SEMICOLON) end = this.entityStart(start, end) + 1;
      else if (c === CLOSE_PARENTHESIS && unopened > 0) unopened--;
      else if (!isTail(c)) break;
    }
    return end;
  }

  /** Returns the start of the `&name;` that ends at `end`; the place of the semicolon if there is none. */
  private entityStart(start: number, end: number): number {
    let pos = end - 2;
    while (pos > start && isIn(this.s.charCodeAt(pos), LETTER | DIGIT)) pos--;
    return pos < end - 2 && this.s.charCodeAt(pos) === 38 ? pos : end - 1;
  }
}

/** Punctuation that ends a sentence or emphasis, and not an address. */
const isTail = (c: number) => "?!.,:*_~'\"".includes(String.fromCharCode(c));

/** Returns the end of the domain without underscores, and the periods beside them, at its end. */
function trimUnderscores(s: string, from: number, to: number): number {
  let end = to;
  while (end > from && (s.charCodeAt(end - 1) === UNDERSCORE || s.charCodeAt(end - 1) === DOT))
    end--;
  return end;
}

/** Returns the place of the semicolon of the `&name;` at `pos`; -1 if there is none. */
function skipReference(s: string, pos: number, to: number): number {
  let end = pos + 1;
  while (end < to && isIn(s.charCodeAt(end), LETTER | DIGIT)) end++;
  return end > pos + 1 && end < to && s.charCodeAt(end) === SEMICOLON ? end : -1;
}

/** Returns the scheme that ends at `end`, if it is one that an email address can have in text. */
function emailScheme(s: string, end: number): string {
  if (s.endsWith("mailto:", end)) return "mailto:";
  return s.endsWith("xmpp:", end) ? "xmpp:" : "";
}

function isResourcePart(c: number): boolean {
  return isIn(c, LETTER | DIGIT) || c === AT || c === DOT;
}

function isNamePart(c: number): boolean {
  return isIn(c, LETTER | DIGIT) || c === DOT || c === DASH || c === UNDERSCORE || c === 43;
}

function isHostCharacter(s: string, pos: number, c: number): boolean {
  if (c < 128) return isIn(c, LETTER | DIGIT);
  // Surrogates are neither: emoji are symbols, but occur in domains.
  return (c & 0xf800) === 0xd800 || (flankAfter(s, pos, pos + 1) & (WHITE | PUNCTUATION)) === 0;
}
