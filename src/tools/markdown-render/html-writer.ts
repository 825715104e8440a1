import type { LongText } from "../define-tool.ts";
import { type Align, alertTitle, type Block, isOrdered, TASK_ITEM } from "./blocks.ts";
import { filledCellsMax, INLINE_NESTING_MAX, SAFE_NESTING_MAX } from "./bounds.ts";
import {
  AUTOLINK,
  BREAK,
  CANDIDATE,
  CLOSING,
  CODE,
  DROP,
  describe,
  type EditList,
  FOOTNOTE,
  IMAGE,
  IMAGE_END,
  KEEP,
  LINK,
  LINK_END,
  MATH,
  markChars,
  RAW_TEXT,
  RUN,
  SCRIPT,
  SCRIPT_END,
  TAG,
  TEXT,
} from "./edits.ts";
import { elementAt, impliedParent, placeOfEnd, placeOfParent } from "./element-places.ts";
import { addEscaped, escapeHtml, hasSpecial } from "./escape-html.ts";
import type { Footnote, Footnotes } from "./footnotes.ts";
import type { HeadingIds } from "./heading-ids.ts";
import {
  BODY_CELLS,
  backReferences,
  checkbox,
  FOOTNOTES_SECTION,
  footnoteId,
  HEAD_CELLS,
  referenceLink,
} from "./html-parts.ts";
import type { LinkAttributes } from "./links.ts";
import { mathClass } from "./math.ts";
import { Output } from "./output.ts";
import { isAnchor, isDivision, type SafeElement, type Tag } from "./safe-elements.ts";

/**
 * Writes blocks and their edits as HTML. Every tag and attribute of the output is written here, in `html-parts.ts` or in
 * `heading-ids.ts`. All text of the document goes through `escapeHtml`, and all addresses go through `cleanAddress`.
 */
export class HtmlWriter {
  private readonly out: Output;
  private readonly footnotes: Footnotes;
  private readonly headingIds: HeadingIds | undefined;
  private filledCellsLeft: number;
  /** True if the last written character is a newline, or nothing has been written. */
  private isAtLineStart = true;
  /** True if nothing of the current item has been written. */
  private isItemStart = false;
  /** The open containers and the open table. */
  private readonly open: Block[] = [];
  private align: readonly Align[] = [];
  private rows = 0;
  private cells = 0;
  private nesting = 0;
  /** How many elements were open at the start of the open link; -1 if no link is open. */
  private linkNesting = -1;
  /** The number of open images, whose description is text only. */
  private images = 0;
  /** Whether the paragraph, heading or cell has no character to escape. Its pieces are then not searched one by one. */
  private isPlain = false;
  /** Attributes of links that leave the page. */
  links: LinkAttributes | undefined;
  /** The number of open elements of raw HTML. */
  private elements = 0;

  constructor(
    footnotes: Footnotes,
    sourceChars: number,
    headingIds: HeadingIds | undefined,
    inBlocks: boolean,
  ) {
    this.out = new Output(inBlocks);
    this.footnotes = footnotes;
    this.headingIds = headingIds;
    this.filledCellsLeft = filledCellsMax(sourceChars);
  }

  get html(): string | LongText {
    return this.out.text;
  }

  /** Writes a block without text of its own, or the start or end of a container. */
  block(block: Block): void {
    switch (block.kind) {
      case "rule":
        this.line("<hr />\n");
        break;
      case "code":
        this.code(block);
        break;
      case "math":
        this.line(formula(block.text.slice(block.from, block.to), mathClass(true), "div"));
        this.out.add("\n");
        break;
      case "quote":
        this.open.push(block);
        this.line(block.info === "" ? "<blockquote>\n" : openAlert(block.info));
        break;
      case "list":
        this.open.push(block);
        this.line(openList(block));
        break;
      case "item":
        this.open.push(block);
        this.line(block === TASK_ITEM ? '<li class="task-list-item">' : "<li>");
        this.isAtLineStart = false;
        this.isItemStart = true;
        break;
      case "table":
        this.open.push(block);
        this.align = block.align ?? [];
        this.rows = 0;
        this.line("<table>\n");
        break;
      case "element":
        this.openBlockElement(block);
        break;
      case "element-end":
        this.endElement(block.html?.tag?.element.name ?? "");
        break;
      case "end":
        if (this.elements > 0) this.endElements();
        this.close(this.open.pop());
    }
  }

  private close(block: Block | undefined): void {
    switch (block?.kind) {
      case "quote":
        this.line(block.info === "" ? "</blockquote>\n" : "</div>\n");
        break;
      case "list":
        this.line(isOrdered(block.info) ? "</ol>\n" : "</ul>\n");
        break;
      case "item":
        this.out.add("</li>\n");
        this.isAtLineStart = true;
        break;
      case "table":
        this.line(this.rows > 1 ? "</tbody>\n</table>\n" : "</table>\n");
        break;
      case "element":
        this.closeBlockElement(block.html?.tag?.element);
    }
  }

