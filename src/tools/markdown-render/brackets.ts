import { type BaseUrl, cleanAddress } from "./address.ts";
import { LABEL_CHARS_MAX } from "./bounds.ts";
import {
  AUTOLINK,
  DROP,
  type EditList,
  FOOTNOTE,
  IMAGE,
  IMAGE_END,
  KEEP,
  LINK,
  LINK_END,
  TEXT,
} from "./edits.ts";
import type { DelimiterStack } from "./emphasis.ts";
import type { Footnotes } from "./footnotes.ts";
import { readInlineTarget, skipLabel } from "./link-scanner.ts";
import type { Destination, References } from "./references.ts";
import { skipWhite } from "./scan.ts";

const OPEN_PARENTHESIS = 40;
const CLOSE_PARENTHESIS = 41;
const OPEN_BRACKET = 91;
const CARET = 94;

/** Shared by the paragraphs without references to footnotes. */
const NONE: number[] = [];

/** The bracket stack of one paragraph (CommonMark, appendix A, "look for link or image"). */
export class BracketStack {
  /** The edits of each `[` and `![` that can still start a link or image. */
  private readonly stack: number[] = [];
  /** For each of them, whether another bracket opened after it; the text between then cannot be a label. */
  private readonly isFollowed: boolean[] = [];
  /** The edits of the references to footnotes. */
  private footnoteEdits = NONE;
  private readonly edits: EditList;
  private readonly delimiters: DelimiterStack;
  private readonly references: References;
  private readonly footnotes: Footnotes;
  private readonly baseUrl: BaseUrl | undefined;
  /** How many of the lowest brackets contain a link and therefore cannot be links themselves. */
  private inactive = 0;
  private s = "";
  private from = 0;
  private to = 0;
  /** The position of the last `)`, after which no destination can end; -1: not known yet. */
  private lastClosing = -1;

  constructor(
    edits: EditList,
    delimiters: DelimiterStack,
    references: References,
    footnotes: Footnotes,
    baseUrl: BaseUrl | undefined,
  ) {
    this.edits = edits;
    this.delimiters = delimiters;
    this.references = references;
    this.footnotes = footnotes;
    this.baseUrl = baseUrl;
  }

  begin(s: string, from: number, to: number): void {
    this.s = s;
    this.from = from;
    this.to = to;
    this.lastClosing = -1;
    if (this.stack.length > 0) this.stack.length = 0;
    this.footnoteEdits = NONE;
    this.inactive = 0;
  }

  get isOpen(): boolean {
    return this.stack.length > 0;
  }

  /** Handles `[` or `![` from `pos` to `end`. Returns where reading continues, as `close` does. */
  open(pos: number, end: number): number {
    const depth = this.stack.push(this.edits.add(KEEP, pos, end)) - 1;
    this.isFollowed[depth] = false;
    if (depth > 0) this.isFollowed[depth - 1] = true;
    return end;
  }

  /** Handles `]` at `pos`. */
  close(pos: number): number {
    const bracket = this.stack.pop();
    if (bracket === undefined) return pos + 1;
    const isInactive = this.stack.length < this.inactive;
    if (isInactive) this.inactive = this.stack.length;
    if (isInactive && !this.isImage(bracket)) return pos + 1;
    return this.closeFootnote(bracket, pos) ?? this.closeLink(bracket, pos) ?? pos + 1;
  }

  private get lastParenthesis(): number {
    if (this.lastClosing >= 0) return this.lastClosing;
    let pos = this.to - 1;
    while (pos > this.from && this.s.charCodeAt(pos) !== CLOSE_PARENTHESIS) pos--;
    this.lastClosing = pos;
    return pos;
  }

  private isImage(bracket: number): boolean {
    return this.edits.end(bracket) - this.edits.start(bracket) === 2;
  }

  /** Returns the text between the bracket that was taken from the stack and `pos`, if it can be a label. */
  private labelOf(bracket: number, pos: number): string | undefined {
    const start = this.edits.end(bracket);
    if (this.isFollowed[this.stack.length] || pos - start > LABEL_CHARS_MAX) return undefined;
    return this.s.slice(start, pos);
  }

