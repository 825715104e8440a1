import { type LongText, LongTextWriter } from "../long-text.ts";

const PIECES_MAX = 1024;

/**
 * Collects a long text from short pieces. Joining a thousand pieces at a time avoids intermediate strings: a megabyte
 * of list markers takes half the time of appending each piece to the text.
 */
export class Output {
  private pieces: string[] = [];
  private count = 0;
  private joined = "";
  private readonly long: LongTextWriter | undefined;

  /** `inBlocks`: a long text is never held as one string. */
  constructor(inBlocks: boolean) {
    this.long = inBlocks ? new LongTextWriter() : undefined;
  }

  add(piece: string): void {
    this.pieces[this.count++] = piece;
    if (this.count === PIECES_MAX) this.join();
  }

  get text(): string | LongText {
    this.join();
    return this.long === undefined ? this.joined : this.long.end();
  }

  private join(): void {
    if (this.count < this.pieces.length) this.pieces.length = this.count;
    const piece = this.pieces.join("");
    if (this.long === undefined) this.joined += piece;
    else this.long.add(piece);
    this.count = 0;
  }
}
