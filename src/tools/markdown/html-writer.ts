import type { Align, Block } from "#tools/markdown/blocks.ts";
import { filledCellsMax, INLINE_NESTING_MAX } from "#tools/markdown/bounds.ts";
import {
  AUTOLINK,
  BREAK,
  CANDIDATE,
  CLOSING,
  CODE,
  DROP,
  describe,
  type EditList,
  ESCAPE,
  FOOTNOTE,
  IMAGE,
  IMAGE_END,
  KEEP,
  LINK,
  LINK_END,
  markChars,
  RUN,
  TEXT,
} from "#tools/markdown/edits.ts";
import { escapeHtml } from "#tools/markdown/escape-html.ts";
import { backReferences, footnoteId, referenceLink } from "#tools/markdown/footnote-links.ts";
import type { Footnote, Footnotes } from "#tools/markdown/footnotes.ts";

/**
 * Writes blocks and their edits as HTML. Every tag and attribute that can come out is spelled here or in
 * `footnote-links.ts`; what comes from the document passes `escapeHtml`, and addresses have passed `cleanAddress`.
 */
export class HtmlWriter {
  html = "";
  private readonly footnotes: Footnotes;
  private filledCellsLeft: number;
  /** The last character written is a newline, or nothing is written. */
  private isAtLineStart = true;
  /** Nothing is written yet of the item at hand. */
  private isItemStart = false;
  /** The containers and the table around. */
  private readonly open: Block[] = [];
  private align: readonly Align[] = [];
  private rows = 0;
  private cells = 0;
  private nesting = 0;
  /** Images around: their description is text only. */
  private images = 0;

  constructor(footnotes: Footnotes, sourceChars: number) {
    this.footnotes = footnotes;
    this.filledCellsLeft = filledCellsMax(sourceChars);
  }

  /** A block without text of its own, or the beginning or end of a container. */
  block(block: Block): void {
    switch (block.kind) {
      case "rule":
        this.line("<hr />\n");
        break;
      case "code":
        this.code(block);
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
        this.line("<li>");
        this.isAtLineStart = false;
        this.isItemStart = true;
        break;
      case "table":
        this.open.push(block);
        this.align = block.align ?? [];
        this.rows = 0;
        this.line("<table>\n");
        break;
      case "end":
        this.close(this.open.pop());
    }
  }

  private close(block: Block | undefined): void {
    switch (block?.kind) {
      case "quote":
        this.line(block.info === "" ? "</blockquote>\n" : "</div>\n");
        break;
      case "list":
        this.line(isOrdered(block) ? "</ol>\n" : "</ul>\n");
        break;
      case "item":
        this.html += "</li>\n";
        this.isAtLineStart = true;
        break;
      case "table":
        this.line(this.rows > 1 ? "</tbody>\n</table>\n" : "</table>\n");
    }
  }

  /** A heading. */
  heading(block: Block, edits: EditList): void {
    this.line(`<h${block.number}>`);
    this.inline(block.text, block.from, block.to, edits);
    this.html += `</h${block.number}>\n`;
  }

  /** A paragraph; `footnote` is the one that it ends. */
  paragraph(block: Block, edits: EditList, footnote?: Footnote): void {
    const hasTags = this.open.at(-1)?.kind !== "item" || this.open.at(-2)?.isLoose === true;
    if (hasTags) this.line("<p>");
    // Between two without tags an HTML block may have gone: their text must not run together.
    else if (!this.isItemStart) this.line("");
    this.isItemStart = false;
    if (block.info !== "") {
      const checked = block.info === "x" ? 'checked="" ' : "";
      this.html += `<input ${checked}disabled="" type="checkbox"> `;
    }
    this.inline(block.text, block.from, block.to, edits);
    if (footnote !== undefined) this.html += ` ${backReferences(footnote)}`;
    if (hasTags) this.html += "</p>\n";
    this.isAtLineStart = hasTags;
  }

  openRow(): void {
    if (this.rows === 0) this.html += "<thead>\n<tr>\n";
    else this.html += this.rows === 1 ? "<tbody>\n<tr>\n" : "<tr>\n";
    this.cells = 0;
  }

  cell(text: string, from: number, to: number, edits: EditList): void {
    const name = this.rows === 0 ? "th" : "td";
    const open = this.openCell(name);
    if (edits.count === 0) {
      // Most cells are a few plain characters: one short string costs a third of three on the long one.
      this.html += `${open}${text.slice(from, to)}</${name}>\n`;
      return;
    }
    this.html += open;
    this.inline(text, from, to, edits);
    this.html += `</${name}>\n`;
  }

  closeRow(): void {
    const missing = Math.min(this.align.length - this.cells, this.filledCellsLeft);
    this.filledCellsLeft -= Math.max(missing, 0);
    const name = this.rows === 0 ? "th" : "td";
    for (let i = 0; i < missing; i++) this.html += `${this.openCell(name)}</${name}>\n`;
    this.html += this.rows === 0 ? "</tr>\n</thead>\n" : "</tr>\n";
    this.rows++;
  }

