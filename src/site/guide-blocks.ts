import type { GuideBlock, GuideSection } from "#api/openapi/guide.ts";
import { codeBlock, jsonCode } from "./code-block.ts";
import { Html, type HtmlPart, html, prose, trusted } from "./html.ts";

/** A section of the pages may also hold finished HTML, where a sentence has links, and code of callers. */
export type DocsSection = Omit<GuideSection, "blocks"> & { blocks: DocsBlock[] };
type DocsBlock = GuideBlock | Html | CallersCode;
type CallersCode = { code: string; language: "javascript" | "python"; label: string };

/** The sections as a table of contents names them. */
export const contentsOf = (sections: readonly DocsSection[]): { id: string; label: string }[] =>
  sections.map(({ id, title }) => ({ id, label: title }));

/** A section of the guide: its text, and beside it on wide screens its code. */
export function guideSection({ id, title, blocks }: DocsSection): Html {
  const isCode = (block: DocsBlock) => typeof block !== "string" && "code" in block;
  const codes = blocks.filter(isCode);
  return html`<section${codes.length > 0 && trusted(' class="split"')} aria-labelledby="${id}">
<div class="prose"><h2 id="${id}"><a href="#${id}">${title}</a></h2>
${blocks.filter((block) => !isCode(block)).map(renderBlock)}</div>
${codes.length > 0 && html`<div class="aside">${codes.map(renderBlock)}</div>`}</section>
`;
}

function renderBlock(block: DocsBlock): Html {
  if (block instanceof Html) return block;
  if (typeof block === "string") return html`<p>${prose(block)}</p>\n`;
  if ("list" in block) {
    return html`<ul>${block.list.map((item) => html`<li>${prose(item)}</li>\n`)}</ul>`;
  }
  if ("code" in block) {
    const code = block.language === "json" ? jsonCode(JSON.parse(block.code)) : block.code;
    return codeBlock(block.label, code);
  }
  const { head, rows } = block.table;
  return scrollTable(
    head.join(" and "),
    head,
    rows.map((row) => row.map(prose)),
  );
}

/** A table that is pushed sideways where it is wider than the screen, by keyboard too. First cells head their rows. */
export function scrollTable(
  label: string,
  head: string[],
  rows: HtmlPart[][],
  kind?: string,
): Html {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}"><table${
    kind !== undefined && trusted(` class="${kind}"`)
  }>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first, ...cells]) =>
      html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
  )}</tbody>
</table></div>
`;
}
