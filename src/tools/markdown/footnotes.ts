import { normalizeLabel } from "#tools/markdown/link-scanner.ts";

/** A footnote's place among the blocks, from its first inner block to behind its last; 0 uses: not written. */
export type Footnote = { first: number; last: number; number: number; uses: number };

/** The footnotes of a document. They are numbered in the order of their first references. */
export class Footnotes {
  private readonly definitions = new Map<string, Footnote>();
  /** Those that have been referred to, in order. */
  readonly used: Footnote[] = [];

  /** Undefined where the label has a definition already: the first one counts. */
  define(label: string): Footnote | undefined {
    const key = normalizeLabel(label);
    if (this.definitions.has(key)) return undefined;
    const footnote = { first: 0, last: 0, number: 0, uses: 0 };
    this.definitions.set(key, footnote);
    return footnote;
  }

  get isEmpty(): boolean {
    return this.definitions.size === 0;
  }

  find(label: string): Footnote | undefined {
    return this.definitions.get(normalizeLabel(label));
  }

  /** Counts a reference that is written, and numbers the footnote at the first one. */
  refer(label: string): Footnote | undefined {
    const footnote = this.find(label);
    if (footnote === undefined) return undefined;
    footnote.uses++;
    if (footnote.uses === 1) footnote.number = this.used.push(footnote);
    return footnote;
  }
}
