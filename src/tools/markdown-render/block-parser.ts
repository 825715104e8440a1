import {
  readAtxHeading,
  readFence,
  readFootnoteStart,
  readMarker,
  readSetextLine,
  ThematicBreaks,
} from "./block-starts.ts";
import { Block, RULE } from "./blocks.ts";
import { BLOCK, isIn } from "./characters.ts";
import { ContainerStack, skipQuoteMark } from "./containers.ts";
import { resolveEscapes } from "./entities.ts";
import { Footnotes } from "./footnotes.ts";
import { LineCursor } from "./line-cursor.ts";
import { CODE_INDENT, OpenLeaf } from "./open-leaf.ts";
import { References } from "./references.ts";
import { skipBlanks } from "./scan.ts";
import type { Syntax } from "./syntax.ts";
import { eachCell, readDelimiterRow } from "./tables.ts";

/** The blocks of a document, and the definitions to which its text can refer. */
export type Document = { blocks: readonly Block[]; references: References; footnotes: Footnotes };

/**
 * The first phase of CommonMark's algorithm (appendix A). `source` has no CR or NUL and ends with a newline.
 */
export function parseBlocks(source: string, syntax: Syntax): Document {
  const parser = new BlockParser(source, syntax);
  for (let start = 0; start < source.length; ) {
    const end = source.indexOf("\n", start);
    parser.readLine(start, end);
    start = end + 1;
  }
  return parser.finish();
}

/**
 * What starts at a position: nothing, a container that more text follows, or a leaf that takes the rest of the line.
 */
type Start = "nothing" | "container" | "leaf";

class BlockParser {
  private readonly source: string;
  private readonly line: LineCursor;
  private readonly leaf: OpenLeaf;
  private readonly containers = new ContainerStack();
  private readonly thematicBreaks = new ThematicBreaks();
  private readonly references: References;
  private readonly footnotes: Footnotes;

  constructor(source: string, syntax: Syntax) {
    this.source = source;
    this.line = new LineCursor(source);
    this.references = new References(source.length);
    this.footnotes = new Footnotes(source.length);
    this.leaf = new OpenLeaf(this.line, this.containers, this.references, syntax);
  }

  readLine(start: number, end: number): void {
    const { line, containers } = this;
    line.begin(start, end);
    containers.match(line);
    if (containers.isMatched && this.leaf.takeLine()) return;
    if (line.isBlank) {
      if (!containers.isMatched) this.leaf.closeUnmatched();
      containers.recordLine(true);
      return;
    }
    if (!this.startBlocks()) this.readText();
    containers.recordLine(false);
  }

  finish(): Document {
    this.leaf.close();
    this.containers.closeAll();
    const { references, footnotes } = this;
    return { blocks: this.containers.blocks, references, footnotes };
  }

  /** Opens the blocks that start on the line. Returns true if they use up the line. */
  private startBlocks(): boolean {
    const { line } = this;
    for (;;) {
      if (line.indent >= CODE_INDENT) return this.startIndented();
      const c = this.source.charCodeAt(line.next);
      if (!isIn(c, BLOCK)) return false;
      const start = this.startBlock(c);
      if (start === "nothing") return false;
      if (start === "leaf" || line.isBlank) return true;
    }
  }

  private startIndented(): boolean {
    // Code cannot interrupt a paragraph.
    if (this.leaf.kind === "paragraph") return false;
    this.leaf.open("indented");
    this.leaf.addCodeLine(CODE_INDENT);
    return true;
  }

  /** In the order of the specification's algorithm: setext underline before rule, rule before item. */
  private startBlock(c: number): Start {
    switch (c) {
      case 62:
        return this.startQuote();
      case 35:
        return this.startHeading();
      case 96:
      case 126:
        return this.startFence(c);
      case 60:
        return this.startHtml();
      case 61:
        return this.startSetext();
      case 36:
      case 92:
        return this.startFormula();
      case 91:
        return this.startFootnote();
      case 95:
        return this.startRule();
      case 124:
      case 58:
        return this.startTable();
      default:
        return this.startDashOrItem(c);
    }
  }

  /** `-` can start an underline, a rule, an item or a table; `*` a rule or an item; `+` and digits an item. */
  private startDashOrItem(c: number): Start {
    let start: Start = c === 45 ? this.startSetext() : "nothing";
    if (start === "nothing" && (c === 45 || c === 42)) start = this.startRule();
    if (start === "nothing") start = this.startItem();
    if (start === "nothing" && c === 45) start = this.startTable();
    return start;
  }

