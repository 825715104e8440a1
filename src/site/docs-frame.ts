import { type Html, type HtmlPart, html, trusted } from "./html.ts";
import { basePath } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";
import { renderPage } from "./shell.ts";

/** A page of the documentation: what it says, and the sections that its table of contents names. */
export type DocsPage = {
  path: string;
  /** As the navigation calls it. */
  label: string;
  title: string;
  description: string;
  lead: HtmlPart;
  contents: { id: string; label: HtmlPart }[];
  body: HtmlPart;
};

type Neighbour = Pick<DocsPage, "path" | "label">;

/** One page of the documentation among all of them: the same navigation on each, and the ways back and on at its end. */
export function renderDocsPage(
  page: DocsPage,
  all: readonly Neighbour[],
  options: PageOptions,
): string {
  const base = basePath(options.publicUrl);
  const at = all.findIndex(({ path }) => path === page.path);
  return renderPage(
    {
      path: page.path,
      title: `${page.title} - Toolbooth`,
      description: page.description,
      current: "docs",
      side: renderSide(page, all, base),
      main: html`<h1>${page.title}</h1>
<p class="lead">${page.lead}</p>
${page.body}${renderTurns(all[at - 1], all[at + 1], base)}`,
    },
    options,
  );
}

/** All pages; below the one that is open its sections. */
function renderSide(page: DocsPage, all: readonly Neighbour[], base: string): Html {
  const sections = html`<ul>${page.contents.map(
    ({ id, label }) => html`<li><a href="#${id}">${label}</a></li>\n`,
  )}</ul>`;
  return html`<div class="side">
<details class="toc"><summary>All pages, and what is on this one</summary>
<nav aria-label="Documentation"><ul>
${all.map(({ path, label }) => {
  const isOpen = path === page.path;
  return html`<li><a href="${base}${path}"${isOpen && trusted(' aria-current="page"')}>${label}</a>${
    isOpen && sections
  }</li>\n`;
})}</ul></nav></details>
</div>
`;
}

function renderTurns(
  before: Neighbour | undefined,
  after: Neighbour | undefined,
  base: string,
): Html {
  const turn = ({ path, label }: Neighbour, rel: "prev" | "next", word: string) =>
    html`<a class="${rel}" rel="${rel}" href="${base}${path}"><small>${word}</small>${label}</a>\n`;
  return html`<nav class="turns" aria-label="Next to this page">
${before && turn(before, "prev", "Before")}${after && turn(after, "next", "Next")}</nav>
`;
}
