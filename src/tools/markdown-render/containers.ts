import type { Marker } from "./block-starts.ts";
import { Block, END, ITEM, QUOTE, TASK_ITEM } from "./blocks.ts";
import { CONTAINERS_MAX } from "./bounds.ts";
import type { Footnote } from "./footnotes.ts";
import type { LineCursor } from "./line-cursor.ts";

const GREATER = 62;
/** The indent in columns of a footnote's text from its second line on. */
const FOOTNOTE_INDENT = 4;

/** A paragraph `[!NOTE]` at the start of a quote. The text after it decides whether the quote is an alert. */
type Alert = { name: string; paragraph: Block; restFrom: number };

/** An open container. The object is reused for the next container at the same depth. */
class Container {
  kind: "document" | "quote" | "list" | "item" | "footnote" = "document";
  block = QUOTE;
  /** The index of the block in the list. */
  index = 0;
  /** The indent of an item's contents in columns. */
  indent = 0;
  children = 0;
  /** The depth of the innermost quote that is or contains this container; -1 for none. */
  quoteDepth = -1;
  footnote: Footnote | undefined = undefined;
  alert: Alert | undefined = undefined;
}

/** The open quotes, lists and items, from the document down (CommonMark, appendix A, phase 1). */
export class ContainerStack {
  readonly blocks: Block[] = [];
  /** The document and the open containers up to `last`; later objects are kept for reuse. */
  private readonly stack: Container[] = [new Container()];
  private last = 0;
  /** The deepest container to which the current line belongs. */
  private depth = 0;
  private wasBlank = false;
  /**
   * The depth of the innermost quote that contained the blank line. The containers around that quote had no blank line.
   */
  private blankBelow = -1;

  /** Reads the prefixes of the line that continue open containers. */
  match(line: LineCursor): void {
    const { stack, last } = this;
    const lastQuote = this.top.quoteDepth;
    let depth = 0;
    while (depth < last) {
      if (line.isBlank && depth >= lastQuote) {
        // A blank line belongs to all remaining containers, so deeply nested lists are not checked one by one. The
        // exception is an item that has no content yet, because an item cannot start with two blank lines.
        line.skipBlanks();
        depth = this.top.kind === "item" && this.top.children === 0 ? last - 1 : last;
        break;
      }
      if (!belongs(stack[depth + 1] as Container, line)) break;
      depth++;
    }
    this.depth = depth;
  }

  /** Whether the line belongs to every open container. */
  get isMatched(): boolean {
    return this.depth === this.last;
  }

  get canNest(): boolean {
    return this.depth + 2 <= CONTAINERS_MAX;
  }

  /** Whether the paragraph that is about to end is the first block of an item. */
  get isFirstOfItem(): boolean {
    return this.top.kind === "item" && this.top.children === 1;
  }

  /** The same for a quote outside any other container, which GitHub requires for alerts. */
  get isFirstOfQuote(): boolean {
    return this.last === 1 && this.top.kind === "quote" && this.top.children === 1;
  }

  private get top(): Container {
    return this.stack[this.last] as Container;
  }

  /** Ends the containers to which the line does not belong. */
  closeUnmatched(): void {
    while (this.last > this.depth) this.pop();
  }

  closeAll(): void {
    this.depth = 0;
    this.closeUnmatched();
  }

  /** Records whether the current line is blank. */
  recordLine(isBlank: boolean): void {
    this.wasBlank = isBlank;
    if (isBlank) this.blankBelow = (this.stack[this.depth] as Container).quoteDepth;
  }

  /** Records that a block starts in the deepest container. */
  addChild(): void {
    if (this.top.kind === "list") this.popList();
    this.count(this.top);
  }

  openQuote(): void {
    this.addChild();
    this.push("quote", QUOTE);
  }

  openFootnote(footnote: Footnote | undefined): void {
    this.addChild();
    const container = this.push("footnote", new Block("footnote"), FOOTNOTE_INDENT);
    if (footnote === undefined) return;
    container.footnote = footnote;
    footnote.first = this.blocks.length;
  }

  openItem(marker: Marker, indent: number): void {
    if (this.top.kind !== "list" || this.top.block.info !== marker.character) {
      this.addChild();
      const block = new Block("list");
      block.info = marker.character;
      block.number = marker.number ?? 0;
      this.push("list", block);
    }
    this.count(this.top);
    this.push("item", ITEM, indent);
  }

  /** Records that the item is a task. */
  recordTask(): void {
    this.blocks[this.top.index] = TASK_ITEM;
    (this.stack[this.last - 1] as Container).block.hasTasks = true;
  }

  recordAlert(name: string, paragraph: Block, restFrom: number): void {
    this.top.alert = { name, paragraph, restFrom };
  }

  private push(kind: Container["kind"], block: Block, indent = 0): Container {
    const { quoteDepth } = this.top;
    this.last++;
    this.depth++;
    const container = this.stack[this.last] ?? new Container();
    this.stack[this.last] = container;
    container.kind = kind;
    container.block = block;
    container.index = this.blocks.push(block) - 1;
    container.indent = indent;
    container.children = 0;
    container.quoteDepth = kind === "quote" ? this.last : quoteDepth;
    container.footnote = container.alert = undefined;
    return container;
  }

  private popList(): void {
    this.pop();
    this.depth = Math.min(this.depth, this.last);
  }

  private pop(): void {
    const container = this.top;
    this.last--;
    this.finishAlert(container);
    if (container.kind === "footnote") container.block.number = this.blocks.length;
    if (container.footnote !== undefined) container.footnote.last = this.blocks.length;
    this.blocks.push(END);
  }

  /** On GitHub, a quote that contains only `[!NOTE]` is not an alert. */
  private finishAlert({ alert, children, index }: Container): void {
    if (alert === undefined) return;
    const { name, paragraph, restFrom } = alert;
    if (children < 2 && restFrom >= paragraph.to) return;
    const block = new Block("quote");
    block.info = name;
    this.blocks[index] = block;
    paragraph.from = restFrom;
  }

  /** A blank line between two items, or between two blocks of an item, makes the list loose (section 5.3). */
  private count(container: Container): void {
    if (container.children > 0 && this.wasBlank && this.last > this.blankBelow) {
      const list = container.kind === "item" ? this.stack[this.last - 1] : container;
      if (list?.kind === "list") list.block.isLoose = true;
    }
    container.children++;
  }
}

function belongs(container: Container, line: LineCursor): boolean {
  switch (container.kind) {
    case "quote":
      if (line.indent > 3 || line.isBlank) return false;
      if (line.source.charCodeAt(line.next) !== GREATER) return false;
      skipQuoteMark(line);
      return true;
    case "item":
    case "footnote":
      if (line.isBlank) {
        line.skipBlanks();
        return container.kind === "footnote" || container.children > 0;
      }
      if (line.indent < container.indent) return false;
      line.skipColumns(container.indent);
      return true;
    default:
      return true;
  }
}

/** Skips `>` and the blank after it. */
export function skipQuoteMark(line: LineCursor): void {
  line.skipBlanks();
  line.skipCharacters(1);
  line.skipColumns(1);
}
