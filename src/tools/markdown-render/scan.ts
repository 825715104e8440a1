import { isBlank, isIn, WHITE } from "./characters.ts";

/** Places in a text between `pos` and `to`, as the scanners need them. */

/** The position after the white space at `pos`. */
export function skipWhite(s: string, pos: number, to: number): number {
  let end = pos;
  while (end < to && isIn(s.charCodeAt(end), WHITE)) end++;
  return end;
}

/** The position after the spaces and tabs at `pos`. */
export function skipBlanks(s: string, pos: number, to: number): number {
  let end = pos;
  while (end < to && isBlank(s.charCodeAt(end))) end++;
  return end;
}

/** The end of the text without the white space at its end. */
export function trimEnd(s: string, pos: number, to: number): number {
  let end = to;
  while (end > pos && isIn(s.charCodeAt(end - 1), WHITE)) end--;
  return end;
}
