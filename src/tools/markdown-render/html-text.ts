import { Block } from "./blocks.ts";
import { isIn, LETTER, WHITE } from "./characters.ts";
import { resolveReferences } from "./entities.ts";
import { isHiddenElement } from "./hidden-elements.ts";
import { trimEnd } from "./scan.ts";

const EXCLAMATION = 33;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const SLASH = 47;
const EQUALS = 61;
const GREATER = 62;
const QUESTION = 63;

/**
 * The elements that start an HTML block of kind 6 (CommonMark, section 4.6). Their tags separate paragraphs, except those
 * of cells.
 */
export const BLOCK_ELEMENTS = new Set(
  `address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt
  fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li
  link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th
  thead title tr track ul`.split(/\s+/),
);
/** Longer names are those of no element that has a meaning here. */
const NAME_CHARS_MAX = 16;

/** What the next character belongs to. `UNTIL` is a comment, declaration or the like, up to `closing`. */
const TEXT = 0;
const UNTIL = 1;
const HIDDEN = 2;
const TAG = 3;
const AFTER_NAME = 4;
const BEFORE_VALUE = 5;
const VALUE = 6;
const QUOTED_VALUE = 7;

/** White space that is written before the next word: none, a space or a line break. */
const GAPS = ["", " ", "\n"];
const SPACE_GAP = 1;
const LINE_GAP = 2;

const WHITE_RUN = /[\t\n\v\f\r ]{2,}|[\t\n\v\f\r]/g;

/**
 * Reads the text of raw HTML line by line, in one pass, as a browser's tokenizer divides it (HTML, section 13.2.5):
 * nothing of a tag is text, not even of one that does not end. Each paragraph becomes a block of kind `text`, in which a
 * line ending is a line break; what stands in `pre` becomes a block of code.
 */
export class HtmlText {
  private readonly blocks: Block[];
  private state = TEXT;
  private closing = "";
  private quote = "";
  private tag = "";
  private isClosing = false;
  private isAlt = false;
  /** The value of the attribute `alt`; undefined before it. */
  private alt: string | undefined;
  private isPreformatted = false;
  private text = "";
  private gap = 0;
  /** The element that is open and whose contents are not shown; "" for none. */
  hidden = "";

  /** Adds to `blocks` what it reads. */
  constructor(blocks: Block[]) {
    this.blocks = blocks;
  }

  /** Reads a line with its ending. */
  add(line: string): void {
    for (let pos = 0; pos < line.length; ) pos = this.read(line, pos);
  }

  /** Ends the HTML. A tag, comment or hidden element that is still open is dropped as far as it was read. */
  end(): void {
    this.endParagraph();
    this.state = TEXT;
    this.hidden = "";
    this.isPreformatted = false;
  }

  /** Returns where reading goes on. */
  private read(line: string, pos: number): number {
    switch (this.state) {
      case TEXT:
        return this.readText(line, pos);
      case UNTIL:
        return this.readUntil(line, pos);
      case HIDDEN:
        return this.readHidden(line, pos);
      case TAG:
        return this.readTag(line, pos);
      case AFTER_NAME:
      case BEFORE_VALUE:
        return this.readBeforeValue(line, pos);
      default:
        return this.readValue(line, pos);
    }
  }

  private readText(line: string, pos: number): number {
    const less = line.indexOf("<", pos);
    const end = less < 0 ? line.length : less;
    if (end > pos) this.addText(line.slice(pos, end));
    return less < 0 ? end : this.openMarkup(line, less);
  }

  private openMarkup(line: string, less: number): number {
    const c = line.charCodeAt(less + 1);
    if (c === EXCLAMATION) return this.openDeclaration(line, less);
    if (c === QUESTION) return this.open("?>", less + 2);
    const nameStart = c === SLASH ? less + 2 : less + 1;
    if (!isIn(line.charCodeAt(nameStart), LETTER)) {
      if (c === SLASH) return this.open(">", nameStart);
      this.addText("<");
      return less + 1;
    }
    let end = nameStart;
    while (end < line.length && !endsName(line.charCodeAt(end))) end++;
    const name = end - nameStart > NAME_CHARS_MAX ? "" : line.slice(nameStart, end);
    this.openTag(name.toLowerCase(), c === SLASH);
    return end;
  }

  private openDeclaration(line: string, less: number): number {
    // `<!-->` and `<!--->` are comments as well.
    if (line.startsWith("<!--", less)) return this.open("-->", less + 2);
    if (line.startsWith("<![CDATA[", less)) return this.open("]]>", less + 9);
    return this.open(">", less + 2);
  }

  private open(closing: string, pos: number): number {
    this.state = UNTIL;
    this.closing = closing;
    return pos;
  }

  private readUntil(line: string, pos: number): number {
    const at = line.indexOf(this.closing, pos);
    if (at < 0) return line.length;
    this.state = TEXT;
    return at + this.closing.length;
  }

