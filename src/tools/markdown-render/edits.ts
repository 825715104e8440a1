import type { Tag } from "./safe-elements.ts";

/**
 * The result of the inline phase: a list of edits to the text of a paragraph, in order of position. Text between edits
 * is unchanged, so plain prose has no edits at all.
 *
 * The list consists of columns of numbers rather than objects: a hostile megabyte has a million edits, and collecting
 * as many objects as garbage took ten times as long as creating them.
 */

/** No edit: a bracket or a run of delimiters that turned out to be text. */
export const KEEP = 0;
/** The range is removed: a backslash, an HTML tag, the brackets of a link whose URL is not allowed. */
export const DROP = 1;
/** The range becomes `value` as text: a character reference, or the address of a link that is not allowed. */
export const TEXT = 2;
/** The range becomes a code span with the content `value`. */
export const CODE = 3;
/** A hard line break. */
export const BREAK = 4;
/** A run of `*`, `_` or `~`, some of which are marked as opening or closing emphasis. */
export const RUN = 5;
/** The range starting with `[`: a link opens. `value` is its address, `title` its title. */
export const LINK = 6;
/** The range starting with `]`: a link ends. `value` is its address. */
export const LINK_END = 7;
/** As for links. The text in between is the description; the end has the title too. */
export const IMAGE = 8;
export const IMAGE_END = 9;
/** The range becomes a link to `title` with the text `value`. */
export const AUTOLINK = 10;
/** An address without brackets may start here. It is a link unless it turns out to be within one. */
export const CANDIDATE = 11;
/** A reference to the footnote with the id `number`. */
export const FOOTNOTE = 12;
/** The range, raw HTML, becomes `value` as text: the description of `<img>`, or the space that `<br>` leaves. */
export const RAW_TEXT = 13;

/** The range, a tag, starts or ends the element `value`: `sup` or `sub`. `title` is what stands for the tag in plain text. */
export const SCRIPT = 15;
export const SCRIPT_END = 16;
/** The range becomes the formula `value`, with its marks; its title is the class of its element. */
export const MATH = 17;
/** The range, raw HTML, is written as the tag with the index `number`; only with `html: "safe"`. */
export const TAG = 18;

/**
 * Marks of delimiters: emphasis, strong emphasis, deletion with one and with two tildes. A closing mark is four more.
 */
export const EMPHASIS = 1;
export const STRONG = 2;
export const DELETION = 3;
export const WIDE_DELETION = 4;
export const CLOSING = 4;

/** How many characters of a run a mark takes. */
export const markChars = (mark: number) => (mark % 2 === 0 ? 2 : 1);

/**
 * The first length of a column. V8 keeps arrays of up to 64 bytes in its own heap and allocates them ten times as fast
 * as longer ones, which counts in short documents.
 */
export const COLUMN_LENGTH = 16;
/** Longer columns are not kept for the next document. */
export const COLUMN_LENGTH_KEPT = 4096;

export class EditList {
  count = 0;
  private kinds = new Uint8Array(COLUMN_LENGTH);
  private starts = new Int32Array(COLUMN_LENGTH);
  private ends = new Int32Array(COLUMN_LENGTH);
  /** The number of an edit, or the index of its value in `strings`, which its title follows. */
  private numbers = new Int32Array(COLUMN_LENGTH);
  private strings: (string | undefined)[] = [];
  private readonly tags: Tag[] = [];
  /** For each character of the text, starting at `base`: the mark of the delimiters that start there, or 0. */
  private marks = new Uint8Array(64);
  private base = 0;

  get isLong(): boolean {
    return Math.max(this.kinds.length, this.marks.length) > COLUMN_LENGTH_KEPT;
  }

  /** Empties the list for a text that starts at `base`. */
  clear(base: number): void {
    this.count = 0;
    if (this.strings.length > 0) this.strings.length = 0;
    if (this.tags.length > 0) this.tags.length = 0;
    this.base = base;
  }

  /** Returns the edits and empties the list. The marks of runs and the values stay, so that numbers keep their meaning. */
  take(): EditList {
    const taken = new EditList();
    [taken.count, this.count] = [this.count, 0];
    [taken.kinds, this.kinds] = [this.kinds, taken.kinds];
    [taken.starts, this.starts] = [this.starts, taken.starts];
    [taken.ends, this.ends] = [this.ends, taken.ends];
    [taken.numbers, this.numbers] = [this.numbers, taken.numbers];
    taken.strings = this.strings;
    return taken;
  }

  /** Removes the edits from `index` on. */
  truncate(index: number): void {
    this.count = index;
  }

