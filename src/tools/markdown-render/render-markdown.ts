import type { LongText } from "../define-tool.ts";
import { BaseUrl } from "./address.ts";
import { Anchors } from "./anchors.ts";
import { parseBlocks } from "./block-parser.ts";
import type { Block } from "./blocks.ts";
import { DROP, type EditList, FOOTNOTE } from "./edits.ts";
import type { Footnote, Footnotes } from "./footnotes.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { HeadingIds, textOf } from "./heading-ids.ts";
import { HtmlWriter } from "./html-writer.ts";
import { InlineParser } from "./inline-parser.ts";
import { LinkAttributes, type LinkOptions } from "./links.ts";
import { type Outline, outlineOf, WordCounter } from "./outline.ts";
import { skipWhite } from "./scan.ts";
import { eachCell, unescapePipes } from "./tables.ts";
import { TextWriter } from "./text-writer.ts";

export type RenderOptions = {
  /** Headings get ids as on GitHub, and links within the document lead to them. */
  headingIds?: boolean | undefined;
  /** An absolute http or https URL, against which relative links and images are resolved. */
  baseUrl?: string | undefined;
  /** Whether raw HTML is removed, or a list of elements is kept. */
  html?: "strip" | "safe" | undefined;
  /** Each line ending within a paragraph is a line break, as in comments on GitHub. */
  breaks?: boolean | undefined;
  /** Whether formulas are read as Markdown, or kept for KaTeX or MathJax. */
  math?: "markdown" | "keep" | undefined;
  /** Whether front matter is read as Markdown, left out, or returned. */
  frontMatter?: "markdown" | "skip" | "data" | undefined;
  /** Adds the headings, the title and the number of words. */
  outline?: boolean | undefined;
  /** Attributes of links that leave the page. */
  links?: LinkOptions | undefined;
};

/** What the options add to the response, in its order. */
type Additions = { text?: string; frontMatter?: string } & Partial<Outline>;
export type Rendered = { html: string } & Additions;

/**
 * The Markdown engine: renders CommonMark 0.31.2 and GFM with footnotes and alerts as HTML that is safe to insert into
 * a page and, with `withText`, also as plain text. Of raw HTML only the text stays. The function is pure, accepts any string and
 * takes linear time. Structure beyond the bounds in `bounds.ts` is flattened into text.
 */
export function renderMarkdown(
  markdown: string,
  withText: boolean,
  options: RenderOptions = {},
): Rendered {
  return render(markdown, withText, options, false) as Rendered;
}

/** Renders the same HTML; a long one in blocks. */
export const renderMarkdownInBlocks = (
  markdown: string,
  withText: boolean,
  options: RenderOptions,
) => render(markdown, withText, options, true);

function render(
  markdown: string,
  withText: boolean,
  options: RenderOptions,
  inBlocks: boolean,
): { html: string | LongText } & Additions {
  const { headingIds = false, baseUrl, breaks = false, frontMatter = "markdown" } = options;
  const whole = normalizeSource(markdown);
  const front = frontMatter === "markdown" ? undefined : splitFrontMatter(whole);
  const source = front?.markdown ?? whole;
  const base = baseUrl === undefined ? undefined : new BaseUrl(baseUrl, source.length);
  const isSafe = options.html === "safe";
  const resolve = (address: string) => (base === undefined ? address : base.resolve(address));
  const syntax = { breaks, math: options.math === "keep", resolve: isSafe ? resolve : undefined };
  const { blocks, references, footnotes } = parseBlocks(source, syntax);
  const inlines = new InlineParser(references, footnotes, base, syntax);
  const idOptions = {
    hasFootnotes: !footnotes.isEmpty,
    areWritten: headingIds,
    anchors: isSafe ? new Anchors(source) : undefined,
  };
  const withIds = headingIds || isSafe || options.outline === true;
  const ids = withIds ? new HeadingIds(blocks, inlines, idOptions) : undefined;
  const html = new HtmlWriter(footnotes, source.length, ids, inBlocks);
  if (options.links !== undefined) html.links = new LinkAttributes(options.links);
  // Plain text has no elements, so it is made from a parse that removes them.
  const text = withText && !isSafe ? new TextWriter(footnotes) : undefined;
  const words = options.outline === true ? new WordCounter() : undefined;
  const walk = new Walk(blocks, inlines, html, text, words, isSafe);
  walk.write(0, blocks.length);
  walk.writeFootnotes(footnotes);
  return {
    html: html.html,
    ...(text && { text: text.text }),
    ...(withText && isSafe && textAlone(markdown, options)),
    ...(front && frontMatter === "data" && { frontMatter: front.data }),
    ...(words && outlineOf(ids?.headings ?? [], words.count)),
  };
}

