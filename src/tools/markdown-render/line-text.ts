/**
 * The lines of a leaf block without the prefixes of its containers. Lines that are adjacent in the source are kept as
 * one range; a string is built only if something between the lines was left out.
 */
export class LineText {
  private readonly source: string;
  private text = "";
  private from = 0;
  private to = 0;
  private lastFrom = 0;

  constructor(source: string) {
    this.source = source;
  }

  clear(): void {
    this.text = "";
    this.from = this.to = 0;
  }

  /** Adds `spaces` spaces and the source from `from` to after the line's end at `to`. */
  add(from: number, to: number, spaces = 0): void {
    if (from !== this.to || spaces > 0) {
      this.text += this.source.slice(this.from, this.to) + " ".repeat(spaces);
      this.from = from;
    }
    this.lastFrom = from;
    this.to = to;
  }

  /** The range of the last line in the source, without its line ending. */
  get last(): { from: number; to: number } {
    return { from: this.lastFrom, to: this.to - 1 };
  }

  removeLast(): void {
    this.to = this.lastFrom;
  }

  /** The string that contains the lines, and their range in it. */
  get range(): { text: string; from: number; to: number } {
    if (this.text === "") return { text: this.source, from: this.from, to: this.to };
    const text = this.text + this.source.slice(this.from, this.to);
    return { text, from: 0, to: text.length };
  }
}
