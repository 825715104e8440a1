import { flankAfter, flankBefore, PUNCTUATION } from "./characters.ts";
import {
  CLOSING,
  COLUMN_LENGTH,
  COLUMN_LENGTH_KEPT,
  DELETION,
  type EditList,
  EMPHASIS,
  grown,
  STRONG,
  WIDE_DELETION,
} from "./edits.ts";

const UNDERSCORE = 95;
const TILDE = 126;
const NONE = -1;

/** Bits of a run: it can open, it can close. The bits below them are the result of `kindOf`. */
const CAN_OPEN = 32;
const CAN_CLOSE = 16;
const KIND = 15;

/**
 * The delimiter stack of one paragraph (CommonMark, section 6.2 and appendix A): runs are pushed in the order of the
 * text, and `match` pairs them. A run is a number, and the stack is a linked list in columns of numbers, for the same
 * reason as the edits.
 */
export class DelimiterStack {
  private readonly edits: EditList;
  private count = 0;
  private top = NONE;
  private edit = new Int32Array(COLUMN_LENGTH);
  private start = new Int32Array(COLUMN_LENGTH);
  private length = new Int32Array(COLUMN_LENGTH);
  /** The start and end of the unused delimiters. A run closes from its start and opens from its end. */
  private unusedFrom = new Int32Array(COLUMN_LENGTH);
  private unusedTo = new Int32Array(COLUMN_LENGTH);
  private traits = new Int32Array(COLUMN_LENGTH);
  private previous = new Int32Array(COLUMN_LENGTH);
  private next = new Int32Array(COLUMN_LENGTH);
  /** For each kind of closer, the place before which there is no opener for it. This makes pairing linear. */
  private readonly bottoms = new Int32Array(KINDS);

  constructor(edits: EditList) {
    this.edits = edits;
  }

  get isLong(): boolean {
    return this.edit.length > COLUMN_LENGTH_KEPT;
  }

  clear(): void {
    this.count = 0;
    this.top = NONE;
  }

  /** Whether the paragraph has no run that can open or close emphasis yet. */
  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Pushes the run from `start` to `end` if it can open or close emphasis. */
  push(s: string, start: number, end: number, from: number, to: number): void {
    const character = s.charCodeAt(start);
    // GFM, section 6.5: strikethrough has one or two tildes, never more.
    if (character === TILDE && end - start > 2) return;
    // cmark-gfm leaves tildes out when it judges what is beside `*` or `_`, so that `**~~$10~~**now` is emphasis.
    let left = start;
    let right = end;
    if (character !== TILDE) {
      while (left > from && s.charCodeAt(left - 1) === TILDE) left--;
      while (right < to && s.charCodeAt(right) === TILDE) right++;
    }
    const before = flankBefore(s, left, from);
    const after = flankAfter(s, right, to);
    const isLeft = after === 0 || (after === PUNCTUATION && before !== 0);
    const isRight = before === 0 || (before === PUNCTUATION && after !== 0);
    const inWord = character === UNDERSCORE;
    const canOpen = isLeft && (!inWord || !isRight || before === PUNCTUATION);
    const canClose = isRight && (!inWord || !isLeft || after === PUNCTUATION);
    if (!canOpen && !canClose) return;
    const run = this.count++;
    if (run === this.edit.length) this.grow();
    this.edit[run] = this.edits.addRun(start, end);
    this.start[run] = start;
    this.length[run] = end - start;
    this.unusedFrom[run] = start;
    this.unusedTo[run] = end;
    this.traits[run] =
      kindOf(character, canOpen, end - start) |
      (canOpen ? CAN_OPEN : 0) |
      (canClose ? CAN_CLOSE : 0);
    this.previous[run] = this.top;
    this.next[run] = NONE;
    if (this.top !== NONE) this.next[this.top] = run;
    this.top = run;
  }

  /** Removes the runs from place `bottom` on from the stack; they are text. */
  drop(bottom: number): void {
    while (this.top !== NONE && this.startOf(this.top) >= bottom) this.cut(this.top);
  }

  /** Pairs the runs from place `bottom` on and removes them from the stack. */
  match(bottom: number): void {
    let closer = this.top;
    if (closer === NONE || this.startOf(closer) < bottom) return;
    for (;;) {
      const previous = this.previous[closer] as number;
      if (previous === NONE || this.startOf(previous) < bottom) break;
      closer = previous;
    }
    const first = closer;
    const below = this.previous[first] as number;
    this.bottoms.fill(bottom);
    while (closer !== NONE) {
      const canClose = (this.traits[closer] as number) & CAN_CLOSE;
      closer = canClose ? this.close(closer) : (this.next[closer] as number);
    }
    this.top = below;
    if (below !== NONE) this.next[below] = NONE;
  }