  add(kind: number, start: number, end: number): number {
    const index = this.count++;
    if (index === this.kinds.length) this.grow();
    this.kinds[index] = kind;
    this.starts[index] = start;
    this.ends[index] = end;
    return index;
  }

  addText(kind: number, start: number, end: number, value: string, title?: string): number {
    const index = this.add(kind, start, end);
    this.setText(index, kind, value, title);
    return index;
  }

  addNumber(kind: number, start: number, end: number, number: number): number {
    const index = this.add(kind, start, end);
    this.numbers[index] = number;
    return index;
  }

  addTag(start: number, end: number, tag: Tag): void {
    this.addNumber(TAG, start, end, this.tags.push(tag) - 1);
  }

  get hasTags(): boolean {
    return this.tags.length > 0;
  }

  tag(index: number): Tag {
    return this.tags[this.numbers[index] as number] as Tag;
  }

  setText(index: number, kind: number, value: string, title?: string): void {
    this.kinds[index] = kind;
    this.numbers[index] = this.strings.push(value, title) - 2;
  }

  kind(index: number): number {
    return this.kinds[index] as number;
  }

  start(index: number): number {
    return this.starts[index] as number;
  }

  end(index: number): number {
    return this.ends[index] as number;
  }

  number(index: number): number {
    return this.numbers[index] as number;
  }

  value(index: number): string {
    return this.strings[this.numbers[index] as number] ?? "";
  }

  title(index: number): string | undefined {
    return this.strings[(this.numbers[index] as number) + 1];
  }

  setKind(index: number, kind: number): void {
    this.kinds[index] = kind;
  }

  setRange(index: number, start: number, end: number): void {
    this.starts[index] = start;
    this.ends[index] = end;
  }

  /** Exchanges the kinds and values of two edits, and leaves their ranges. */
  swap(index: number, other: number): void {
    const [kind, number] = [this.kind(index), this.number(index)];
    this.kinds[index] = this.kind(other);
    this.numbers[index] = this.number(other);
    this.kinds[other] = kind;
    this.numbers[other] = number;
  }

  /** Returns the end of the last edit; `from` if there is none. */
  lastEnd(from: number): number {
    return this.count === 0 ? from : this.end(this.count - 1);
  }

  /** Adds a run of delimiters, which is text until one of them is marked. */
  addRun(start: number, end: number): number {
    if (end - this.base > this.marks.length) {
      const larger = new Uint8Array(2 * (end - this.base));
      larger.set(this.marks);
      this.marks = larger;
    }
    this.marks.fill(0, start - this.base, end - this.base);
    return this.add(KEEP, start, end);
  }

  /** Marks the delimiters of a run that start at `pos`. */
  mark(index: number, pos: number, mark: number): void {
    this.kinds[index] = RUN;
    this.marks[pos - this.base] = mark;
  }

  markAt(pos: number): number {
    return this.marks[pos - this.base] as number;
  }

  private grow(): void {
    const length = 2 * this.kinds.length;
    const kinds = new Uint8Array(length);
    kinds.set(this.kinds);
    this.kinds = kinds;
    this.starts = grown(this.starts, length);
    this.ends = grown(this.ends, length);
    this.numbers = grown(this.numbers, length);
  }
}

/** Copies the numbers into a longer array. */
export function grown(numbers: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(numbers);
  return larger;
}

/** What a tag shows as text. */
export const describeTag = ({ element, alt }: Tag) => (element.name === "br" ? "\n" : alt);

/** Returns what edit `index` adds to the description of an image, which is text only. */
export function describe(edits: EditList, index: number): string {
  const kind = edits.kind(index);
  if (kind === BREAK) return "\n";
  if (kind === SCRIPT || kind === SCRIPT_END) return edits.title(index) ?? "";
  if (kind === TAG) return describeTag(edits.tag(index));
  const isText = kind === TEXT || kind === RAW_TEXT || kind === MATH;
  return isText || kind === CODE || kind === AUTOLINK ? edits.value(index) : "";
}

/** What is left of a run of delimiters as text. A deletion keeps its tildes where `keepsDeletions` is true. */
export function unmarked(
  s: string,
  start: number,
  end: number,
  edits: EditList,
  keepsDeletions: boolean,
): string {
  if (keepsDeletions && s.charAt(start) === "~") return s.slice(start, end);
  let text = "";
  for (let at = start; at < end; ) {
    const mark = edits.markAt(at);
    if (mark === 0) text += s.charAt(at);
    at += mark === 0 ? 1 : markChars(mark);
  }
  return text;
}
