import { type Html, html, trusted } from "../html.ts";
import { basePath } from "../page-links.ts";
import type { PageOptions } from "../page-options.ts";
import { renderPage } from "../shell.ts";
import type { DocsPlace } from "./navigation.ts";
import type { DocsHeading, RenderedPage } from "./render-page.ts";

/** A page of the documentation with the navigation beside it and the links to its neighbours below. */
export function renderDocsFrame(
  place: DocsPlace,
  page: RenderedPage,
  all: readonly DocsPlace[],
  options: PageOptions,
): string {
  const body = withPlayground(place, page.body, options);
  const base = basePath(options.publicUrl);
  const at = all.findIndex(({ path }) => path === place.path);
  const isContents = at === 0;
  return renderPage(
    {
      path: place.path,
      title: `${isContents ? "Documentation" : page.title} - Toolbooth`,
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

/**
 * The section in which the script of the pages draws the playground (`web/front/playground.ts`), before the first heading of a
 * tool's reference. Without the script it is a link to the page of the tool.
 */
function withPlayground(
  { path }: DocsPlace,
  body: Html,
  { tools, publicUrl, dashboard, assets }: PageOptions,
): Html {
  const tool = tools.find(({ name }) => path === `/docs/${name}`);
  if (tool === undefined || !dashboard || !assets?.script) return body;
  const base = basePath(publicUrl);
  const section = html`<section class="play-it" aria-labelledby="try-it" data-play="${tool.name}" data-api-url="${publicUrl}" data-base="${base}">
<h2 id="try-it"><a href="#try-it">Try it</a></h2>
<p>Fill in the fields, run the call in your browser for free or through the API with your key, and copy the code.<noscript> It needs JavaScript.</noscript></p>
</section>
`;
  const at = body.text.indexOf("<h2");
  return at < 0
    ? html`${body}${section}`
    : html`${trusted(body.text.slice(0, at))}${section}${trusted(body.text.slice(at))}`;
}

/** The lists of the contents, whose items are a link, a colon and a description, as links that say where they lead. */
const asContents = ({ text }: Html): Html =>
  trusted(
    text.replace(
      /<ul>\n((?:<li><a [^>]*>(?:(?!<\/a>).)*<\/a>: (?:(?!<a ).)*<\/li>\n)+)<\/ul>/g,
      (_, items: string) =>
        html`<ul class="contents">\n${trusted(
          items.replace(
            /<li>(<a [^>]*>)(.*?)<\/a>: (.*)<\/li>/g,
            (_, open: string, label: string, text: string) =>
              `<li>${open}<b>${label}</b><span>${text.slice(0, 1).toUpperCase()}${text.slice(1)}</span></a></li>`,
          ),
        )}</ul>`.text,
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
    return html`<li><a href="${base}${path}"${isOpen && trusted(' aria-current="page"')}>${label}</a>${
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