  private readHidden(line: string, pos: number): number {
    const less = line.indexOf("</", pos);
    if (less < 0) return line.length;
    const end = less + 2 + this.hidden.length;
    const isSame = line.slice(less + 2, end).toLowerCase() === this.hidden;
    if (!isSame || (end < line.length && !endsName(line.charCodeAt(end)))) return less + 2;
    this.openTag(this.hidden, true);
    this.hidden = "";
    return end;
  }

  private openTag(name: string, isClosing: boolean): void {
    this.state = TAG;
    this.tag = name;
    this.isClosing = isClosing;
    this.alt = undefined;
  }

  /** Reads up to the end of the next attribute's name. */
  private readTag(line: string, pos: number): number {
    let start = pos;
    while (isIn(line.charCodeAt(start), WHITE) || line.charCodeAt(start) === SLASH) start++;
    if (start >= line.length) return start;
    if (line.charCodeAt(start) === GREATER) {
      this.state = TEXT;
      this.closeTag();
      return start + 1;
    }
    let end = start + 1;
    while (end < line.length && line.charCodeAt(end) !== EQUALS && !endsName(line.charCodeAt(end)))
      end++;
    this.isAlt = this.alt === undefined && end - start === 3 && this.tag === "img";
    if (this.isAlt) this.isAlt = line.slice(start, end).toLowerCase() === "alt";
    if (this.isAlt) this.alt = "";
    this.state = AFTER_NAME;
    return end;
  }

  private readBeforeValue(line: string, pos: number): number {
    const c = line.charCodeAt(pos);
    if (isIn(c, WHITE)) return pos + 1;
    if (this.state === AFTER_NAME) {
      this.state = c === EQUALS ? BEFORE_VALUE : TAG;
      return c === EQUALS ? pos + 1 : pos;
    }
    const isQuoted = c === DOUBLE_QUOTE || c === SINGLE_QUOTE;
    this.quote = line.charAt(pos);
    this.state = isQuoted ? QUOTED_VALUE : c === GREATER ? TAG : VALUE;
    return isQuoted ? pos + 1 : pos;
  }

  private readValue(line: string, pos: number): number {
    let end = pos;
    if (this.state === QUOTED_VALUE) {
      end = line.indexOf(this.quote, pos);
      if (end < 0) end = line.length;
    } else while (end < line.length && !endsValue(line.charCodeAt(end))) end++;
    if (this.isAlt) this.alt += line.slice(pos, end);
    if (end === line.length) return end;
    const isQuoted = this.state === QUOTED_VALUE;
    this.state = TAG;
    return isQuoted ? end + 1 : end;
  }

  private closeTag(): void {
    const { tag, isClosing } = this;
    if (tag === "img") this.addText(this.alt ?? "");
    else if (tag === "br") this.addLineBreak();
    else if (tag === "pre") {
      this.endParagraph();
      this.isPreformatted = !isClosing;
    } else if (isHiddenElement(tag)) {
      if (isClosing) return;
      this.state = HIDDEN;
      this.hidden = tag;
    } else if (tag === "td" || tag === "th") this.addText(" ");
    else if (BLOCK_ELEMENTS.has(tag)) this.endParagraph();
  }

  private addText(source: string): void {
    const text = resolveReferences(source);
    if (this.isPreformatted) {
      this.text += text;
      return;
    }
    const words = text.replace(WHITE_RUN, " ");
    const from = words.startsWith(" ") ? 1 : 0;
    const to = words.endsWith(" ") ? words.length - 1 : words.length;
    if (from > 0) this.gap = Math.max(this.gap, SPACE_GAP);
    if (from >= to) return;
    if (this.text !== "") this.text += GAPS[this.gap];
    this.text += words.slice(from, to);
    this.gap = to < words.length ? SPACE_GAP : 0;
  }

  private addLineBreak(): void {
    if (this.isPreformatted) this.text += "\n";
    else this.gap = LINE_GAP;
  }

  private endParagraph(): void {
    const { text, isPreformatted } = this;
    this.text = "";
    this.gap = 0;
    if (isPreformatted) this.addCode(text);
    else if (text !== "") this.blocks.push(new Block("text", text, 0, text.length));
  }

  private addCode(text: string): void {
    // A line ending right after `<pre>` is not part of its text (HTML, section 13.2.6.4.7).
    const from = text.startsWith("\n") ? 1 : 0;
    const to = trimEnd(text, from, text.length);
    if (to === from) return;
    const code = `${text.slice(from, to)}\n`;
    this.blocks.push(new Block("code", code, 0, code.length));
  }
}

/** Ends the name of a tag, and with `=` that of an attribute. */
function endsName(c: number): boolean {
  return isIn(c, WHITE) || c === SLASH || c === GREATER;
}

function endsValue(c: number): boolean {
  return isIn(c, WHITE) || c === GREATER;
}

/** The text that stands for a raw tag `<img>` from `pos` to `end`: its `alt`. */
export function alternativeText(s: string, pos: number, end: number): string {
  const blocks: Block[] = [];
  const reader = new HtmlText(blocks);
  reader.add(s.slice(pos, end));
  reader.end();
  return blocks[0]?.text ?? "";
}