  /** Finds the opener of `closer` and returns the run at which pairing continues. */
  private close(closer: number): number {
    const traits = this.traits[closer] as number;
    const bottom = this.bottoms[traits & KIND] as number;
    let opener = this.previous[closer] as number;
    while (opener !== NONE && this.startOf(opener) >= bottom) {
      if ((this.traits[opener] as number) & CAN_OPEN && this.isPair(opener, closer)) break;
      opener = this.previous[opener] as number;
    }
    const next = this.next[closer] as number;
    if (opener === NONE || this.startOf(opener) < bottom) {
      this.bottoms[traits & KIND] = this.startOf(closer);
      if ((traits & CAN_OPEN) === 0) this.cut(closer);
      return next;
    }
    this.emphasize(opener, closer);
    // Runs between the two can no longer match anything.
    this.next[opener] = closer;
    this.previous[closer] = opener;
    if (this.unused(opener) === 0) this.cut(opener);
    if (this.unused(closer) > 0) return closer;
    this.cut(closer);
    return next;
  }

  /**
   * Rules 9 and 10: if one of two runs can both open and close, their lengths must not add up to a multiple of three.
   */
  private isPair(opener: number, closer: number): boolean {
    const openerTraits = this.traits[opener] as number;
    const closerTraits = this.traits[closer] as number;
    const family = familyOf(closerTraits);
    if (familyOf(openerTraits) !== family) return false;
    const openerLength = this.length[opener] as number;
    const closerLength = this.length[closer] as number;
    if (family === TILDE) return openerLength === closerLength;
    const isBoth = (closerTraits & CAN_OPEN) !== 0 || (openerTraits & CAN_CLOSE) !== 0;
    return !isBoth || closerLength % 3 === 0 || (openerLength + closerLength) % 3 !== 0;
  }

  /** Uses the delimiters next to the text: the last ones of an opener, the first ones of a closer. */
  private emphasize(opener: number, closer: number): void {
    const used = this.unused(opener) >= 2 && this.unused(closer) >= 2 ? 2 : 1;
    const isDeletion = familyOf(this.traits[closer] as number) === TILDE;
    const wide = isDeletion ? WIDE_DELETION : STRONG;
    const mark = used === 2 ? wide : isDeletion ? DELETION : EMPHASIS;
    const openerPos = (this.unusedTo[opener] as number) - used;
    const closerPos = this.unusedFrom[closer] as number;
    this.unusedTo[opener] = openerPos;
    this.unusedFrom[closer] = closerPos + used;
    this.edits.mark(this.edit[opener] as number, openerPos, mark);
    this.edits.mark(this.edit[closer] as number, closerPos, mark + CLOSING);
  }

  private unused(run: number): number {
    return (this.unusedTo[run] as number) - (this.unusedFrom[run] as number);
  }

  private startOf(run: number): number {
    return this.start[run] as number;
  }

  private cut(run: number): void {
    const previous = this.previous[run] as number;
    const next = this.next[run] as number;
    if (previous !== NONE) this.next[previous] = next;
    if (next !== NONE) this.previous[next] = previous;
    if (this.top === run) this.top = previous;
  }

  private grow(): void {
    const length = 2 * this.edit.length;
    this.edit = grown(this.edit, length);
    this.start = grown(this.start, length);
    this.length = grown(this.length, length);
    this.unusedFrom = grown(this.unusedFrom, length);
    this.unusedTo = grown(this.unusedTo, length);
    this.traits = grown(this.traits, length);
    this.previous = grown(this.previous, length);
    this.next = grown(this.next, length);
  }
}

/** Which openers a closer looks for depends on its character, whether it can also open, and its length modulo 3. */
const KINDS = 14;

function kindOf(character: number, canOpen: boolean, length: number): number {
  if (character === TILDE) return 11 + length;
  return (character === UNDERSCORE ? 6 : 0) + (canOpen ? 3 : 0) + (length % 3);
}

/** Returns a number for the character of a run; 0 for an asterisk. */
function familyOf(traits: number): number {
  const kind = traits & KIND;
  return kind > 11 ? TILDE : kind > 5 ? UNDERSCORE : 0;
}
