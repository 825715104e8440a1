import type { ApiOptions } from "../openapi-document.ts";
import { type Html, type HtmlPart, html, trusted } from "./html.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/** What every page has around its content. */
export type Page = {
  title: string;
  description: string;
  /** Which entry of the navigation this page is. */
  current: "docs" | "errors" | null;
  /** The table of contents; a page without one is a single narrow column. */
  contents?: ContentsGroup[];
  main: HtmlPart;
};

export type ContentsGroup = { title: string; entries: { href: string; label: HtmlPart }[] };

export function renderPage(page: Page, options: ApiOptions): string {
  const links = pageLinks(options.publicUrl);
  const { contents } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.description}">
<title>${page.title}</title>
<link rel="icon" href="${ICON}">
<style>${trusted(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><div class="bar">
<a class="brand" href="${links.front}">${MARK}Toolbooth</a>
<nav aria-label="Pages">
${navLink(links.docs, "Documentation", page.current === "docs")}
${navLink(links.errors, "Errors", page.current === "errors")}
${navLink(links.openapi, "OpenAPI", false)}
</nav>
</div></header>
<div class="${contents === undefined ? "body" : "body wide"}">
${contents !== undefined && renderContents(contents)}
<main id="content"${contents === undefined && trusted(' class="narrow"')}>
${page.main}
</main>
</div>
<footer><div class="foot">Toolbooth ${options.version}<span>${options.publicUrl}</span></div></footer>
<script>${trusted(SCRIPT)}</script>
</body>
</html>
`.text;
}

export type PageLinks = { front: string; docs: string; errors: string; openapi: string };

/** Links within the service keep the path under which it is published, and work under any name of the machine. */
export function pageLinks(publicUrl: string): PageLinks {
  const base = URL.canParse(publicUrl) ? new URL(publicUrl).pathname.replace(/\/+$/, "") : "";
  return {
    front: `${base}/`,
    docs: `${base}/docs`,
    errors: `${base}/docs/errors`,
    openapi: `${base}/openapi.json`,
  };
}

const navLink = (href: string, label: string, current: boolean): Html =>
  html`<a href="${href}"${current && trusted(' aria-current="page"')}>${label}</a>`;

const renderContents = (groups: ContentsGroup[]): Html => html`<div class="side">
<details class="toc"><summary>On this page</summary>
<nav aria-label="On this page">
${groups.map(
  ({ title, entries }) => html`<p>${title}</p>
<ul>${entries.map(({ href, label }) => html`<li><a href="${href}">${label}</a></li>`)}</ul>
`,
)}</nav></details>
</div>`;

/** A booth's barrier, raised. */
const MARK = trusted(
  '<svg width="24" height="24" viewBox="0 0 24 24" fill="none" aria-hidden="true"><rect width="24" height="24" rx="6" fill="currentColor"/><path d="M7 19V9.5m0 3L18.5 6" stroke="var(--bg)" stroke-width="2.4" stroke-linecap="round"/><circle cx="7" cy="12.5" r="2.2" fill="var(--bg)"/></svg>',
);

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none"><rect width="24" height="24" rx="6" fill="#0a5f58"/><path d="M7 19V9.5m0 3L18.5 6" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/><circle cx="7" cy="12.5" r="2.2" fill="#fff"/></svg>',
)}`;
