import { Block } from "./blocks.ts";
import { NEWLINE } from "./characters.ts";
import type { LineText } from "./line-text.ts";
import { readDefinition } from "./link-scanner.ts";
import type { References } from "./references.ts";
import { skipBlanks, skipWhite, trimEnd } from "./scan.ts";

const OPEN_BRACKET = 91;

/** Returns the paragraph of the lines without the definitions at its start; undefined if nothing else is left. */
export function finishParagraph(lines: LineText, references: References): Block | undefined {
  const { text, from, to } = lines.range;
  const end = trimEnd(text, from, to);
  let start = from;
  while (start < end && text.charCodeAt(start) === OPEN_BRACKET) {
    const definition = readDefinition(text, start, end);
    if (definition === undefined) break;
    references.define(definition);
    start = definition.end;
  }
  return start < end ? new Block("paragraph", text, start, end) : undefined;
}

/**
 * Moves `[ ]` or `[x]` and white space before the text of an item into `info` (GFM, section 5.3). Returns whether there
 * was one.
 */
export function readTask(paragraph: Block): boolean {
  const { text, from, to } = paragraph;
  if (text.charCodeAt(from) !== OPEN_BRACKET || text.charCodeAt(from + 2) !== 93) return false;
  const mark = text.charAt(from + 1);
  if (mark !== " " && mark !== "x" && mark !== "X") return false;
  const start = skipWhite(text, from + 3, to);
  if (start === from + 3 || start >= to) return false;
  paragraph.info = mark.toLowerCase();
  paragraph.from = start;
  return true;
}

const ALERTS = new Set(["note", "tip", "important", "warning", "caution"]);
/** The length of `[!` and the longest name. */
const NAME_CHARS_MAX = 2 + "important".length;

/** Reads `[!NOTE]` alone on the first line: the alert's name, and the start of the text after it. */
export function readAlert({
  text,
  from,
  to,
}: Block): { name: string; restFrom: number } | undefined {
  if (!text.startsWith("[!", from)) return undefined;
  let end = from + 2;
  while (end < from + NAME_CHARS_MAX && text.charCodeAt(end) !== 93) end++;
  if (text.charCodeAt(end) !== 93) return undefined;
  const name = text.slice(from + 2, end).toLowerCase();
  if (!ALERTS.has(name)) return undefined;
  const restFrom = skipBlanks(text, end + 1, to);
  if (restFrom < to && text.charCodeAt(restFrom) !== NEWLINE) return undefined;
  return { name, restFrom: Math.min(restFrom + 1, to) };
}
