/**
 * The result of the block phase: a flat list in document order. Containers and tables have an entry where
 * they open and `END` where they end, so that writers walk the list without recursion however deep it nests.
 */
export type BlockKind =
  | "paragraph"
  | "heading"
  | "text"
  | "code"
  | "rule"
  | "table"
  | "row"
  | "quote"
  | "list"
  | "item"
  | "footnote"
  | "end";

export type Align = "" | "left" | "center" | "right";

export class Block {
  kind: BlockKind;
  /** The string that contains the block's text, mostly the source itself, and the range in it. */
  text: string;
  from: number;
  to: number;
  /** Level of a heading; number of the first item of an ordered list; of a footnote the place of its end. */
  number = 0;
  /** Language of a code block; slug of a heading; alert of a quote; marker of a list; `x` or blank of a task. */
  info = "";
  /** A list whose paragraphs stand in `<p>`. */
  isLoose = false;
  /** Of a table, a row for its columns. */
  align: readonly Align[] | undefined = undefined;

  constructor(kind: BlockKind, text = "", from = 0, to = 0) {
    this.kind = kind;
    this.text = text;
    this.from = from;
    this.to = to;
  }
}

/** True for a list with this marker if its items have numbers. */
export const isOrdered = (marker: string) => marker === "." || marker === ")";

/** The title above an alert, by its name. */
export const alertTitle = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** Blocks without data of their own are shared, because a line can open a hundred of them. */
export const QUOTE = new Block("quote");
export const ITEM = new Block("item");
export const RULE = new Block("rule");
/** The end of the container or table that was opened last. */
export const END = new Block("end");
