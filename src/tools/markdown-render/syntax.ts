import type { Resolve } from "./safe-elements.ts";

/** What the options change in how a document is read. */
export type Syntax = {
  /** Every line ending in a paragraph is a line break. */
  breaks: boolean;
  /** Formulas are kept as they are. */
  math: boolean;
  /** Makes the addresses of raw HTML absolute. Without it, raw HTML is removed. */
  resolve: Resolve | undefined;
};