  /** Handles `[^label]`, also after an exclamation mark, which then is text. */
  private closeFootnote(bracket: number, pos: number): number | undefined {
    const start = this.edits.end(bracket);
    if (this.s.charCodeAt(start) !== CARET || this.footnotes.isEmpty) return undefined;
    const label = this.labelOf(bracket, pos)?.slice(1);
    const footnote = label === undefined ? undefined : this.footnotes.find(label);
    if (footnote === undefined) return undefined;
    this.edits.truncate(bracket);
    this.delimiters.drop(start);
    this.edits.addNumber(FOOTNOTE, start - 1, pos + 1, footnote.id);
    if (this.footnoteEdits === NONE) this.footnoteEdits = [];
    this.footnoteEdits.push(bracket);
    return pos + 1;
  }

  private closeLink(bracket: number, pos: number): number | undefined {
    if (this.s.charCodeAt(pos + 1) === OPEN_PARENTHESIS && pos < this.lastParenthesis) {
      const target = readInlineTarget(this.s, pos + 1, this.to);
      if (target !== undefined) {
        const address = cleanAddress(target.destination);
        return this.make(bracket, { address, title: target.title }, pos, target.end);
      }
    }
    return this.references.isEmpty ? undefined : this.closeReference(bracket, pos);
  }

  /** Handles `[text][label]`, `[label][]` or `[label]`. */
  private closeReference(bracket: number, pos: number): number | undefined {
    const next = pos + 1;
    const isFull = this.s.charCodeAt(next) === OPEN_BRACKET && next < this.to;
    const labelEnd = isFull ? skipLabel(this.s, next, this.to) : -1;
    const isOwn = labelEnd <= next + 2;
    const label = isOwn ? this.labelOf(bracket, pos) : this.s.slice(next + 1, labelEnd - 1);
    const destination = label === undefined ? undefined : this.references.use(label);
    return destination && this.make(bracket, destination, pos, Math.max(labelEnd, next));
  }

  private resolve(address: string | undefined): string | undefined {
    if (address === undefined || this.baseUrl === undefined) return address;
    return this.baseUrl.resolve(address);
  }

  /** Turns the bracket, closed from `pos` to `end`, into a link or image; into its text if its URL is not allowed. */
  private make(bracket: number, destination: Destination, pos: number, end: number): number {
    const { edits } = this;
    const { title } = destination;
    const address = this.resolve(destination.address);
    const isImage = this.isImage(bracket);
    // An autolink within a link is text, because links do not nest.
    for (let i = bracket + 1; !isImage && i < edits.count; i++) {
      if (edits.kind(i) === AUTOLINK) edits.setKind(i, TEXT);
    }
    this.delimiters.match(edits.end(bracket));
    if (isImage) this.dropFootnotes(bracket);
    if (address === undefined) {
      edits.setKind(bracket, DROP);
      edits.add(DROP, pos, end);
    } else {
      const start = isImage ? bracket : this.skipFootnotes(bracket);
      edits.setText(start, isImage ? IMAGE : LINK, address, title);
      edits.addText(isImage ? IMAGE_END : LINK_END, pos, end, address, title);
    }
    if (!isImage) this.inactive = this.stack.length;
    return end;
  }
  /** A description has no references to footnotes. */
  private dropFootnotes(bracket: number): void {
    const { edits, footnoteEdits } = this;
    while ((footnoteEdits.at(-1) ?? -1) > bracket)
      edits.setKind(footnoteEdits.pop() as number, DROP);
  }

  /** A link ends before the first reference to a footnote, so it starts after those that precede its text. */
  private skipFootnotes(bracket: number): number {
    const { edits, footnoteEdits } = this;
    let start = bracket;
    let i = footnoteEdits.length;
    while (i > 0 && (footnoteEdits[i - 1] as number) > bracket) i--;
    for (; footnoteEdits[i] === start + 1; i++) {
      const [textStart, textEnd] = [edits.end(start), edits.start(start + 1)];
      if (skipWhite(this.s, textStart, textEnd) < textEnd) break;
      const end = edits.end(start + 1);
      edits.swap(start, start + 1);
      edits.setRange(start, edits.start(start), end);
      edits.setRange(start + 1, end, end);
      footnoteEdits[i] = start++;
    }
    return start;
  }
}