  private startQuote(): Start {
    if (!this.containers.canNest) return "nothing";
    this.leaf.closeUnmatched();
    skipQuoteMark(this.line);
    this.containers.openQuote();
    return "container";
  }

  private startHeading(): Start {
    const heading = readAtxHeading(this.source, this.line.next, this.line.end);
    if (heading === undefined) return "nothing";
    this.leaf.closeUnmatched();
    this.containers.addChild();
    const block = new Block("heading", this.source, heading.from, heading.to);
    block.number = heading.level;
    this.containers.blocks.push(block);
    return "leaf";
  }

  private startSetext(): Start {
    if (this.leaf.kind !== "paragraph" || !this.containers.isMatched) return "nothing";
    const level = readSetextLine(this.source, this.line.next, this.line.end);
    if (level === 0) return "nothing";
    // If the paragraph contained only definitions, the line starts a paragraph or another block.
    return this.leaf.closeAsHeading(level) ? "leaf" : "nothing";
  }

  private startFence(character: number): Start {
    const { line, source } = this;
    const fence = readFence(source, line.next, line.end);
    if (fence === undefined) return "nothing";
    const { indent } = line;
    const info = resolveEscapes(source.slice(fence.from, fence.to));
    this.leaf.open("fence");
    this.leaf.fence = { character, length: fence.length, indent, info };
    return "leaf";
  }

  private startHtml(): Start {
    const { line } = this;
    if (!this.leaf.html.begins(line.next, line.end, this.leaf.kind === "paragraph"))
      return "nothing";
    this.leaf.open("html");
    this.leaf.takeHtml(line.next);
    return "leaf";
  }

  private startFormula(): Start {
    const closing = this.leaf.formulas?.closingAt(this.line.next);
    if (closing === undefined) return "nothing";
    this.leaf.open("formula");
    this.leaf.closing = closing;
    this.leaf.takeFormula(this.line.next + 2);
    return "leaf";
  }

  private startFootnote(): Start {
    const { line } = this;
    const start = readFootnoteStart(this.source, line.next, line.end);
    if (start === undefined || !this.containers.canNest) return "nothing";
    this.leaf.closeUnmatched();
    this.containers.openFootnote(this.footnotes.define(start.label));
    line.skipBlanks();
    line.skipCharacters(start.from - line.pos);
    line.skipBlanks();
    return "container";
  }

  private startRule(): Start {
    if (!this.thematicBreaks.isAt(this.source, this.line.next, this.line.end)) return "nothing";
    this.leaf.closeUnmatched();
    this.containers.addChild();
    this.containers.blocks.push(RULE);
    return "leaf";
  }

  private startItem(): Start {
    const { line, source } = this;
    const marker = readMarker(source, line.next, line.end);
    if (marker === undefined || !this.containers.canNest) return "nothing";
    const isEmpty = skipBlanks(source, line.next + marker.length, line.end) >= line.end;
    if (this.leaf.kind === "paragraph" && this.containers.isMatched) {
      // Only an unambiguous item interrupts a paragraph (section 5.2).
      if (isEmpty || (marker.number ?? 1) !== 1) return "nothing";
    }
    this.leaf.closeUnmatched();
    const offset = line.indent + marker.length;
    line.skipBlanks();
    line.skipCharacters(marker.length);
    const isCode = line.indent >= 5;
    const padding = isEmpty || isCode ? 1 : line.indent;
    line.skipColumns(padding);
    this.containers.openItem(marker, offset + padding);
    return "container";
  }

  /** A delimiter row makes the last line of the paragraph above it the header row of a table (GFM, section 4.10). */
  private startTable(): Start {
    const { line, source, containers } = this;
    if (this.leaf.kind !== "paragraph" || !containers.isMatched) return "nothing";
    const align = readDelimiterRow(source, line.next, line.end);
    if (align === undefined) return "nothing";
    const { from, to } = this.leaf.lines.last;
    if (eachCell(source, from, to, align.length + 1, () => {}) !== align.length) return "nothing";
    this.leaf.lines.removeLast();
    this.leaf.open("table");
    const table = new Block("table");
    table.align = align;
    containers.blocks.push(table, new Block("row", source, from, to));
    return "leaf";
  }

  /** Text that starts no other block: it continues a paragraph or table, or starts a paragraph. */
  private readText(): void {
    const { line } = this;
    if (this.leaf.kind === "table" && this.containers.isMatched) {
      this.containers.blocks.push(new Block("row", this.source, line.next, line.end));
      return;
    }
    if (this.leaf.kind !== "paragraph") this.leaf.open("paragraph");
    this.leaf.lines.add(line.next, line.end + 1);
  }
}
