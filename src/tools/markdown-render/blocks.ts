import type { Tag } from "./safe-elements.ts";

/**
 * The result of the block phase: a flat list in document order. Containers and tables have an entry where they start
 * and `END` where they end, so that writers need no recursion, however deep the nesting.
 */
export type BlockKind =
  | "paragraph"
  | "heading"
  | "text"
  | "code"
  | "math"
  | "rule"
  | "table"
  | "row"
  | "quote"
  | "list"
  | "item"
  | "footnote"
  | "end"
  | HtmlBlockKind;

/**
 * Of raw HTML that is kept: an element that contains blocks opens or closes, or inline content with its tags. Their opening
 * and closing need not match; the writer sees to it.
 */
export type HtmlBlockKind = "element" | "element-end" | "html";

/** The tag of an element or paragraph; undefined for text outside of one. And the tags in its text, by their number. */
export type RawContent = { tag: Tag | undefined; tags: readonly Tag[] };

export type Align = "" | "left" | "center" | "right";

export class Block {
  kind: BlockKind;
  /** The string that contains the block's text (usually the source itself), and the range in it. */
  text: string;
  from: number;
  to: number;
  /** The level of a heading, the number of the first item of an ordered list, or the index of a footnote's end. */
  number = 0;
  /**
   * Language of a code block; slug of a heading; alert of a quote; marker of a list; `x` or blank of a task; name of an
   * element that ends.
   */
  info = "";
  /** True for a list whose paragraphs are in `<p>`. */
  isLoose = false;
  /** True for a list in which an item is a task. */
  hasTasks = false;
  /** For a table: the alignment of each column. */
  align: readonly Align[] | undefined = undefined;
  /** Of raw HTML that is kept. */
  html: RawContent | undefined = undefined;

  constructor(kind: BlockKind, text = "", from = 0, to = 0) {
    this.kind = kind;
    this.text = text;
    this.from = from;
    this.to = to;
  }
}

/** Whether the items of a list with this marker have numbers. */
export const isOrdered = (marker: string) => marker === "." || marker === ")";

/** Returns the title of an alert. */
export const alertTitle = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** Blocks without data are shared, because a line can open a hundred of them. */
export const QUOTE = new Block("quote");
export const ITEM = new Block("item");
export const TASK_ITEM = new Block("item");
export const RULE = new Block("rule");
/** Ends the innermost open container or table. */
export const END = new Block("end");
