import { Block } from "./blocks.ts";
import { DIGIT, isIn, LETTER, WHITE } from "./characters.ts";
import { resolveReferences } from "./entities.ts";
import { attributesOf, isHiddenElement, tagName } from "./raw-html.ts";
import { trimEnd } from "./scan.ts";
import { plainHtmlText, standInOf, withoutStandIns } from "./scripts.ts";

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

/** Whether the tag at `pos`, the place of `<`, is that of such an element. */
export function isBlockTag(s: string, pos: number): boolean {
  const start = s.charCodeAt(pos + 1) === SLASH ? pos + 2 : pos + 1;
  // Most tags have one letter, and `p` is the only such name.
  if (!isIn(s.charCodeAt(start + 1), LETTER | DIGIT)) return (s.charCodeAt(start) | 32) === 112;
  return BLOCK_ELEMENTS.has(tagName(s, start, s.length).toLowerCase());
}

/** Longer names are those of no element that has a meaning here. */
const NAME_CHARS_MAX = 16;

/** What the next character belongs to: text, a tag, or what is skipped up to `closing`. */
const TEXT = 0;
const TAG = 1;
const SKIPPED = 2;

/** The same within a tag, for a character that is not quoted: a name, what follows `=`, or a value without quotes. */
const NAME = 0;
const EQUAL = 1;
const VALUE = 2;

/** White space that is written before the next word: none, a space or a line break. */
const GAPS = ["", " ", "\n"];
const SPACE_GAP = 1;
const LINE_GAP = 2;

export const WHITE_RUN = /[\t\n\v\f\r ]{2,}|[\t\n\v\f\r]/g;

/**
 * Reads the text of raw HTML line by line, in one pass, as a browser's tokenizer divides it (HTML, section 13.2.5):
 * nothing of a tag is text, not even of one that does not end. Each paragraph becomes a block of kind `text`, in which a
 * line ending is a line break; what stands in `pre` becomes a block of code.
 */
export class HtmlText {
  protected readonly blocks: Block[];
  private state = TEXT;
  private closing = />/g;
  protected tag = "";
  protected isClosing = false;
  private part = NAME;
  /** The quote that ends a value; "" outside of one. */
  private quote = "";
  /** Of the tags whose attributes matter. */
  protected attributes = "";
  protected isPreformatted = false;
  private text = "";
  private gap = 0;
  /** Whether white space before the next word is shown: a word precedes it in the paragraph, and no other white space. */
  private hasWord = false;
  /** The element that is open and whose contents are not shown; "" for none. */
  hidden = "";

  /** Adds to `blocks` what it reads. */
  constructor(blocks: Block[]) {
    this.blocks = blocks;
  }

  /** Reads a line with its ending. */
  add(line: string): void {
    for (let pos = 0; pos < line.length; ) {
      if (this.state === TEXT) pos = this.readText(line, pos);
      else pos = this.state === TAG ? this.readTag(line, pos) : this.skip(line, pos);
    }
  }

  /** Ends the HTML. A tag, comment or hidden element that is still open is dropped as far as it was read. */
  end(): void {
    this.endParagraph();
    this.state = TEXT;
    this.hidden = "";
    this.isPreformatted = false;
  }

