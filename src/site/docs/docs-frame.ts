import { type Html, html, raw } from "../markup.ts";
import { basePath, pageLinks } from "../page-links.ts";
import { type PageOptions, toolsWithPage } from "../page-options.ts";
import { renderPage } from "../shell.ts";
import { type DocsPlace, docsSlugOf } from "./navigation.ts";
import type { DocsHeading, RenderedPage } from "./render-page.ts";

/** A page of the documentation with the navigation beside it and the links to its neighbours below. */
export function renderDocsFrame(
  place: DocsPlace,
  page: RenderedPage,
  all: readonly DocsPlace[],
  options: PageOptions,
): string {
  const body = withToolLink(place, page.body, options);
  const base = basePath(options.publicUrl);
  const at = all.findIndex(({ path }) => path === place.path);
  const isContents = at === 0;
  return renderPage(
    {
      path: place.path,
      title: `${isContents ? "Documentation" : page.title} - ${options.name}`,
      description: plain(place.description),
      side: renderSide(place, page, all, base),
      main: html`<article class="docs"><h1>${page.title}</h1>
${isContents ? asContents(body) : body}
${at >= 0 && html`<p class="small soft"><a href="${base}${place.path}.md">View this page as Markdown</a></p>`}</article>
${at >= 0 && renderNeighbours(all[at - 1], all[at + 1], base)}`,
    },
    options,
  );
}

/** A link to the page of the tool, where the service has one, before the first heading of its reference. */
function withToolLink({ path }: DocsPlace, body: Html, options: PageOptions): Html {
  const tool = toolsWithPage(options).find((tool) => path === `/docs/${docsSlugOf(tool)}`);
  if (tool === undefined) return body;
  const link = html`<p class="actions"><a class="button quiet" href="${pageLinks(options.publicUrl).tools}/${tool.name}">Try ${tool.name} ${tool.isOwn ? "with your key" : "in your browser"}</a></p>
`;
  return raw(body.replace(/(?=<h2)/, () => String(link)));
}

/** The lists of the contents, whose items are a link, a colon and a description, as links that say where they lead. */
const asContents = (body: Html): Html =>
  raw(
    body.replace(
      /<ul>\n((?:<li><a [^>]*>(?:(?!<\/a>).)*<\/a>: (?:(?!<a ).)*<\/li>\n)+)<\/ul>/g,
      (_, items: string) =>
        `<ul class="contents">\n${items.replace(
          /<li>(<a [^>]*>)(.*?)<\/a>: (.*)<\/li>/g,
          (_, open: string, label: string, text: string) =>
            `<li>${open}<b>${label}</b><span>${text.slice(0, 1).toUpperCase()}${text.slice(1)}</span></a></li>`,
        )}</ul>`,
    ),
  );

/** In the contents a description follows a colon; here it is a sentence of its own. */
const plain = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`.replaceAll("`", "");

function renderSide(
  place: DocsPlace,
  page: RenderedPage,
  all: readonly DocsPlace[],
  base: string,
): Html {
  const groups = Map.groupBy(all, ({ section }) => section);
  const pageLink = ({ path, label }: DocsPlace) => {
    const isOpen = path === place.path;
    return html`<li><a href="${base}${path}"${isOpen && raw(' aria-current="page"')}>${label}</a>${
      isOpen && renderHeadings(page.headings)
    }</li>\n`;
  };
  return html`<div class="side">
<details class="toc"><summary>Contents</summary>
<nav aria-label="Documentation">
${[...groups].map(
  ([section, pages]) =>
    html`${section !== null && html`<p class="group">${section}</p>\n`}<ul>${pages.map(pageLink)}</ul>\n`,
)}<p class="group"><a href="${base}/docs/topics">All topics</a></p></nav></details>
</div>
`;
}

const renderHeadings = (headings: readonly DocsHeading[]): Html | null =>
  headings.some(({ level }) => level === 2)
    ? html`<ul>${headings
        .filter(({ level }) => level === 2)
        .map(({ id, html: label }) => html`<li><a href="#${id}">${label}</a></li>\n`)}</ul>`
    : null;

function renderNeighbours(
  before: DocsPlace | undefined,
  after: DocsPlace | undefined,
  base: string,
): Html {
  const link = ({ path, label }: DocsPlace, rel: "prev" | "next", word: string) =>
    html`<a class="${rel}" rel="${rel}" href="${base}${path}"><small>${word}</small>${label}</a>\n`;
  return html`<nav class="turns" aria-label="Previous and next page">
${before && link(before, "prev", "Previous")}${after && link(after, "next", "Next")}</nav>
`;
}
