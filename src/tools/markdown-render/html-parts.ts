import type { Footnote } from "./footnotes.ts";

/** The tags of a table's cells by column alignment, made once: a megabyte can have 500,000 cells. */
const cellTags = (name: "th" | "td", align: string) => ({
  open: align === "" ? `<${name}>` : `<${name} align="${align}">`,
  close: `</${name}>\n`,
});

const cellsOf = (name: "th" | "td") => ({
  "": cellTags(name, ""),
  left: cellTags(name, "left"),
  center: cellTags(name, "center"),
  right: cellTags(name, "right"),
});

export const HEAD_CELLS = cellsOf("th");
export const BODY_CELLS = cellsOf("td");

/** The ids of a rendered document must not clash with those of the page around it, so they have a prefix of their own. */
export const ID_PREFIX = "user-content-";

/** The id of a footnote has a number, and nothing from the document. */
export const footnoteId = ({ number }: Footnote) => `${ID_PREFIX}fn${number}`;

/** True for every id that is made here. */
export const isFootnoteId = (id: string) => /^user-content-fn(?:ref)?\d+(?:-\d+)?$/.test(id);

/** The id of the first reference to a footnote ends with the footnote's number; later ones append their own number. */
function referenceId({ number }: Footnote, use: number): string {
  const id = `${ID_PREFIX}fnref${number}`;
  return use === 1 ? id : `${id}-${use}`;
}

/** Returns the next reference to a footnote. */
export function referenceLink(footnote: Footnote): string {
  const { number, written, waysBack } = footnote;
  const id = written > waysBack ? "" : ` id="${referenceId(footnote, written)}"`;
  return `<sup class="footnote-ref"><a href="#${footnoteId(footnote)}"${id} data-footnote-ref="" aria-label="Footnote ${number}">${number}</a></sup>`;
}

/** Returns the links from a footnote back to its references. */
export function backReferences(footnote: Footnote): string {
  const links: string[] = [];
  for (let use = 1; use <= footnote.waysBack; use++) {
    const isFirst = use === 1;
    const mark = isFirst ? "↩" : `↩<sup class="footnote-ref">${use}</sup>`;
    const reference = isFirst ? footnote.number : `${footnote.number}-${use}`;
    links.push(
      `<a href="#${referenceId(footnote, use)}" class="footnote-backref data-footnote-backref" data-footnote-backref="" aria-label="Back to reference ${reference}">${mark}</a>`,
    );
  }
  return links.join(" ");
}

export const FOOTNOTES_SECTION =
  '<section class="footnotes" data-footnotes="" aria-label="Footnotes">\n<ol>\n';

/** The checkbox of a task. The classes are GitHub's. */
export function checkbox(isDone: boolean): string {
  const checked = isDone ? ' checked=""' : "";
  return `<input class="task-list-item-checkbox"${checked} disabled="" type="checkbox" aria-label="${isDone ? "Completed" : "Incomplete"} task"> `;
}