  /** A heading. */
  heading(block: Block, edits: EditList): void {
    const { number, text, from, to } = block;
    const id = this.headingIds?.attribute(block) ?? "";
    this.line(`<h${number}${id}>`);
    this.inline(text, from, to, edits);
    this.out.add(`</h${number}>\n`);
  }

  /** Writes a paragraph; `footnote` is the footnote that it ends. */
  paragraph(block: Block, edits: EditList, footnote?: Footnote): void {
    const hasTags = this.open.at(-1)?.kind !== "item" || this.open.at(-2)?.isLoose === true;
    if (hasTags) this.line("<p>");
    // An HTML block may have been removed between two paragraphs without tags; their text must not run together.
    else if (!this.isItemStart) this.line("");
    this.isItemStart = false;
    if (block.info !== "") this.out.add(checkbox(block.info === "x"));
    this.inline(block.text, block.from, block.to, edits);
    if (footnote !== undefined) this.out.add(` ${backReferences(footnote)}`);
    if (hasTags) this.out.add("</p>\n");
    this.isAtLineStart = hasTags;
  }

  /** A paragraph of an HTML block. */
  plainText({ text, from, to }: Block, edits: EditList): void {
    this.line("<p>");
    this.inline(text, from, to, edits);
    this.out.add("</p>\n");
  }

  /** Inline content of an HTML block: a paragraph or heading, or the content of the element around it. */
  rawContent(block: Block, edits: EditList): void {
    const tag = block.html?.tag;
    this.beforeBlock();
    if (tag !== undefined) {
      const id = this.headingIds?.attribute(block) ?? "";
      this.line(`<${tag.element.name}${id}${this.attributesOf(tag)}>`);
      this.inline(block.text, block.from, block.to, edits);
      this.out.add(`</${tag.element.name}>\n`);
      return;
    }
    const isBare = this.open.at(-1)?.kind === "element";
    if (!isBare) this.line("<p>");
    else if (!this.isItemStart) this.line("");
    this.isItemStart = false;
    this.inline(block.text, block.from, block.to, edits);
    if (!isBare) this.out.add("</p>\n");
    this.isAtLineStart = !isBare;
  }

  /** Ends elements that cannot contain any block, such as a table of raw HTML. */
  beforeBlock(): void {
    while (elementAt(this.open, this.open.length - 1)?.children !== undefined) this.endTop();
  }

  /** Ends the elements that are open in the innermost container. */
  endElements(): void {
    while (elementAt(this.open, this.open.length - 1) !== undefined) this.endTop();
  }

  /** Ends the innermost element with this name, and those within it. */
  endElement(name: string): void {
    this.endDownTo(placeOfEnd(this.open, name));
  }

  /** Ends the elements from this place on; none for -1. */
  private endDownTo(place: number): void {
    while (place >= 0 && this.open.length > place) this.endTop();
  }

  private endTop(): void {
    this.elements--;
    this.close(this.open.pop());
  }

  /** Opens an element where it may stand; elsewhere its tag is dropped. */
  private openBlockElement(block: Block): boolean {
    const tag = block.html?.tag;
    if (tag === undefined || !this.makeParent(tag.element)) return false;
    if (this.elements >= SAFE_NESTING_MAX) return false;
    this.elements++;
    this.open.push(block);
    this.line(`<${tag.element.name}${this.attributesOf(tag)}>`);
    // As in an item, text follows on the same line.
    this.isAtLineStart = false;
    this.isItemStart = true;
    if (tag.element.children !== undefined || isDivision(tag.element)) {
      this.out.add("\n");
      this.isAtLineStart = true;
      this.isItemStart = false;
    }
    return true;
  }

  /** Ends what the element cannot stand in, and opens the parents that it lacks. False if it can stand nowhere. */
  private makeParent(element: SafeElement): boolean {
    if (element.parents.length === 0) {
      this.beforeBlock();
      return true;
    }
    const place = placeOfParent(this.open, element);
    if (place >= 0) {
      this.endDownTo(place + 1);
      return true;
    }
    const implied = impliedParent(element.name);
    return implied !== undefined && this.openBlockElement(implied);
  }

  private closeBlockElement(element: SafeElement | undefined): void {
    if (element === undefined) return;
    const tag = `</${element.name}>\n`;
    if (element.children !== undefined || isDivision(element)) this.line(tag);
    else this.out.add(tag);
    this.isAtLineStart = true;
    this.isItemStart = false;
  }

