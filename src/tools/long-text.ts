import { encodeUtf8, isPair } from "./text.ts";

/** A long text is held and sent in pieces of this length. */
export const PIECE_CHARS = 64 * 1024;
/** Shorter texts are sent whole: pieces would cost half as much again (docs/decisions/0010). */
export const LONG_TEXT_CHARS = 2 * PIECE_CHARS;

/**
 * A long text for runtimes with little memory, as blocks of UTF-8. An engine stores a string with any character beyond
 * Latin-1 in two bytes for each of its characters, and it needs that memory twice while it joins the parts of a string.
 */
export type LongText = {
  readonly blocks: readonly Uint8Array[];
  readonly bytes: number;
};

export const isLongText = (value: unknown): value is LongText =>
  typeof value === "object" && value !== null && "blocks" in value;

/** Collects a text in blocks. */
export class LongTextWriter {
  private readonly blocks: Uint8Array[] = [];
  private bytes = 0;
  private rest = "";

  add(text: string): void {
    this.rest += text;
    if (this.rest.length <= LONG_TEXT_CHARS) return;
    let from = 0;
    // The last piece stays, because it may end within a surrogate pair.
    while (this.rest.length - from > PIECE_CHARS) {
      const to = endOfPiece(this.rest, from);
      this.push(this.rest.slice(from, to));
      from = to;
    }
    this.rest = this.rest.slice(from);
  }

  /** The text that was added: a string if it is not long. */
  end(): string | LongText {
    if (this.bytes === 0) return this.rest;
    if (this.rest !== "") this.push(this.rest);
    this.rest = "";
    return { blocks: this.blocks, bytes: this.bytes };
  }

  private push(text: string): void {
    const block = encodeUtf8(text);
    this.blocks.push(block);
    this.bytes += block.byteLength;
  }
}

/** Never splits a surrogate pair: alone, each half would be encoded as U+FFFD. */
export function endOfPiece(text: string, from: number): number {
  const end = from + PIECE_CHARS;
  if (end >= text.length) return text.length;
  return isPair(text, end - 1) ? end - 1 : end;
}
