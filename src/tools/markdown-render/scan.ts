import { isBlank, isIn, WHITE } from "./characters.ts";

/** Functions of the scanners that find positions between `pos` and `to`. */

/** Returns the position after the white space at `pos`. */
export function skipWhite(s: string, pos: number, to: number): number {
  let end = pos;
  while (end < to && isIn(s.charCodeAt(end), WHITE)) end++;
  return end;
}

/** Returns the position after the spaces and tabs at `pos`. */
export function skipBlanks(s: string, pos: number, to: number): number {
  let end = pos;
  while (end < to && isBlank(s.charCodeAt(end))) end++;
  return end;
}

/** Returns the end of the text without its trailing white space. */
export function trimEnd(s: string, pos: number, to: number): number {
  let end = to;
  while (end > pos && isIn(s.charCodeAt(end - 1), WHITE)) end--;
  return end;
}