function textAlone(markdown: string, options: RenderOptions): Additions {
  const { text = "" } = renderMarkdown(markdown, true, { ...options, html: "strip" });
  return { text };
}

/**
 * CommonMark, sections 2.1 and 2.3: normalizes line endings and replaces U+0000. A byte order mark is not part of the
 * text.
 */
function normalizeSource(markdown: string): string {
  let source = markdown.startsWith("\ufeff") ? markdown.slice(1) : markdown;
  if (source.includes("\r")) source = source.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  if (source.includes("\0")) source = source.replaceAll("\0", "\ufffd");
  return source.endsWith("\n") ? source : `${source}\n`;
}

/** Walks the blocks once, parses the text of each and passes both to the writers. */
class Walk {
  private readonly blocks: readonly Block[];
  private readonly inlines: InlineParser;
  private readonly html: HtmlWriter;
  private readonly text: TextWriter | undefined;
  private readonly words: WordCounter | undefined;
  /** Whether elements of raw HTML are kept. */
  private readonly isSafe: boolean;
  private columns = 0;

  constructor(
    blocks: readonly Block[],
    inlines: InlineParser,
    html: HtmlWriter,
    text: TextWriter | undefined,
    words: WordCounter | undefined,
    isSafe: boolean,
  ) {
    this.blocks = blocks;
    this.inlines = inlines;
    this.html = html;
    this.text = text;
    this.words = words;
    this.isSafe = isSafe;
  }

  /** Writes the blocks from `first` to before `last`. Returns whether the last one was a paragraph of `footnote`. */
  write(first: number, last: number, footnote?: Footnote): boolean {
    let isParagraph = false;
    for (let i = first; i < last; i++) {
      const block = this.blocks[i] as Block;
      isParagraph = false;
      switch (block.kind) {
        case "paragraph":
          isParagraph = this.writeParagraph(block, i === last - 1 ? footnote : undefined);
          break;
        case "html":
          this.writeHtml(block);
          break;
        case "heading":
          if (this.isSafe) this.html.beforeBlock();
          this.inlines.parse(block.text, block.from, block.to);
          this.countWords(block.text, block.from, block.to);
          this.html.heading(block, this.inlines.edits);
          if (this.isSafe) this.endElements();
          this.text?.leaf(block, this.inlines.edits);
          break;
        case "text":
          this.inlines.parseHtmlText(block.text);
          this.countWords(block.text, block.from, block.to);
          this.html.plainText(block, this.inlines.edits);
          this.text?.plainText(block, this.inlines.edits);
          break;
        case "row":
          this.writeRow(block);
          break;
        case "footnote":
          // Footnotes come at the end of the document.
          i = block.number;
          break;
        default:
          if (this.isSafe && startsBlock(block)) this.html.beforeBlock();
          if (block.kind === "table") this.columns = block.align?.length ?? 0;
          this.html.block(block);
          this.text?.block(block);
      }
    }
    if (this.isSafe) this.html.endElements();
    return isParagraph;
  }

  /** Inline content of an HTML block. */
  private writeHtml(block: Block): void {
    const { text, from, to, html } = block;
    this.inlines.parseHtml(text, html?.tags ?? []);
    this.html.dropTakenAnchors(this.inlines.edits);
    if (isEmptied(text, from, to, this.inlines.edits)) return;
    this.countWords(text, from, to);
    this.html.rawContent(block, this.inlines.edits);
  }

