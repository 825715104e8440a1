import type { Align } from "./blocks.ts";
import { BACKSLASH } from "./characters.ts";
import { skipBlanks, trimEnd } from "./scan.ts";

const PIPE = 124;
const COLON = 58;
const DASH = 45;

/** Reads the delimiter row `| --- | :-: |` from `pos` to `end` (GFM, section 4.10): the columns, or undefined. */
export function readDelimiterRow(s: string, pos: number, end: number): Align[] | undefined {
  const columns: Align[] = [];
  const to = trimEnd(s, pos, end);
  let at = s.charCodeAt(pos) === PIPE ? pos + 1 : pos;
  while (at < to) {
    at = skipBlanks(s, at, to);
    const isLeft = s.charCodeAt(at) === COLON;
    if (isLeft) at++;
    const dashes = at;
    while (at < to && s.charCodeAt(at) === DASH) at++;
    if (at === dashes) return undefined;
    const isRight = at < to && s.charCodeAt(at) === COLON;
    if (isRight) at++;
    columns.push(isLeft ? (isRight ? "center" : "left") : isRight ? "right" : "");
    at = skipBlanks(s, at, to);
    if (at < to && s.charCodeAt(at) !== PIPE) return undefined;
    at++;
  }
  return columns.length > 0 ? columns : undefined;
}

/**
 * Reads the cells of the row from `pos` to `end`, at most `count`. Calls `take` with the range of each cell and whether
 * it contains an escaped pipe. A pipe behind a backslash is escaped, however many backslashes precede that one, as in
 * cmark-gfm. Returns the number of cells.
 */
export function eachCell(
  s: string,
  pos: number,
  end: number,
  count: number,
  take: (from: number, to: number, hasPipe: boolean) => void,
): number {
  const to = trimEnd(s, pos, end);
  let at = skipBlanks(s, pos, to);
  if (s.charCodeAt(at) === PIPE) at++;
  let cells = 0;
  while (at < to && cells < count) {
    let cellEnd = at;
    let hasPipe = false;
    for (; cellEnd < to; cellEnd++) {
      if (s.charCodeAt(cellEnd) !== PIPE) continue;
      if (s.charCodeAt(cellEnd - 1) !== BACKSLASH) break;
      hasPipe = true;
    }
    const from = skipBlanks(s, at, cellEnd);
    take(from, trimEnd(s, from, cellEnd), hasPipe);
    cells++;
    at = cellEnd + 1;
  }
  return cells;
}

/** GFM: `\|` is a pipe in a cell, even within a code span. */
export function unescapePipes(cell: string): string {
  return cell.replaceAll("\\|", "|");
}