  /** Returns where reading goes on, as the other readers do. */
  private readText(line: string, pos: number): number {
    const less = line.indexOf("<", pos);
    const end = less < 0 ? line.length : less;
    if (end > pos) this.addText(line.slice(pos, end));
    if (less < 0) return end;
    // `<!-->` and `<!--->` are comments as well.
    if (line.startsWith("<!--", less)) return this.skipTo(/-->/g, less + 2);
    if (line.startsWith("<![CDATA[", less)) return this.skipTo(/\]\]>/g, less + 9);
    const c = line.charCodeAt(less + 1);
    if (c === QUESTION) return this.skipTo(/\?>/g, less + 2);
    const nameStart = c === SLASH ? less + 2 : less + 1;
    if (isIn(line.charCodeAt(nameStart), LETTER)) return this.openTag(line, nameStart, c === SLASH);
    if (c === SLASH || c === EXCLAMATION) return this.skipTo(/>/g, less + 2);
    this.addText("<");
    return less + 1;
  }

  private openTag(line: string, pos: number, isClosing: boolean): number {
    let end = pos;
    while (end < line.length && !endsName(line.charCodeAt(end))) end++;
    const name = end - pos > NAME_CHARS_MAX ? "" : line.slice(pos, end).toLowerCase();
    this.beginTag(name, isClosing);
    return end;
  }

  private beginTag(name: string, isClosing: boolean): void {
    this.state = TAG;
    this.tag = name;
    this.isClosing = isClosing;
    this.part = NAME;
    this.quote = this.attributes = this.hidden = "";
  }

  private skipTo(closing: RegExp, pos: number): number {
    this.state = SKIPPED;
    this.closing = closing;
    return pos;
  }

  private skip(line: string, pos: number): number {
    const { closing } = this;
    closing.lastIndex = pos;
    if (!closing.test(line)) return line.length;
    this.state = TEXT;
    if (this.hidden !== "") this.beginTag(this.hidden, true);
    return closing.lastIndex;
  }

  /** Up to the `>` that ends it, which no quotes are around. */
  private readTag(line: string, pos: number): number {
    let end = pos;
    for (; end < line.length; end++) {
      const c = line.charCodeAt(end);
      if (this.quote !== "") {
        if (line.charAt(end) === this.quote) this.quote = "";
      } else if (c === GREATER) break;
      else this.part = this.partAt(c);
    }
    if (this.hasAttributes()) this.attributes += line.slice(pos, end);
    if (end === line.length) return end;
    this.state = TEXT;
    if (!isHiddenElement(this.tag)) this.showTag();
    else if (!this.isClosing) {
      this.hidden = this.tag;
      this.skipTo(new RegExp(`</${this.tag}(?=[\\s/>]|$)`, "gi"), 0);
    }
    return end + 1;
  }

  /** Whether the attributes of the current tag matter. */
  protected hasAttributes(): boolean {
    return this.tag === "img";
  }

  private partAt(c: number): number {
    const { part } = this;
    if (isIn(c, WHITE)) return part === VALUE ? NAME : part;
    if (part === NAME) return c === EQUALS ? EQUAL : NAME;
    if (part === VALUE || (c !== DOUBLE_QUOTE && c !== SINGLE_QUOTE)) return VALUE;
    this.quote = String.fromCharCode(c);
    return NAME;
  }

  /** Shows what the tag that was just read stands for. */
  protected showTag(): void {
    const { tag, isClosing } = this;
    if (tag === "img") this.addText(alternativeOf(this.attributes));
    else if (tag === "br") this.addLineBreak();
    else if (tag === "pre") {
      this.endParagraph();
      this.isPreformatted = !isClosing;
    } else if (tag === "sup" || tag === "sub")
      this.addStandIn(standInOf(tag, isClosing), isClosing);
    else if (tag === "td" || tag === "th") this.addText(" ");
    else if (BLOCK_ELEMENTS.has(tag)) this.endParagraph();
  }

  /** Adds text as it stands in the source, with its character references. */
  protected addText(source: string): void {
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
    if (this.hasWord) this.text += GAPS[this.gap];
    this.hasWord = true;
    this.text += words.slice(from, to);
    this.gap = to < words.length ? SPACE_GAP : 0;
  }

  private addStandIn(standIn: string, isClosing: boolean): void {
    if (!isClosing && !this.isPreformatted && this.hasWord) {
      this.text += GAPS[this.gap];
      if (this.gap !== 0) this.hasWord = false;
      this.gap = 0;
    }
    this.text += standIn;
  }

  private addLineBreak(): void {
    if (this.isPreformatted) this.text += "\n";
    else this.gap = LINE_GAP;
  }

  protected endParagraph(): void {
    const { text, isPreformatted } = this;
    this.text = "";
    this.gap = 0;
    this.hasWord = false;
    if (isPreformatted) this.addCode(plainHtmlText(text));
    else if (withoutStandIns(text) !== "")
      this.blocks.push(new Block("text", text, 0, text.length));
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

function endsName(c: number): boolean {
  return isIn(c, WHITE) || c === SLASH || c === GREATER;
}

/** The value of `alt`, the first if there are several. */
function alternativeOf(attributes: string): string {
  for (const [name, value] of attributesOf(attributes)) if (name === "alt") return value;
  return "";
}

/** The text that stands for a raw tag `<img>` from `pos` to `end`: its `alt`. */
export function alternativeText(s: string, pos: number, end: number): string {
  const blocks: Block[] = [];
  const reader = new HtmlText(blocks);
  reader.add(s.slice(pos, end));
  reader.end();
  return blocks[0]?.text ?? "";
}