  /** The attributes of an element of raw HTML. */
  private attributesOf({ id, attributes, href }: Tag): string {
    const own = (id === "" ? "" : (this.headingIds?.anchorAttribute(id) ?? "")) + attributes;
    if (href === undefined) return own;
    const address = this.headingIds?.follow(href) ?? href;
    return ` href="${escapeHtml(address)}"${own}${this.links?.of(address) ?? ""}`;
  }

  /** Drops anchors whose id is taken, so that a paragraph without anything else is not written. */
  dropTakenAnchors(edits: EditList): void {
    if (!edits.hasTags) return;
    for (let i = 0; i < edits.count; i++) {
      if (edits.kind(i) !== TAG) continue;
      const tag = edits.tag(i);
      if (isAnchor(tag) && this.headingIds?.isFree(tag.id) !== true) edits.setKind(i, DROP);
    }
  }

  private tag(tag: Tag): void {
    const { element, isClosing } = tag;
    const { name, kind } = element;
    if (isClosing) this.out.add(`</${name}>`);
    else if (kind === "void") this.out.add(`<${name}${this.attributesOf(tag)} />`);
    else if (isAnchor(tag)) {
      if (this.headingIds?.isFree(tag.id))
        this.out.add(`<${name}${this.attributesOf(tag)}></${name}>`);
    } else this.out.add(`<${name}${this.attributesOf(tag)}>`);
  }

  openRow(): void {
    if (this.rows === 0) this.out.add("<thead>\n<tr>\n");
    else this.out.add(this.rows === 1 ? "<tbody>\n<tr>\n" : "<tr>\n");
    this.cells = 0;
  }

  cell(text: string, from: number, to: number, edits: EditList): void {
    const { open, close } = this.nextCell();
    this.out.add(open);
    this.inline(text, from, to, edits);
    this.out.add(close);
  }

  closeRow(): void {
    const missing = Math.min(this.align.length - this.cells, this.filledCellsLeft);
    this.filledCellsLeft -= Math.max(missing, 0);
    for (let i = 0; i < missing; i++) {
      const { open, close } = this.nextCell();
      this.out.add(open + close);
    }
    this.out.add(this.rows === 0 ? "</tr>\n</thead>\n" : "</tr>\n");
    this.rows++;
  }

  private nextCell(): { open: string; close: string } {
    const tags = this.rows === 0 ? HEAD_CELLS : BODY_CELLS;
    return tags[this.align[this.cells++] ?? ""];
  }

  openFootnotes(): void {
    this.line(FOOTNOTES_SECTION);
  }

  openFootnote(footnote: Footnote): void {
    this.line(`<li id="${footnoteId(footnote)}">\n`);
  }

  /** `hasReferences`: the last paragraph already contains the back references. */
  closeFootnote(footnote: Footnote, hasReferences: boolean): void {
    this.line(hasReferences ? "</li>\n" : `${backReferences(footnote)}\n</li>\n`);
  }

  closeFootnotes(): void {
    this.line("</ol>\n</section>\n");
  }

  private code({ text, from, to, info }: Block): void {
    // A character that separates class names ends the name.
    const language = /^[^\t\n\v\f\r ]+/.exec(info)?.[0];
    const attribute = language === undefined ? "" : ` class="language-${escapeHtml(language)}"`;
    this.line(`<pre><code${attribute}>`);
    addEscaped(this.out, text.slice(from, to));
    this.out.add("</code></pre>\n");
  }

  /** A block tag starts on its own line. */
  private line(html: string): void {
    this.out.add(this.isAtLineStart ? html : `\n${html}`);
    this.isAtLineStart = true;
    this.isItemStart = false;
  }

  /** Returns the text of `s` between `from` and `to` with its edits applied. */
  private inline(s: string, from: number, to: number, edits: EditList): void {
    this.isPlain = !hasSpecial(s.slice(from, to));
    let pos = from;
    for (let i = 0; i < edits.count; i++) {
      const kind = edits.kind(i);
      if (kind === KEEP || kind === CANDIDATE) continue;
      const start = edits.start(i);
      if (kind === RUN) {
        pos = this.run(s, pos, start, edits.end(i), edits);
        continue;
      }
      if (start > pos) this.addText(s.slice(pos, start));
      pos = edits.end(i);
      if (kind !== DROP) this.edit(edits, i);
    }
    if (pos < to) this.addText(s.slice(pos, to));
  }

  /** Text between markup. */
  private addText(text: string): void {
    if (this.isPlain) this.out.add(text);
    else addEscaped(this.out, text);
  }

