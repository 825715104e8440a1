import { type BaseUrl, cleanAddress } from "./address.ts";
import { type Autolink, BareAutolinks, readAngled } from "./autolinks.ts";
import { BracketStack } from "./brackets.ts";
import { linkCandidates } from "./candidates.ts";
import {
  BACKSLASH,
  BACKTICK,
  DIGIT,
  FORMULA,
  INLINE,
  isBlank,
  isIn,
  LETTER,
  NEWLINE,
  PUNCTUATION,
  SPACE,
  WHITE,
} from "./characters.ts";
import { CodeSpans, codeContent, skipBackticks } from "./code-spans.ts";
import {
  AUTOLINK,
  BREAK,
  CANDIDATE,
  CODE,
  DROP,
  EditList,
  MATH,
  RAW_TEXT,
  SCRIPT,
  SCRIPT_END,
  TEXT,
} from "./edits.ts";
import { DelimiterStack } from "./emphasis.ts";
import { readEntity } from "./entities.ts";
import type { Footnotes } from "./footnotes.ts";
import { alternativeText, isBlockTag } from "./html-text.ts";
import { Formulas, mathClass } from "./math.ts";
import { RawHtml, shownElement } from "./raw-html.ts";
import type { References } from "./references.ts";
import { readSafeTag, type Tag } from "./safe-elements.ts";
import { readHtmlText, ScriptNester, scriptName } from "./scripts.ts";
import type { Syntax } from "./syntax.ts";
import { pairTags } from "./tag-pairs.ts";

const EXCLAMATION = 33;
const DOLLAR = 36;
const AMPERSAND = 38;
const ASTERISK = 42;
const SLASH = 47;
const COLON = 58;
const LESS = 60;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const UNDERSCORE = 95;
const GREATER = 62;
const LOWER_W = 119;
const TILDE = 126;

/**
 * Documents share them, because only one is rendered at a time, and making their columns takes as long as reading a paragraph.
 * Those that a long paragraph needed are not kept.
 */
let sharedEdits = new EditList();
let sharedDelimiters = new DelimiterStack(sharedEdits);

const NO_ENDINGS: readonly string[] = [];

/**
 * The second phase of CommonMark's algorithm (appendix A): finds the markup within one paragraph, heading or cell.
 * `edits` contains the result until the next `parse`.
 */
export class InlineParser {
  readonly edits: EditList;
  private readonly brackets: BracketStack;
  private readonly delimiters: DelimiterStack;
  private s = "";
  private from = 0;
  private to = 0;
  /** Created when a paragraph first needs them; most do not. */
  private codeSpans: CodeSpans | undefined;
  private rawHtml: RawHtml | undefined;
  private formulas: Formulas | undefined;
  private autolinks: BareAutolinks | undefined;
  private hasCandidates = false;
  private hasScripts = false;
  /** The end of the last run of tags of block elements, and whether text directly precedes the run. */
  private blockTagsEnd = -1;
  private hasTextBeforeTags = false;
  private hasWordBeforeTags = false;
  private readonly syntax: Syntax;
  /** The classes of characters that can start markup. */
  private readonly markup: number;
  /** Elements that contain blocks and end within the text. */
  endings: readonly string[] = NO_ENDINGS;

  constructor(
    references: References,
    footnotes: Footnotes,
    baseUrl: BaseUrl | undefined,
    syntax: Syntax,
  ) {
    if (sharedEdits.isLong || sharedDelimiters.isLong) {
      sharedEdits = new EditList();
      sharedDelimiters = new DelimiterStack(sharedEdits);
    }
    this.edits = sharedEdits;
    this.delimiters = sharedDelimiters;
    this.syntax = syntax;
    this.markup = syntax.math ? INLINE | FORMULA : INLINE;
    this.brackets = new BracketStack(this.edits, this.delimiters, references, footnotes, baseUrl);
  }

  /** Reads the text of `s` between `from` and `to`. */
  parse(s: string, from: number, to: number): void {
    this.edits.clear(from);
    this.endings = NO_ENDINGS;
    const { markup } = this;
    let pos = from;
    while (pos < to && !isIn(s.charCodeAt(pos), markup)) pos++;
    // Fast path: most cells and many headings have no markup.
    if (pos === to) return;
    this.begin(s, from, to);
    while (pos < to) {
      pos = this.read(s.charCodeAt(pos), pos);
      while (pos < to && !isIn(s.charCodeAt(pos), markup)) pos++;
    }
    this.delimiters.match(from);
    if (this.hasCandidates) linkCandidates(this.edits, new BareAutolinks(s, from, to, true));
    if (this.hasScripts) new ScriptNester(s, this.edits).nest(from, to);
    if (this.edits.hasTags) this.endings = pairTags(this.edits);
  }

  /** Reads the text of an HTML block, which is no Markdown. */
  parseHtmlText(text: string): void {
    readHtmlText(text, this.edits);
  }

