import { SPACE, TAB } from "./characters.ts";

/**
 * A line of the source and how far it has been read, in characters and columns. A tab extends to the next multiple of
 * four columns and can be read in part (CommonMark, section 2.2).
 */
export class LineCursor {
  readonly source: string;
  /** The start and end of the line, without its newline. */
  start = 0;
  end = 0;
  pos = 0;
  private column = 0;
  private isInTab = false;
  /** The next non-blank character, and its distance in columns. */
  next = 0;
  private nextColumn = 0;
  indent = 0;

  constructor(source: string) {
    this.source = source;
  }

  begin(start: number, end: number): void {
    this.start = this.pos = start;
    this.end = end;
    this.column = 0;
    this.isInTab = false;
    this.look();
  }

  /** Whether the rest of the line is blank. */
  get isBlank(): boolean {
    return this.next >= this.end;
  }

  /** Returns the spaces that remain of a partly read tab. */
  get spaces(): number {
    return this.isInTab ? 4 - (this.column % 4) : 0;
  }

  /** Returns the start of the rest of the line, after such a tab. */
  get rest(): number {
    return this.isInTab ? this.pos + 1 : this.pos;
  }

  /** Reads up to the next non-blank character. */
  skipBlanks(): void {
    this.pos = this.next;
    this.column = this.nextColumn;
    this.isInTab = false;
    this.indent = 0;
  }

  /** Reads `count` non-blank characters. */
  skipCharacters(count: number): void {
    this.pos += count;
    this.column += count;
    this.isInTab = false;
    this.look();
  }

  /** Reads up to `count` columns of blanks. */
  skipColumns(count: number): void {
    let left = count;
    while (left > 0 && this.pos < this.end) {
      const c = this.source.charCodeAt(this.pos);
      if (c === TAB) {
        const width = 4 - (this.column % 4);
        this.isInTab = width > left;
        if (width > left) {
          this.column += left;
          break;
        }
        this.column += width;
        left -= width;
      } else if (c === SPACE) {
        this.isInTab = false;
        this.column++;
        left--;
      } else break;
      this.pos++;
    }
    // Only blanks were read, so `next` is unchanged. Not searching again matters, because a line can be in a hundred
    // containers.
    this.indent = this.nextColumn - this.column;
  }

  private look(): void {
    let next = this.pos;
    let column = this.column;
    for (; next < this.end; next++) {
      const c = this.source.charCodeAt(next);
      if (c === SPACE) column++;
      else if (c === TAB) column += 4 - (column % 4);
      else break;
    }
    this.next = next;
    this.nextColumn = column;
    this.indent = column - this.column;
  }
}
