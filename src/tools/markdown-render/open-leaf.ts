import { isClosingFence } from "./block-starts.ts";
import { Block, END } from "./blocks.ts";
import type { ContainerStack } from "./containers.ts";
import { HtmlBlocks } from "./html-blocks.ts";
import type { LineCursor } from "./line-cursor.ts";
import { LineText } from "./line-text.ts";
import { FormulaBlocks, fencedFormula } from "./math.ts";
import { finishParagraph, readAlert, readTask } from "./paragraphs.ts";
import type { References } from "./references.ts";
import { trimEnd } from "./scan.ts";
import type { Syntax } from "./syntax.ts";

type Kind = "none" | "paragraph" | "formula" | "indented" | "fence" | "html" | "table";

/** The open leaf block, to which lines are added: a paragraph, code, HTML or a table. */
export class OpenLeaf {
  kind: Kind = "none";
  readonly html: HtmlBlocks;
  /** Undefined unless formulas are kept. */
  readonly formulas: FormulaBlocks | undefined;
  /** The mark that ends the open formula. */
  closing = "";
  fence = { character: 0, length: 0, indent: 0, info: "" };
  readonly lines: LineText;
  private readonly line: LineCursor;
  private readonly containers: ContainerStack;
  private readonly references: References;

  constructor(
    line: LineCursor,
    containers: ContainerStack,
    references: References,
    { resolve, math }: Syntax,
  ) {
    this.line = line;
    this.lines = new LineText(line.source);
    this.formulas = math ? new FormulaBlocks(line.source) : undefined;
    this.html = new HtmlBlocks(line.source, containers.blocks, resolve);
    this.containers = containers;
    this.references = references;
  }

  /** Ends the leaf and the containers to which the line does not belong, and starts a new leaf. */
  open(kind: Kind): void {
    this.closeUnmatched();
    this.containers.addChild();
    this.kind = kind;
    this.lines.clear();
  }

  closeUnmatched(): void {
    this.close();
    this.containers.closeUnmatched();
  }

  /** Reads the next line and returns true if the line belongs to the leaf whatever its content. */
  takeLine(): boolean {
    const { line, kind } = this;
    const { isBlank } = line;
    switch (kind) {
      case "fence":
        this.takeFenceLine();
        break;
      case "indented":
        if (!isBlank && line.indent < CODE_INDENT) {
          this.close();
          return false;
        }
        this.addCodeLine(CODE_INDENT);
        break;
      case "formula":
        if (isBlank) {
          this.close();
          return false;
        }
        this.takeFormula(line.next);
        break;
      case "html":
        if (isBlank && this.html.endsBefore(line.start)) {
          this.close();
          return false;
        }
        this.takeHtml(line.rest, line.spaces);
        break;
      default:
        if (isBlank) this.close();
        return false;
    }
    // A blank line in a fence or in HTML does not loosen a list.
    this.containers.recordLine(isBlank && kind === "indented");
    return true;
  }

  /** Reads the line from `from` on as HTML, after `spaces` spaces, and ends the block with it where it does. */
  takeHtml(from: number, spaces = 0): void {
    if (this.html.endsWith(from, this.line.end, spaces)) this.close();
  }

  /** Reads the line of a formula, whose closing mark is looked for from `from` on, and ends the block with that mark. */
  takeFormula(from: number): void {
    const { line, lines, containers } = this;
    lines.add(line.next, line.end + 1);
    const end = trimEnd(line.source, from, line.end);
    if (end - from < 2 || !line.source.endsWith(this.closing, end)) return;
    const { text, from: start, to } = lines.range;
    containers.blocks.push(new Block("math", text, start, trimEnd(text, start, to)));
    this.kind = "none";
  }

  addCodeLine(indent: number): void {
    this.line.skipColumns(indent);
    this.lines.add(this.line.rest, this.line.end + 1, this.line.spaces);
  }

  /** Ends the paragraph as a heading. Returns false if it contained only definitions; it then starts over. */
  closeAsHeading(level: number): boolean {
    const block = finishParagraph(this.lines, this.references);
    this.lines.clear();
    if (block === undefined) return false;
    this.kind = "none";
    block.kind = "heading";
    block.number = level;
    this.containers.blocks.push(block);
    return true;
  }

  close(): void {
    const { kind, containers } = this;
    this.kind = "none";
    // A formula whose container ends before it is text.
    if (kind === "paragraph" || kind === "formula") this.closeParagraph();
    else if (kind === "table") containers.blocks.push(END);
    else if (kind === "html") this.html.close();
    else if (kind === "indented" || kind === "fence") {
      const { text, from, to } = this.lines.range;
      // Trailing blank lines are not part of indented code (section 4.4).
      const end = kind === "fence" ? to : text.indexOf("\n", trimEnd(text, from, to)) + 1;
      containers.blocks.push(this.codeBlock(kind, text, from, end));
    }
  }

  private codeBlock(kind: Kind, text: string, from: number, to: number): Block {
    const info = kind === "fence" ? this.fence.info : "";
    if (this.formulas !== undefined && /^math(?:\s|$)/.test(info)) {
      const formula = fencedFormula(text.slice(from, to));
      return new Block("math", formula, 0, formula.length);
    }
    const block = new Block("code", text, from, to);
    block.info = info;
    return block;
  }

  private takeFenceLine(): void {
    const { line } = this;
    const { character, length, indent } = this.fence;
    const mayClose = line.indent < CODE_INDENT;
    if (mayClose && isClosingFence(line.source, line.next, line.end, character, length)) {
      this.close();
    } else this.addCodeLine(indent);
  }

  private closeParagraph(): void {
    const { containers } = this;
    const block = finishParagraph(this.lines, this.references);
    if (block === undefined) return;
    if (containers.isFirstOfItem && readTask(block)) containers.recordTask();
    if (containers.isFirstOfQuote) {
      const alert = readAlert(block);
      if (alert !== undefined) containers.recordAlert(alert.name, block, alert.restFrom);
    }
    containers.blocks.push(block);
  }
}

/** A line with this indent in columns or more is indented code (section 4.4). */
export const CODE_INDENT = 4;
