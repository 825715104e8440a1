import { Block } from "./blocks.ts";
import { OPENING_TAGS, type SafeElement } from "./safe-elements.ts";

/**
 * Where elements of raw HTML can open and close among the open containers and elements. Nothing reaches across the border of a
 * quote, item or footnote, so what is opened in one ends with it.
 */
type Open = readonly Block[];

/** The element at a place; undefined for a container of Markdown. */
export function elementAt(open: Open, place: number): SafeElement | undefined {
  const block = open[place];
  return block?.kind === "element" ? block.html?.tag?.element : undefined;
}

/** Returns the place of the element that a closing tag ends; -1 for none. Only tags of tables end what is around a cell. */
export function placeOfEnd(open: Open, name: string): number {
  for (let place = open.length - 1; ; place--) {
    const element = elementAt(open, place);
    if (element === undefined) return -1;
    if (element.name === name) return place;
    if (CELLS.has(element.name) && !TABLE_PARTS.has(name)) return -1;
  }
}

/** Returns the place of the nearest element in which this one can stand directly; -1 for none within the nearest table. */
export function placeOfParent(open: Open, { parents }: SafeElement): number {
  for (let place = open.length - 1; ; place--) {
    const name = elementAt(open, place)?.name;
    if (name === undefined) return -1;
    if (parents.includes(name)) return place;
    if (name === "table") return -1;
  }
}

/** The parent that opens where an element needs one, as in browsers. */
export function impliedParent(name: string): Block | undefined {
  const tag = OPENING_TAGS.get(IMPLIED_PARENTS[name] ?? "");
  if (tag === undefined) return undefined;
  const block = new Block("element");
  block.html = { tag, tags: [] };
  return block;
}

const IMPLIED_PARENTS: Record<string, string> = { tr: "tbody", th: "tr", td: "tr" };
const CELLS = new Set(["td", "th"]);
const TABLE_PARTS = new Set(["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"]);
