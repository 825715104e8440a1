import { isIn, LETTER, WHITE } from "./characters.ts";
import { hiddenAfter, lastClosings } from "./hidden-elements.ts";
import { skipTag, tagName } from "./raw-html.ts";
import { skipWhite } from "./scan.ts";

/**
 * How an HTML block ends (CommonMark, section 4.6): with the line that contains a given text, or before a blank line.
 */
type End = RegExp | "blank";

/** Kind 1: elements whose contents are not Markdown. */
const VERBATIM = /^(?:script|pre|style|textarea)$/;
const VERBATIM_END = /<\/(?:script|pre|style|textarea)>/i;

/** Kind 6. */
const BLOCK_ELEMENTS = new Set(
  `address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt
  fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li
  link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th
  thead title tr track ul`.split(/\s+/),
);

/**
 * The current HTML block. Its text is not stored, because HTML blocks are removed from the document with their
 * contents.
 */
export class HtmlBlocks {
  private readonly source: string;
  private end: End = "blank";
  /** An element whose contents are removed even after a blank line. */
  private hidden = "";
  private closings: Map<string, number> | undefined;

  constructor(source: string) {
    this.source = source;
  }

  /** Returns whether a block starts at `pos`, the place of `<`. Its first line is then read with `endsWith`. */
  begins(pos: number, lineEnd: number, isInParagraph: boolean): boolean {
    const end = findEnd(this.source, pos, lineEnd, isInParagraph);
    if (end === undefined) return false;
    this.end = end;
    this.hidden = "";
    return true;
  }

  /** Reads a line of the block and returns whether the block ends with it. */
  endsWith(from: number, to: number): boolean {
    const line = this.source.slice(from, to);
    if (this.end !== "blank") return this.end.test(line);
    if (line.includes("<")) this.hidden = hiddenAfter(line, this.hidden);
    return false;
  }

  /** Returns whether a blank line at `pos` ends the block. */
  endsBefore(pos: number): boolean {
    if (this.end !== "blank") return false;
    if (this.hidden === "") return true;
    this.closings ??= lastClosings(this.source);
    return (this.closings.get(this.hidden) ?? 0) < pos;
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
