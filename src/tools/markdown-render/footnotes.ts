import { waysBackMax } from "./bounds.ts";
import { normalizeLabel } from "./link-scanner.ts";

/**
 * A footnote's range among the blocks, from its first inner block to after its last; the number of references to it (0:
 * it is not written), and of those that have been written; and how many of the first references get a link back.
 */
export type Footnote = {
  id: number;
  first: number;
  last: number;
  number: number;
  uses: number;
  written: number;
  waysBack: number;
};

/** The footnotes of a document. They are numbered in the order of their first references. */
export class Footnotes {
  /** Not counting the first reference to each footnote. */
  private waysBackLeft: number;
  private readonly byLabel = new Map<string, Footnote>();
  private readonly byId: Footnote[] = [];
  /** The footnotes with references, in order. */
  readonly used: Footnote[] = [];

  constructor(sourceChars: number) {
    this.waysBackLeft = waysBackMax(sourceChars);
  }

  get isEmpty(): boolean {
    return this.byId.length === 0;
  }

  /** Returns undefined if the label already has a definition, because the first one counts. */
  define(label: string): Footnote | undefined {
    const key = normalizeLabel(label);
    if (this.byLabel.has(key)) return undefined;
    const id = this.byId.length;
    const footnote = { id, first: 0, last: 0, number: 0, uses: 0, written: 0, waysBack: 0 };
    this.byLabel.set(key, footnote);
    this.byId.push(footnote);
    return footnote;
  }

  find(label: string): Footnote | undefined {
    return this.byLabel.get(normalizeLabel(label));
  }

  withId(id: number): Footnote {
    return this.byId[id] as Footnote;
  }

  /** Returns the footnote of a reference that is written. One that was not counted before is counted now. */
  refer(id: number): Footnote {
    const footnote = this.withId(id);
    footnote.written++;
    if (footnote.written > footnote.uses) this.count(footnote);
    return footnote;
  }

  /**
   * Counts a reference. The first one numbers the footnote. References in footnotes are counted before any footnote is
   * written, because a footnote has links back to those in later ones.
   */
  count(footnote: Footnote): void {
    footnote.uses++;
    if (footnote.uses === 1) {
      footnote.number = this.used.push(footnote);
      footnote.waysBack = 1;
    } else if (footnote.waysBack === footnote.uses - 1 && this.waysBackLeft > 0) {
      footnote.waysBack++;
      this.waysBackLeft--;
    }
  }
}