  private edit(edits: EditList, index: number): void {
    const kind = edits.kind(index);
    if (kind === FOOTNOTE) {
      this.closeLink();
      this.out.add(referenceLink(this.footnotes.refer(edits.number(index))));
      return;
    }
    const value = kind === TAG ? "" : edits.value(index);
    if (kind === IMAGE) {
      if (this.images++ === 0) this.out.add(`<img src="${escapeHtml(value)}" alt="`);
    } else if (kind === IMAGE_END) {
      if (--this.images === 0) this.out.add(`"${titleAttribute(edits.title(index))} />`);
    } else if (this.images > 0) this.out.add(escapeHtml(describe(edits, index)));
    else if (kind === TEXT || kind === RAW_TEXT) this.out.add(escapeHtml(value));
    else if (kind === CODE) this.out.add(`<code>${escapeHtml(value)}</code>`);
    else if (kind === BREAK) this.out.add("<br />\n");
    else if (kind === LINK) {
      const address = this.headingIds?.follow(value) ?? value;
      const attributes = titleAttribute(edits.title(index)) + (this.links?.of(address) ?? "");
      this.out.add(`<a href="${escapeHtml(address)}"${attributes}>`);
      this.linkNesting = this.nesting;
    } else if (kind === LINK_END) this.closeLink();
    else if (kind === AUTOLINK) {
      const address = edits.title(index) ?? "";
      const attributes = this.links?.of(address) ?? "";
      this.out.add(`<a href="${escapeHtml(address)}"${attributes}>${escapeHtml(value)}</a>`);
    } else if (kind === SCRIPT) this.openElement(value === "sup" ? SUP : SUB);
    else if (kind === SCRIPT_END) this.closeElement();
    else if (kind === MATH) this.out.add(formula(value, edits.title(index) ?? "", "span"));
    else if (kind === TAG) this.tag(edits.tag(index));
  }

  /** Writes a run of delimiters: its marks become tags, the rest is text. Returns the start of the unwritten text. */
  private run(s: string, from: number, start: number, end: number, edits: EditList): number {
    let pos = from;
    for (let at = start; at < end; ) {
      const mark = edits.markAt(at);
      if (mark === 0) {
        at++;
        continue;
      }
      if (at > pos) this.addText(s.slice(pos, at));
      if (this.images === 0) {
        if (mark > CLOSING) this.closeElement();
        else this.openElement(mark);
      }
      at += markChars(mark);
      pos = at;
    }
    return pos;
  }

  private openElement(mark: number): void {
    const nesting = ++this.nesting;
    if (nesting > INLINE_NESTING_MAX) return;
    OPEN_MARKS[nesting] = mark;
    this.out.add(OPENING_TAGS[mark] as string);
  }

  private closeElement(): void {
    const nesting = this.nesting--;
    if (nesting > INLINE_NESTING_MAX) return;
    this.out.add(CLOSING_TAGS[OPEN_MARKS[nesting] as number] as string);
  }

  /**
   * Closes the open link, if any. The first reference to a footnote in its text has done so already, because links do not
   * nest. Elements that opened within the link close with it and open again.
   */
  private closeLink(): void {
    const { linkNesting } = this;
    if (linkNesting < 0) return;
    this.linkNesting = -1;
    const last = Math.min(this.nesting, INLINE_NESTING_MAX);
    for (let i = last; i > linkNesting; i--) {
      this.out.add(CLOSING_TAGS[OPEN_MARKS[i] as number] as string);
    }
    this.out.add("</a>");
    for (let i = linkNesting + 1; i <= last; i++) {
      this.out.add(OPENING_TAGS[OPEN_MARKS[i] as number] as string);
    }
  }
}

/**
 * The marks of the open elements, starting at 1. Writers share it, because one writes a paragraph at a time, and an array of
 * its own would take longer than a short document.
 */
const OPEN_MARKS = new Uint8Array(INLINE_NESTING_MAX + 1);

/** Indexed by the marks of delimiters, and by those of `sup` and `sub`. */
const OPENING_TAGS = ["", "<em>", "<strong>", "<del>", "<del>", "<sup>", "<sub>"];
const CLOSING_TAGS = ["", "</em>", "</strong>", "</del>", "</del>", "</sup>", "</sub>"];
const SUP = 5;
const SUB = 6;

function titleAttribute(title: string | undefined): string {
  return title ? ` title="${escapeHtml(title)}"` : "";
}

const formula = (text: string, className: string, element: "div" | "span") =>
  `<${element} class="${className}">${escapeHtml(text)}</${element}>`;

function openAlert(name: string): string {
  return `<div class="markdown-alert markdown-alert-${name}">\n<p class="markdown-alert-title">${alertTitle(name)}</p>\n`;
}

function openList({ info, number, hasTasks }: Block): string {
  const tasks = hasTasks ? ' class="contains-task-list"' : "";
  if (!isOrdered(info)) return `<ul${tasks}>\n`;
  return number === 1 ? `<ol${tasks}>\n` : `<ol start="${number}"${tasks}>\n`;
}
