import { BACKSLASH, BACKTICK, DIGIT, isIn, LETTER, WHITE } from "./characters.ts";
import { skipWhite } from "./scan.ts";

const DOLLAR = 36;

/** A formula with its marks, as KaTeX and MathJax look for it, and the end of its source. */
export type Formula = { text: string; isDisplay: boolean; end: number };

/** The element in which formulas stand: no other element divides their text. */
export const mathClass = (isDisplay: boolean) =>
  isDisplay ? "math math-display" : "math math-inline";

/**
 * Finds the formulas of one paragraph, heading or cell: `$…$` and `$$…$$` by GitHub's rules, `` $`…`$ ``, `\(…\)` and
 * `\[…\]`. A failed search is not repeated.
 */
export class Formulas {
  private readonly s: string;
  private readonly from: number;
  private readonly to: number;
  private readonly missing = new Set<string>();

  constructor(s: string, from: number, to: number) {
    this.s = s;
    this.from = from;
    this.to = to;
  }

  /** The formula that starts at `pos`, the place of `$` or `\`. */
  read(pos: number): Formula | undefined {
    const { s } = this;
    const next = s.charCodeAt(pos + 1);
    if (s.charCodeAt(pos) === BACKSLASH) {
      if (s.charAt(pos + 1) === "(") return this.upTo("\\)", pos, false);
      return s.charAt(pos + 1) === "[" ? this.upTo("\\]", pos, true) : undefined;
    }
    if (pos > this.from && isWordOrDollar(s.charCodeAt(pos - 1))) return undefined;
    if (next === BACKTICK) return this.readQuoted(pos);
    if (next === DOLLAR) {
      return s.charCodeAt(pos + 2) === DOLLAR ? undefined : this.upTo("$$", pos, true);
    }
    return this.readInline(pos);
  }

  /** No white space begins or ends the formula, and no letter or digit follows it: `$10 or $20` is none. */
  private readInline(pos: number): Formula | undefined {
    const { s, to } = this;
    let at = pos + 1;
    while (at < to && s.charCodeAt(at) !== DOLLAR) at += s.charCodeAt(at) === BACKSLASH ? 2 : 1;
    if (at >= to || at === pos + 1) return undefined;
    const isTight = !isIn(s.charCodeAt(pos + 1), WHITE) && !isIn(s.charCodeAt(at - 1), WHITE);
    const isLast = at + 1 >= to || !isWordOrDollar(s.charCodeAt(at + 1));
    if (!isTight || !isLast) return undefined;
    return { text: s.slice(pos, at + 1), isDisplay: false, end: at + 1 };
  }

  /** GitHub's form for formulas that Markdown would change; KaTeX and MathJax do not know it. */
  private readQuoted(pos: number): Formula | undefined {
    const formula = this.upTo("`$", pos, false);
    return formula && { ...formula, text: `$${formula.text.slice(2, -2)}$` };
  }

  private upTo(closing: string, pos: number, isDisplay: boolean): Formula | undefined {
    if (this.missing.has(closing)) return undefined;
    const { s, to } = this;
    const first = closing.charCodeAt(0);
    let found = pos + 2;
    while (found < to && !(s.charCodeAt(found) === first && s.startsWith(closing, found))) found++;
    if (found + 2 > to) {
      this.missing.add(closing);
      return undefined;
    }
    if (skipWhite(s, pos + 2, found) === found) return undefined;
    return { text: s.slice(pos, found + 2), isDisplay, end: found + 2 };
  }
}

const isWordOrDollar = (c: number) => c === DOLLAR || isIn(c, LETTER | DIGIT);

/**
 * Finds formulas that are blocks: `$$` or `\[` at the start of a line, up to a line that ends with `$$` or `\]`, without a
 * blank line between them. Within them a line such as `- x` is no list.
 */
export class FormulaBlocks {
  private readonly source: string;
  /** The next place of each text that was looked for. */
  private readonly next = new Map<string, number>();

  constructor(source: string) {
    this.source = source;
  }

  /** Returns the mark that ends the formula that starts at `pos`; undefined if there is none. */
  closingAt(pos: number): string | undefined {
    const { source } = this;
    const closing = CLOSINGS[source.slice(pos, pos + 2)];
    if (closing === undefined || source.charCodeAt(pos + 2) === DOLLAR) return undefined;
    const found = this.find(closing, pos + 2);
    if (found < 0 || found > this.findBlankLine(pos)) return undefined;
    const lineEnd = source.indexOf("\n", found);
    return source.slice(found + 2, lineEnd).trim() === "" ? closing : undefined;
  }

  private find(text: string, pos: number): number {
    let found = this.next.get(text);
    if (found === undefined || (found >= 0 && found < pos)) {
      found = this.source.indexOf(text, pos);
      this.next.set(text, found);
    }
    return found;
  }

  private findBlankLine(pos: number): number {
    const found = this.find("\n\n", pos);
    return found < 0 ? this.source.length : found;
  }
}

const CLOSINGS: Record<string, string> = { $$: "$$", "\\[": "\\]" };

/** The formula of a fenced block with the language `math`, as on GitHub. */
export const fencedFormula = (code: string) => `$$\n${code}$$`;
