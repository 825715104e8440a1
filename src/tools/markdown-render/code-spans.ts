import { BACKTICK } from "./characters.ts";

/** The code spans of one paragraph (CommonMark, section 6.1). */
export class CodeSpans {
  private readonly s: string;
  private readonly to: number;
  /** The last run of each length. Known once a search for a closing run has found none. */
  private lastRuns: Map<number, number> | undefined;

  constructor(s: string, to: number) {
    this.s = s;
    this.to = to;
  }

  /**
   * Returns the position after the run that closes the run of `length` backticks ending at `pos`; -1 if there is none.
   */
  close(pos: number, length: number): number {
    if (this.lastRuns !== undefined && (this.lastRuns.get(length) ?? -1) < pos) return -1;
    let seen: Map<number, number> | undefined;
    let at = pos;
    while (at < this.to) {
      if (this.s.charCodeAt(at) !== BACKTICK) {
        at++;
        continue;
      }
      const end = skipBackticks(this.s, at, this.to);
      if (end - at === length) return end;
      seen ??= new Map();
      seen.set(end - at, at);
      at = end;
    }
    this.lastRuns ??= seen ?? new Map();
    return -1;
  }
}

export function skipBackticks(s: string, pos: number, to: number): number {
  let end = pos;
  while (end < to && s.charCodeAt(end) === BACKTICK) end++;
  return end;
}

/** Line endings become spaces, and one space is removed at each end unless the span has only spaces. */
export function codeContent(s: string, from: number, to: number): string {
  let content = s.slice(from, to);
  if (content.includes("\n")) content = content.replaceAll("\n", " ");
  const isPadded = content.startsWith(" ") && content.endsWith(" ") && /[^ ]/.test(content);
  return isPadded ? content.slice(1, -1) : content;
}
