import { flankAfter, flankBefore, PUNCTUATION } from "#tools/markdown/characters.ts";
import { Edit, type Emphasis } from "#tools/markdown/edits.ts";

const UNDERSCORE = 95;
const TILDE = 126;

/** A run of delimiters that may yet open or close something (CommonMark, section 6.2). */
class Run {
  readonly edit: Edit;
  readonly character: number;
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** Delimiters not used yet. */
  left: number;
  previous: Run | undefined;
  next: Run | undefined = undefined;

  constructor(edit: Edit, character: number, flanks: { canOpen: boolean; canClose: boolean }) {
    this.edit = edit;
    this.character = character;
    this.length = this.left = edit.end - edit.start;
    this.canOpen = flanks.canOpen;
    this.canClose = flanks.canClose;
  }
}

/** The delimiter stack of one paragraph: runs are pushed as they are met, and matched by `match`. */
export class DelimiterStack {
  private top: Run | undefined;
  /** For each kind of closer, the place before which there is no opener for it: this makes matching linear. */
  private readonly bottoms = new Int32Array(KINDS);

  clear(): void {
    this.top = undefined;
  }

  /** The run of `character` from `start` to `end`; undefined where it can neither open nor close. */
  push(s: string, start: number, end: number, from: number, to: number): Edit | undefined {
    const character = s.charCodeAt(start);
    // GFM, section 6.5: strikethrough has one or two tildes, three or more do not make one.
    if (character === TILDE && end - start > 2) return undefined;
    const before = flankBefore(s, start, from);
    const after = flankAfter(s, end, to);
    const isLeft = after === 0 || (after === PUNCTUATION && before !== 0);
    const isRight = before === 0 || (before === PUNCTUATION && after !== 0);
    const inWord = character === UNDERSCORE;
    const canOpen = isLeft && (!inWord || !isRight || before === PUNCTUATION);
    const canClose = isRight && (!inWord || !isLeft || after === PUNCTUATION);
    if (!canOpen && !canClose) return undefined;
    const run = new Run(new Edit("run", start, end), character, { canOpen, canClose });
    run.previous = this.top;
    if (this.top !== undefined) this.top.next = run;
    this.top = run;
    return run.edit;
  }

  /** Takes the runs from place `bottom` on from the stack: they are text. */
  drop(bottom: number): void {
    while (this.top !== undefined && this.top.edit.start >= bottom) this.top = this.top.previous;
    if (this.top !== undefined) this.top.next = undefined;
  }

  /** Matches the runs from place `bottom` on, and takes them from the stack. */
  match(bottom: number): void {
    let closer = this.top;
    if (closer === undefined || closer.edit.start < bottom) return;
    while (closer.previous !== undefined && closer.previous.edit.start >= bottom) {
      closer = closer.previous;
    }
    const below: Run | undefined = closer.previous;
    this.bottoms.fill(bottom);
    while (closer !== undefined) closer = closer.canClose ? this.close(closer) : closer.next;
    this.top = below;
    if (below !== undefined) below.next = undefined;
  }

  /** Finds the opener of `closer`; the run at which matching goes on. */
  private close(closer: Run): Run | undefined {
    const kind = kindOf(closer);
    const bottom = this.bottoms[kind] as number;
    let opener = closer.previous;
    while (opener !== undefined && opener.edit.start >= bottom) {
      if (opener.canOpen && isPair(opener, closer)) break;
      opener = opener.previous;
    }
    const next = closer.next;
    if (opener === undefined || opener.edit.start < bottom) {
      this.bottoms[kind] = closer.edit.start;
      if (!closer.canOpen) unlink(closer);
      return next;
    }
    emphasize(opener, closer);
    // Runs between the two can no longer match anything.
    opener.next = closer;
    closer.previous = opener;
    if (opener.left === 0) unlink(opener);
    if (closer.left > 0) return closer;
    unlink(closer);
    return next;
  }
}

/** Openers differ by character, by whether the closer could open, and by its length modulo 3 (rule 9 and 10). */
const KINDS = 14;

function kindOf({ character, canOpen, length }: Run): number {
  if (character === TILDE) return 11 + length;
  return (character === UNDERSCORE ? 6 : 0) + (canOpen ? 3 : 0) + (length % 3);
}

function isPair(opener: Run, closer: Run): boolean {
  if (opener.character !== closer.character) return false;
  if (closer.character === TILDE) return opener.length === closer.length;
  const isBoth = closer.canOpen || opener.canClose;
  return !isBoth || closer.length % 3 === 0 || (opener.length + closer.length) % 3 !== 0;
}

/** Uses up the delimiters next to the text: of an opener the last ones, of a closer the first ones. */
function emphasize(opener: Run, closer: Run): void {
  const used = opener.left >= 2 && closer.left >= 2 ? 2 : 1;
  const emphasis: Emphasis =
    closer.character === TILDE ? (used === 2 ? "D" : "d") : used === 2 ? "s" : "e";
  opener.left -= used;
  closer.left -= used;
  opener.edit.opens = emphasis + opener.edit.opens;
  closer.edit.closes += emphasis;
}

function unlink(run: Run): void {
  if (run.previous !== undefined) run.previous.next = run.next;
  if (run.next !== undefined) run.next.previous = run.previous;
}
