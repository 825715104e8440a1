import type { Marker } from "#tools/markdown/block-starts.ts";
import { Block, END } from "#tools/markdown/blocks.ts";
import { CONTAINERS_MAX } from "#tools/markdown/bounds.ts";
import type { Footnote } from "#tools/markdown/footnotes.ts";
import type { LineCursor } from "#tools/markdown/line-cursor.ts";

const GREATER = 62;
/** Columns by which the text of a footnote is indented from its second line on. */
const FOOTNOTE_INDENT = 4;

type Container = {
  kind: "document" | "quote" | "list" | "item" | "footnote";
  block: Block;
  /** How many columns the contents of an item are indented. */
  indent: number;
  children: number;
  /** Where the innermost quote stands that is this container or around it; -1 for none. */
  quoteDepth: number;
  footnote?: Footnote;
  /** The paragraph with which a quote begins, where it says `[!NOTE]`: what follows makes it an alert or not. */
  alert?: { name: string; paragraph: Block; restFrom: number };
};

/** The quotes, lists and items that are open, from the document down (CommonMark, appendix A, phase 1). */
export class ContainerStack {
  readonly blocks: Block[] = [];
  private readonly stack: Container[] = [
    { kind: "document", block: new Block("quote"), indent: 0, children: 0, quoteDepth: -1 },
  ];
  /** The deepest container to which the line at hand belongs. */
  private depth = 0;
  private wasBlank = false;
  /** The last quote to which the blank line belonged: it is no blank line of what is around that quote. */
  private blankBelow = -1;

  /** Reads from the line what says to which containers it belongs. */
  match(line: LineCursor): void {
    const { stack } = this;
    const last = stack.length - 1;
    const lastQuote = this.top.quoteDepth;
    let depth = 0;
    while (depth < last) {
      if (line.isBlank && depth >= lastQuote) {
        // It belongs to the rest: lists that nest deeply would be asked in vain. Only an item cannot begin with two.
        line.skipBlanks();
        depth = this.top.kind === "item" && this.top.children === 0 ? last - 1 : last;
        break;
      }
      if (!belongs(stack[depth + 1] as Container, line)) break;
      depth++;
    }
    this.depth = depth;
  }

  /** The line belongs to every open container. */
  get isMatched(): boolean {
    return this.depth === this.stack.length - 1;
  }

  get canNest(): boolean {
    return this.depth + 2 <= CONTAINERS_MAX;
  }

  /** The paragraph that is about to end is the first block of an item. */
  get isFirstOfItem(): boolean {
    return this.top.kind === "item" && this.top.children === 1;
  }

  /** The same of a quote that stands in no other container, as GitHub asks of alerts. */
  get isFirstOfQuote(): boolean {
    return this.stack.length === 2 && this.top.kind === "quote" && this.top.children === 1;
  }

  private get top(): Container {
    return this.stack[this.stack.length - 1] as Container;
  }

  /** Ends the containers to which the line does not belong. */
  closeUnmatched(): void {
    while (this.stack.length - 1 > this.depth) this.pop();
  }

  closeAll(): void {
    this.depth = 0;
    this.closeUnmatched();
  }

  /** Says that the line at hand was blank, or not. */
  noteLine(isBlank: boolean): void {
    this.wasBlank = isBlank;
    if (isBlank) this.blankBelow = (this.stack[this.depth] as Container).quoteDepth;
  }

  /** Says that a block begins in the deepest container. */
  addChild(): void {
    if (this.top.kind === "list") this.popList();
    this.count(this.top);
  }

  /** Says that the last block proved to be none: a paragraph of definitions. */
  removeChild(): void {
    this.top.children--;
  }

  openQuote(): void {
    this.addChild();
    this.push("quote", new Block("quote"));
  }

  openFootnote(label: string, footnote: Footnote | undefined): void {
    this.addChild();
    const block = new Block("footnote");
    block.info = label;
    const container = this.push("footnote", block, FOOTNOTE_INDENT);
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
    this.push("item", new Block("item"), indent);
  }

  noteAlert(name: string, paragraph: Block, restFrom: number): void {
    this.top.alert = { name, paragraph, restFrom };
  }

  private push(kind: Container["kind"], block: Block, indent = 0): Container {
    const quoteDepth = kind === "quote" ? this.stack.length : this.top.quoteDepth;
    const container: Container = { kind, block, indent, children: 0, quoteDepth };
    this.blocks.push(block);
    this.stack.push(container);
    this.depth++;
    return container;
  }

  private popList(): void {
    this.pop();
    this.depth = Math.min(this.depth, this.stack.length - 1);
  }

  private pop(): void {
    const container = this.stack.pop();
    if (container === undefined) return;
    const { kind, block, footnote } = container;
    if (kind === "document") return;
    if (kind === "quote") finishAlert(container);
    if (kind === "footnote") block.number = this.blocks.length;
    if (footnote !== undefined) footnote.last = this.blocks.length;
    this.blocks.push(END);
  }

  /** A blank line between two items, or two blocks of one, makes the list loose (section 5.3). */
  private count(container: Container): void {
    const depth = this.stack.length - 1;
    if (container.children > 0 && this.wasBlank && depth > this.blankBelow) {
      const list = container.kind === "item" ? this.stack[depth - 1] : container;
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

/** `>` and the blank behind it. */
export function skipQuoteMark(line: LineCursor): void {
  line.skipBlanks();
  line.skipCharacters(1);
  line.skipColumns(1);
}

/** GitHub: what says `[!NOTE]` and nothing else is a quote. */
function finishAlert({ block, children, alert }: Container): void {
  if (alert === undefined) return;
  const { name, paragraph, restFrom } = alert;
  if (children < 2 && restFrom >= paragraph.to) return;
  block.info = name;
  paragraph.from = restFrom;
}