  /** Reads the text of raw HTML, in which only tags and character references are markup. */
  parseHtml(s: string, tags: readonly Tag[]): void {
    this.edits.clear(0);
    this.begin(s, 0, s.length);
    for (let pos = 0; pos < s.length; ) {
      const c = s.charCodeAt(pos);
      if (c === LESS) pos = this.readNumberedTag(pos, tags);
      else pos = c === AMPERSAND ? this.readAmpersand(pos) : pos + 1;
    }
    pairTags(this.edits);
  }

  /** Reads `<7>`, which stands for the tag with this number. */
  private readNumberedTag(pos: number, tags: readonly Tag[]): number {
    const end = this.s.indexOf(">", pos) + 1;
    const tag = tags[Number(this.s.slice(pos + 1, end - 1))];
    if (tag === undefined) return this.drop(pos, end);
    this.edits.addTag(pos, end, tag);
    return end;
  }

  private begin(s: string, from: number, to: number): void {
    this.s = s;
    this.from = from;
    this.to = to;
    this.codeSpans = this.rawHtml = this.autolinks = this.formulas = undefined;
    this.hasCandidates = this.hasScripts = false;
    this.blockTagsEnd = -1;
    this.delimiters.clear();
    this.brackets.begin(s, from, to);
  }

  /**
   * Reads the markup that may start at `pos` with the character `c`, and returns the position at which reading
   * continues.
   */
  private read(c: number, pos: number): number {
    switch (c) {
      case NEWLINE:
        return this.readLineEnd(pos);
      case BACKSLASH:
        return this.readFormula(pos) ?? this.readBackslash(pos);
      case DOLLAR:
        return this.readFormula(pos) ?? pos + 1;
      case BACKTICK:
        return this.readCode(pos);
      case ASTERISK:
      case UNDERSCORE:
      case TILDE:
        return this.readRun(c, pos);
      case OPEN_BRACKET:
        return this.brackets.open(pos, pos + 1);
      case EXCLAMATION:
        if (this.s.charCodeAt(pos + 1) !== OPEN_BRACKET || pos + 1 >= this.to) return pos + 1;
        return this.brackets.open(pos, pos + 2);
      case CLOSE_BRACKET:
        return this.brackets.close(pos);
      case LESS:
        return this.readLess(pos);
      case AMPERSAND:
        return this.readAmpersand(pos);
      default:
        return this.readBare(c, pos);
    }
  }

  private drop(pos: number, end: number): number {
    this.edits.add(DROP, pos, end);
    return end;
  }

  /**
   * Spaces at the end and start of lines are removed; two or more at the end make a hard break (sections 6.7 and 6.8).
   */
  private readLineEnd(pos: number): number {
    const { s } = this;
    let start = pos;
    while (start > this.from && isBlank(s.charCodeAt(start - 1))) start--;
    if (this.syntax.breaks) this.edits.add(BREAK, start, pos + 1);
    else if (start < pos) {
      const isHard = s.charCodeAt(pos - 1) === SPACE && s.charCodeAt(pos - 2) === SPACE;
      this.edits.add(isHard ? BREAK : DROP, start, isHard ? pos + 1 : pos);
    }
    return pos + 1;
  }

  private readFormula(pos: number): number | undefined {
    if (!this.syntax.math) return undefined;
    this.formulas ??= new Formulas(this.s, this.from, this.to);
    const formula = this.formulas.read(pos);
    if (formula === undefined) return undefined;
    const { text, isDisplay, end } = formula;
    this.edits.addText(MATH, pos, end, text, mathClass(isDisplay));
    return end;
  }

  private readBackslash(pos: number): number {
    const next = this.s.charCodeAt(pos + 1);
    if (pos + 1 >= this.to) return pos + 1;
    if (next === NEWLINE) {
      this.edits.add(BREAK, pos, pos + 2);
      return pos + 2;
    }
    if (!isIn(next, PUNCTUATION)) return pos + 1;
    this.drop(pos, pos + 1);
    return pos + 2;
  }

  private readCode(pos: number): number {
    const start = skipBackticks(this.s, pos, this.to);
    this.codeSpans ??= new CodeSpans(this.s, this.to);
    const end = this.codeSpans.close(start, start - pos);
    if (end < 0) return start;
    this.edits.addText(CODE, pos, end, codeContent(this.s, start, end - (start - pos)));
    return end;
  }

  private readRun(c: number, pos: number): number {
    const { s } = this;
    let end = pos + 1;
    while (end < this.to && s.charCodeAt(end) === c) end++;
    // Fast path: most underscores are within words and therefore never delimiters.
    if (c === UNDERSCORE && pos > this.from && end < this.to) {
      const isInWord = LETTER | DIGIT;
      if (isIn(s.charCodeAt(pos - 1), isInWord) && isIn(s.charCodeAt(end), isInWord)) return end;
    }
    this.delimiters.push(s, pos, end, this.from, this.to);
    return end;
  }