  /** Ends the elements of raw HTML whose closing tags stand in the text that was just written. */
  private endElements(): void {
    for (const name of this.inlines.endings) this.html.endElement(name);
  }

  /** Writes the footnotes that have references, in the order of their numbers. */
  writeFootnotes(footnotes: Footnotes): void {
    const { used } = footnotes;
    if (used.length === 0) return;
    // Counting the references of a footnote can add others.
    for (const { first, last } of used) this.countReferences(footnotes, first, last);
    this.html.openFootnotes();
    for (const footnote of used) {
      this.html.openFootnote(footnote);
      this.text?.openFootnote(footnote);
      const hasReferences = this.write(footnote.first, footnote.last, footnote);
      this.html.closeFootnote(footnote, hasReferences);
      this.text?.closeFootnote();
    }
    this.html.closeFootnotes();
  }

  private countReferences(footnotes: Footnotes, first: number, last: number): void {
    const count = (text: string, from: number, to: number) => {
      if (!text.slice(from, to).includes("[^")) return;
      this.inlines.parse(text, from, to);
      const { edits } = this.inlines;
      for (let i = 0; i < edits.count; i++) {
        if (edits.kind(i) === FOOTNOTE) footnotes.count(footnotes.withId(edits.number(i)));
      }
    };
    for (let i = first; i < last; i++) {
      const block = this.blocks[i] as Block;
      const { kind, text, from, to } = block;
      if (kind === "footnote") i = block.number;
      else if (kind === "table") this.columns = block.align?.length ?? 0;
      else if (kind === "row") this.eachCell(block, count);
      else if (kind === "paragraph" || kind === "heading") count(text, from, to);
    }
  }

  /** A paragraph that contains only raw HTML is removed. */
  private writeParagraph(block: Block, footnote: Footnote | undefined): boolean {
    const { text, from, to, info } = block;
    this.inlines.parse(text, from, to);
    const { edits } = this.inlines;
    if (this.isSafe) this.html.dropTakenAnchors(edits);
    if (info === "" && isEmptied(text, from, to, edits)) {
      if (this.isSafe) this.endElements();
      return false;
    }
    if (this.isSafe) this.html.beforeBlock();
    if (this.words !== undefined) this.countWords(text, from, to);
    this.html.paragraph(block, edits, footnote);
    this.text?.leaf(block, edits);
    if (this.isSafe) this.endElements();
    return true;
  }

  private writeRow(row: Block): void {
    this.html.openRow();
    this.eachCell(row, (text, from, to) => this.writeCell(text, from, to));
    this.html.closeRow();
    this.text?.closeRow();
  }

  private eachCell(
    { text, from, to }: Block,
    take: (text: string, from: number, to: number) => void,
  ): void {
    eachCell(text, from, to, this.columns, (start, end, hasPipe) => {
      if (!hasPipe) take(text, start, end);
      else {
        const cell = unescapePipes(text.slice(start, end));
        take(cell, 0, cell.length);
      }
    });
  }

  private writeCell(text: string, from: number, to: number): void {
    this.inlines.parse(text, from, to);
    this.countWords(text, from, to);
    this.html.cell(text, from, to, this.inlines.edits);
    this.text?.cell(text, from, to, this.inlines.edits);
  }

  /** Counts the words of the text that was just parsed. */
  private countWords(text: string, from: number, to: number): void {
    this.words?.add(textOf(text, from, to, this.inlines.edits));
  }
}

const startsBlock = ({ kind }: Block) =>
  kind !== "end" && kind !== "item" && kind !== "element" && kind !== "element-end";

function isEmptied(s: string, from: number, to: number, edits: EditList): boolean {
  let pos = from;
  for (let i = 0; i < edits.count; i++) {
    if (edits.kind(i) !== DROP || skipWhite(s, pos, edits.start(i)) < edits.start(i)) return false;
    pos = edits.end(i);
  }
  return skipWhite(s, pos, to) === to;
}