  private openCell(name: string): string {
    const align = this.align[this.cells++];
    return align ? `<${name} align="${align}">` : `<${name}>`;
  }

  openFootnotes(): void {
    this.line('<section class="footnotes">\n<ol>\n');
  }

  openFootnote(footnote: Footnote): void {
    this.line(`<li id="${footnoteId(footnote)}">\n`);
  }

  /** `hasReferences`: its last paragraph holds them already. */
  closeFootnote(footnote: Footnote, hasReferences: boolean): void {
    this.line(hasReferences ? "</li>\n" : `${backReferences(footnote)}\n</li>\n`);
  }

  closeFootnotes(): void {
    this.line("</ol>\n</section>\n");
  }

  private code({ text, from, to, info }: Block): void {
    const language = /^[^ \t\n]+/.exec(info)?.[0];
    const attribute = language === undefined ? "" : ` class="language-${escapeHtml(language)}"`;
    this.line(`<pre><code${attribute}>`);
    this.html += `${escapeHtml(text, from, to)}</code></pre>\n`;
  }

  /** Block tags begin on a line of their own. */
  private line(html: string): void {
    this.html += this.isAtLineStart ? html : `\n${html}`;
    this.isAtLineStart = true;
    this.isItemStart = false;
  }

  /** The text of `s` between `from` and `to`, edited. */
  private inline(s: string, from: number, to: number, edits: EditList): void {
    let pos = from;
    for (let i = 0; i < edits.count; i++) {
      const kind = edits.kind(i);
      if (kind === KEEP || kind === CANDIDATE) continue;
      const start = edits.start(i);
      if (kind === RUN) {
        pos = this.run(s, pos, start, edits.end(i), edits);
        continue;
      }
      if (start > pos) this.html += s.slice(pos, start);
      pos = edits.end(i);
      if (kind === ESCAPE) this.html += escapeHtml(s, start, pos);
      else if (kind !== DROP) this.edit(s, edits, i);
    }
    if (pos < to) this.html += s.slice(pos, to);
  }

  private edit(s: string, edits: EditList, index: number): void {
    const kind = edits.kind(index);
    if (kind === FOOTNOTE && this.images === 0) {
      this.html += referenceLink(this.footnotes.refer(edits.number(index)));
      return;
    }
    const value = edits.value(index);
    if (kind === IMAGE) {
      if (this.images++ === 0) this.html += `<img src="${escapeHtml(value)}" alt="`;
    } else if (kind === IMAGE_END) {
      if (--this.images === 0) this.html += `"${titleAttribute(edits.title(index))} />`;
    } else if (this.images > 0) this.html += escapeHtml(describe(s, edits, index));
    else if (kind === TEXT) this.html += escapeHtml(value);
    else if (kind === CODE) this.html += `<code>${escapeHtml(value)}</code>`;
    else if (kind === BREAK) this.html += "<br />\n";
    else if (kind === LINK) {
      this.html += `<a href="${escapeHtml(value)}"${titleAttribute(edits.title(index))}>`;
    } else if (kind === LINK_END) this.html += "</a>";
    else if (kind === AUTOLINK) {
      this.html += `<a href="${escapeHtml(edits.title(index) ?? "")}">${escapeHtml(value)}</a>`;
    }
  }

  /** A run of delimiters: its marks become tags, the rest of it is text. Returns the place of the text not written. */
  private run(s: string, from: number, start: number, end: number, edits: EditList): number {
    let pos = from;
    for (let at = start; at < end; ) {
      const mark = edits.markAt(at);
      if (mark === 0) {
        at++;
        continue;
      }
      if (at > pos) this.html += s.slice(pos, at);
      if (this.images === 0) this.emphasis(mark);
      at += markChars(mark);
      pos = at;
    }
    return pos;
  }

  private emphasis(mark: number): void {
    if (mark > CLOSING) {
      if (this.nesting-- <= INLINE_NESTING_MAX) this.html += EMPHASIS_TAGS[mark];
    } else if (++this.nesting <= INLINE_NESTING_MAX) this.html += EMPHASIS_TAGS[mark];
  }
}

/** By the marks of delimiters. */
const EMPHASIS_TAGS = [
  ...["", "<em>", "<strong>", "<del>", "<del>"],
  ...["</em>", "</strong>", "</del>", "</del>"],
];

function titleAttribute(title: string | undefined): string {
  return title ? ` title="${escapeHtml(title)}"` : "";
}

function openAlert(name: string): string {
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  return `<div class="markdown-alert markdown-alert-${name}">\n<p class="markdown-alert-title">${title}</p>\n`;
}

function isOrdered({ info }: Block): boolean {
  return info === "." || info === ")";
}

function openList(block: Block): string {
  if (!isOrdered(block)) return "<ul>\n";
  return block.number === 1 ? "<ol>\n" : `<ol start="${block.number}">\n`;
}
