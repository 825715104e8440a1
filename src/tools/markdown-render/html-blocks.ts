import type { Block } from "./blocks.ts";
import { isIn, LETTER, WHITE } from "./characters.ts";
import { BLOCK_ELEMENTS, HtmlText } from "./html-text.ts";
import { lastClosings, skipTag, tagName } from "./raw-html.ts";
import type { Resolve } from "./safe-elements.ts";
import { SafeHtml } from "./safe-html.ts";
import { skipWhite } from "./scan.ts";

/**
 * How an HTML block ends (CommonMark, section 4.6): with the line that contains a given text, or before a blank line.
 */
type End = RegExp | "blank";

/** Kind 1: elements whose contents are not Markdown. */
const VERBATIM = /^(?:script|pre|style|textarea)$/;
const VERBATIM_END = /<\/(?:script|pre|style|textarea)>/i;

/**
 * The HTML block that is being read: where it begins and ends. What it shows as text goes to the blocks of the document.
 */
export class HtmlBlocks {
  private readonly source: string;
  private readonly text: HtmlText;
  private end: End = "blank";
  /** The line that ends the block was read, though a hidden element may go on. */
  private hasEnded = false;
  private closings: Map<string, number> | undefined;

  /** `resolve`: elements are kept, with these addresses. */
  constructor(source: string, blocks: Block[], resolve: Resolve | undefined) {
    this.source = source;
    this.text = resolve === undefined ? new HtmlText(blocks) : new SafeHtml(blocks, resolve);
  }

  /** Returns whether a block starts at `pos`, the place of `<`. Its first line is then read with `endsWith`. */
  begins(pos: number, lineEnd: number, isInParagraph: boolean): boolean {
    const end = findEnd(this.source, pos, lineEnd, isInParagraph);
    if (end === undefined) return false;
    this.end = end;
    this.hasEnded = false;
    return true;
  }

  /** Reads a line of the block, which ends at `to`, after `spaces` spaces; true where the block ends with it. */
  endsWith(from: number, to: number, spaces: number): boolean {
    const line = " ".repeat(spaces) + this.source.slice(from, to + 1);
    this.text.add(line);
    if (this.end === "blank") return false;
    this.hasEnded ||= this.end.test(line);
    return this.hasEnded && !this.isHiding(to);
  }

  /** Returns whether a blank line at `pos` ends the block. */
  endsBefore(pos: number): boolean {
    return this.end === "blank" && !this.isHiding(pos);
  }

  close(): void {
    this.text.end();
  }

  /** Of a hidden element even the contents after a blank line go, if its closing tag stands after `pos`. */
  private isHiding(pos: number): boolean {
    const { hidden } = this.text;
    if (hidden === "") return false;
    this.closings ??= lastClosings(this.source);
    return (this.closings.get(hidden) ?? -1) > pos;
  }
}

function findEnd(s: string, pos: number, to: number, isInParagraph: boolean): End | undefined {
  const c = s.charCodeAt(pos + 1);
  if (c === 63) return /\?>/;
  if (c === 33) {
    if (s.startsWith("<!--", pos)) return /-->/;
    if (s.startsWith("<![CDATA[", pos)) return /\]\]>/;
    return isIn(s.charCodeAt(pos + 2), LETTER) ? />/ : undefined;
  }
  const isClosing = c === 47;
  const nameStart = isClosing ? pos + 2 : pos + 1;
  if (!isIn(s.charCodeAt(nameStart), LETTER)) return undefined;
  const name = tagName(s, nameStart, to).toLowerCase();
  const behind = s.charCodeAt(nameStart + name.length);
  const isWhole = nameStart + name.length >= to || isIn(behind, WHITE) || behind === 62;
  if (VERBATIM.test(name) && !isClosing) return isWhole ? VERBATIM_END : undefined;
  if (BLOCK_ELEMENTS.has(name) && (isWhole || s.startsWith("/>", nameStart + name.length))) {
    return "blank";
  }
  if (isInParagraph) return undefined;
  // Kind 7: any complete tag that is alone on its line.
  const end = skipTag(s, pos, to);
  return end > 0 && skipWhite(s, end, to) >= to ? "blank" : undefined;
}