  private readLess(pos: number): number {
    const autolink = readAngled(this.s, pos, this.to);
    if (autolink !== undefined) return this.addAutolink(autolink);
    this.rawHtml ??= new RawHtml(this.s, this.from, this.to);
    const end = this.rawHtml.skip(pos);
    if (end < 0) return pos + 1;
    if (this.keepsApart(pos, end)) this.edits.addText(RAW_TEXT, pos, pos, " ");
    const tag = this.syntax.resolve && readSafeTag(this.s, pos, end, this.syntax.resolve);
    if (tag !== undefined) {
      this.edits.addTag(pos, end, tag);
      return end;
    }
    if (this.readScript(pos, end)) return end;
    const text = this.textOfTag(pos, end);
    if (text === "") return this.drop(pos, end);
    this.edits.addText(RAW_TEXT, pos, end, text);
    return end;
  }

  /**
   * Whether the tag from `pos` to `end` is the last in a run of tags of block elements beside a word and between texts. Without a space,
   * `<li>1</li><li>0</li>` in a cell would become 10.
   */
  private keepsApart(pos: number, end: number): boolean {
    const { s } = this;
    if (end === this.to || isIn(s.charCodeAt(end), WHITE) || !isBlockTag(s, pos)) return false;
    if (pos !== this.blockTagsEnd) {
      const before = pos > this.from ? s.charCodeAt(pos - 1) : SPACE;
      this.hasTextBeforeTags = !isIn(before, WHITE);
      this.hasWordBeforeTags = isOfWord(before);
    }
    this.blockTagsEnd = end;
    const after = s.charCodeAt(end);
    if (!this.hasTextBeforeTags || (after === LESS && isBlockTag(s, end))) return false;
    return this.hasWordBeforeTags || isOfWord(after);
  }

  private readScript(pos: number, end: number): boolean {
    const isClosing = this.s.charCodeAt(pos + 1) === SLASH;
    const name = scriptName(this.s, isClosing ? pos + 2 : pos + 1);
    // A tag that closes itself has no text.
    if (name === undefined || this.s.charCodeAt(end - 2) === SLASH) return false;
    this.hasScripts = true;
    this.edits.addText(isClosing ? SCRIPT_END : SCRIPT, pos, end, name);
    return true;
  }

  /** What is shown in place of a tag: mostly nothing. */
  private textOfTag(pos: number, end: number): string {
    switch (shownElement(this.s, pos, end)) {
      case "br":
        // What it keeps apart would run together.
        return this.isBetweenWords(pos, end) ? " " : "";
      case "img":
        return alternativeText(this.s, pos, end);
      default:
        return "";
    }
  }

  private isBetweenWords(start: number, end: number): boolean {
    const { s } = this;
    if (start === this.from || end === this.to) return false;
    return !isIn(s.charCodeAt(start - 1), WHITE) && !isIn(s.charCodeAt(end), WHITE);
  }

  private readAmpersand(pos: number): number {
    const entity = readEntity(this.s, pos, this.to);
    if (entity === undefined) return pos + 1;
    this.edits.addText(TEXT, pos, entity.end, entity.text);
    return entity.end;
  }

  /** For most colons, at signs and `w`s, the next character rules out an address. */
  private readBare(c: number, pos: number): number {
    const next = this.s.charCodeAt(pos + 1);
    const mayBegin =
      c === COLON ? next === 47 : c === LOWER_W ? next === LOWER_W : isIn(next, LETTER | DIGIT);
    if (!mayBegin) return pos + 1;
    const floor = this.edits.lastEnd(this.from);
    // An underscore beside an email address belongs to the address, unless it turns out to be emphasis.
    const isMail = c !== COLON && c !== LOWER_W;
    if (this.brackets.isOpen || (isMail && !this.delimiters.isEmpty)) {
      this.edits.add(CANDIDATE, pos, pos);
      this.hasCandidates = true;
      return pos + 1;
    }
    this.autolinks ??= new BareAutolinks(this.s, this.from, this.to);
    const autolink = this.autolinks.read(pos, floor);
    return autolink === undefined ? pos + 1 : this.addAutolink(autolink);
  }

  /** A disallowed address becomes text. */
  private addAutolink({ start, end, text, address }: Autolink): number {
    const allowed = cleanAddress(address);
    this.edits.addText(allowed === undefined ? TEXT : AUTOLINK, start, end, text, allowed);
    return end;
  }
}

/** A word, or markup that may end at one. Other punctuation is no word: `-<div>]` is `-]`. */
const isOfWord = (c: number): boolean =>
  c > 127 || isIn(c, LETTER | DIGIT) || c === GREATER || c === ASTERISK || c === UNDERSCORE;
