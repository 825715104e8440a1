import { alertTitle, type Block, isOrdered } from "./blocks.ts";
import { TEXT_PREFIX_CHARS_MAX } from "./bounds.ts";
import { isBlank } from "./characters.ts";
import {
  CANDIDATE,
  describe,
  type EditList,
  FOOTNOTE,
  IMAGE,
  IMAGE_END,
  KEEP,
  LINK,
  LINK_END,
  RUN,
  unmarked,
} from "./edits.ts";
import type { Footnote, Footnotes } from "./footnotes.ts";
import { InlineText } from "./inline-text.ts";
import { skipBlanks } from "./scan.ts";

/** A quote, item or footnote: the prefix of its first line and of the others. */
type Container = { first: string; rest: string; hasBegun: boolean; list?: List };
type List = { marker: string; next: number; isLoose: boolean; items: number };

/**
 * Writes blocks and their edits as plain text: blocks separated by a blank line, list markers, `> ` before quotes,
 * cells separated by tabs, code unchanged, and the address of a link after its text if the two differ.
 */
export class TextWriter {
  private readonly lines: string[] = [];
  private readonly footnotes: Footnotes;
  /** The open containers and the open table, and the prefixes of the containers. */
  private readonly open: Block[] = [];
  private readonly containers: Container[] = [];
  private readonly lists: List[] = [];
  /** The prefix of further lines, until a container starts or ends. */
  private restPrefix: string | undefined;
  private hasGap = false;
  private cells: string[] = [];

  constructor(footnotes: Footnotes) {
    this.footnotes = footnotes;
  }

  get text(): string {
    return this.lines.join("\n");
  }

  /** Writes a block without text of its own, or the start or end of a container. */
  block(block: Block): void {
    switch (block.kind) {
      case "rule":
        this.writeBlock("---");
        break;
      case "math":
        this.writeBlock(block.text.slice(block.from, block.to));
        break;
      case "code":
        this.writeBlock(block.text.slice(block.from, block.to).replace(/\n$/, ""));
        break;
      case "quote":
        this.begin();
        this.open.push(block);
        this.enter({ first: "> ", rest: "> ", hasBegun: false });
        if (block.info !== "") this.write(alertTitle(block.info));
        break;
      case "list":
        this.open.push(block);
        this.lists.push(listOf(block));
        break;
      case "item":
        this.open.push(block);
        this.enterItem();
        break;
      case "table":
        this.open.push(block);
        this.begin();
        break;
      case "end":
        this.close(this.open.pop());
    }
  }

  private close(block: Block | undefined): void {
    if (block?.kind === "list") this.lists.pop();
    else if (block?.kind !== "table") this.leave();
  }

  /** Writes a paragraph or heading. */
  leaf(block: Block, edits: EditList): void {
    const isTask = block.kind === "paragraph" && block.info !== "";
    const task = isTask ? `[${block.info}] ` : "";
    this.writeBlock(task + trimBlanks(this.inline(block.text, block.from, block.to, edits)));
  }

  /** A paragraph of an HTML block. */
  plainText({ text, from, to }: Block, edits: EditList): void {
    this.writeBlock(this.inline(text, from, to, edits));
  }

  cell(text: string, from: number, to: number, edits: EditList): void {
    // A tab or line ending within a cell would look like the end of the cell.
    const cell = trimBlanks(this.inline(text, from, to, edits));
    this.cells.push(/[\t\n]/.test(cell) ? cell.replace(/[\t\n]/g, " ") : cell);
  }

  closeRow(): void {
    this.write(this.cells.join("\t"));
    this.cells = [];
  }

  openFootnote({ number }: Footnote): void {
    this.begin();
    const first = `[${number}] `;
    this.enter({ first, rest: " ".repeat(first.length), hasBegun: false });
  }

  closeFootnote(): void {
    this.leave();
  }

  private enterItem(): void {
    const list = this.lists.at(-1);
    if (list === undefined) return;
    if (list.items === 0) this.begin();
    else this.hasGap = list.isLoose;
    const first = isOrdered(list.marker) ? `${list.next}${list.marker} ` : "- ";
    list.items++;
    list.next++;
    this.enter({ first, rest: " ".repeat(first.length), hasBegun: false, list });
  }

  private enter(container: Container): void {
    this.containers.push(container);
    this.restPrefix = undefined;
  }

  /** An empty item or quote still shows its marker. */
  private leave(): void {
    if (this.containers.at(-1)?.hasBegun === false) this.write("");
    this.containers.pop();
    this.restPrefix = undefined;
  }

  /** Decides whether a blank line precedes the block. It is written together with the block's first line. */
  private begin(): void {
    const container = this.containers.at(-1);
    // The first block of an item or quote is on the first line of its container.
    if (container?.hasBegun !== false) this.hasGap = container?.list?.isLoose ?? true;
  }

  /** A block that shows nothing, such as an empty heading or an image without a description, is skipped. */
  private writeBlock(text: string): void {
    if (text === "") return;
    this.begin();
    this.write(text);
  }

  private write(text: string): void {
    if (this.hasGap && this.lines.length > 0) this.lines.push(this.blankPrefix());
    this.hasGap = false;
    for (const line of text.split("\n")) {
      const prefix = this.prefix();
      this.lines.push(line === "" ? prefix.trimEnd() : prefix + line);
    }
  }

  private prefix(): string {
    if (this.restPrefix !== undefined) return this.restPrefix;
    let prefix = "";
    let rest = "";
    for (const container of this.containers) {
      if (prefix.length < TEXT_PREFIX_CHARS_MAX) {
        prefix += container.hasBegun ? container.rest : container.first;
        rest += container.rest;
      }
      container.hasBegun = true;
    }
    this.restPrefix = rest;
    return prefix;
  }

  /** A blank line before a container that has not begun is outside the container. */
  private blankPrefix(): string {
    let prefix = "";
    for (const { hasBegun, rest } of this.containers) {
      if (!hasBegun || prefix.length >= TEXT_PREFIX_CHARS_MAX) break;
      prefix += rest;
    }
    return prefix.trimEnd();
  }

  private inline(s: string, from: number, to: number, edits: EditList): string {
    if (edits.count === 0) return s.slice(from, to);
    const out = new InlineText();
    let pos = from;
    for (let i = 0; i < edits.count; i++) {
      const kind = edits.kind(i);
      if (kind === KEEP || kind === CANDIDATE) continue;
      const start = edits.start(i);
      const end = edits.end(i);
      if (start > pos) out.add(s.slice(pos, start));
      pos = end;
      if (kind === RUN) out.add(unmarked(s, start, end, edits, true));
      else if (kind === IMAGE) out.openImage();
      else if (kind === IMAGE_END) out.closeImage();
      else if (kind === LINK) out.openLink(edits.value(i));
      else if (kind === LINK_END) out.closeLink();
      else if (kind === FOOTNOTE) {
        out.closeLink();
        out.add(`[${this.footnotes.withId(edits.number(i)).number}]`);
      } else out.add(describe(edits, i));
    }
    out.add(s.slice(pos, to));
    return out.text;
  }
}

function listOf({ info, number, isLoose }: Block): List {
  return { marker: info, next: number, isLoose, items: 0 };
}

/** Removes spaces at both ends, which remain where markup next to them was removed. */
function trimBlanks(text: string): string {
  const from = skipBlanks(text, 0, text.length);
  let to = text.length;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}
