import { type Html, type HtmlPart, html, trusted } from "./html.ts";
import { legalLinks } from "./legal-sources.ts";
import { ICON, markOn } from "./mark.ts";
import { basePath, type PageLinks, pageLinks } from "./page-links.ts";
import { linksToPricing, type PageOptions, signUpIsOpen } from "./page-options.ts";
import { STYLE } from "./style.ts";

/** A page and what its frame shows. */
export type Page = {
  /** The path of the page, for search engines; null: they must not list it. */
  path: string | null;
  title: string;
  description: string;
  /** Which entry of the navigation this page belongs to. */
  current: "docs" | null;
  /** Navigation beside the content on wide screens, above it on narrow ones. */
  side?: Html;
  main: HtmlPart;
};

export function renderPage(page: Page, options: PageOptions): string {
  const { side } = page;
  return html`<!doctype html>
<html lang="en">
<head>
${renderHead(page, options)}</head>
<body${side === undefined && trusted(' class="slim"')}>
<a class="skip" href="#content">Skip to the content</a>
${renderHeader(page, options)}<div class="${side === undefined ? "body" : "body wide"}">
${side}<main id="content" tabindex="-1">
${page.main}
</main>
</div>
${renderFooter(options)}</body>
</html>
`.text;
}

function renderHead(page: Page, { publicUrl, assets }: PageOptions): Html {
  const url = page.path === null ? null : `${publicUrl}${page.path}`;
  const base = basePath(publicUrl);
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
<meta name="description" content="${page.description}">
${
  url === null
    ? html`<meta name="robots" content="noindex">\n`
    : html`<link rel="canonical" href="${url}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Toolbooth">
<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${page.description}">
<meta property="og:url" content="${url}">\n`
}<link rel="icon" href="${ICON}">
<style>${trusted(STYLE)}</style>
${
  // Blocks the first paint, so that the colour scheme chosen on the dashboard does not flash. It is one small file.
  assets?.script &&
  html`<script type="module" async blocking="render" src="${base}/${assets.script}"></script>\n`
}`;
}

function renderHeader({ current }: Page, options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  const { dashboard } = options;
  return html`<header class="top"><div class="bar">
<a class="brand" href="${links.front}">${markOn("var(--tb-bg)")}Toolbooth</a>
<nav aria-label="Pages">
${
  dashboard
    ? html`<a href="${links.tools}">Tools</a>\n`
    : html`<a href="${links.docs}#tools">Tools</a>\n`
}${linksToPricing(options) && html`<a href="${links.pricing}">Pricing</a>\n`}<a href="${links.docs}"${current === "docs" && trusted(' aria-current="true"')}>Documentation</a>
</nav>
${
  dashboard &&
  html`<nav class="visitor" aria-label="Your account">
<a href="${links.signIn}">Sign in</a>
${signUpIsOpen(options) && html`<a class="button" href="${links.signUp}">Sign up</a>\n`}</nav>
`
}</div></header>
`;
}

function renderFooter(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  return html`<footer><div class="foot">
<p class="brand">${markOn("var(--tb-bg)")}Toolbooth <span class="soft small">${options.version}</span></p>
<nav aria-label="Site">
${footerLinks(links, options).map(([href, label]) => html`<a href="${href}">${label}</a>\n`)}</nav>
<p class="small">Published at ${options.publicUrl}. Free software under the MIT license.</p>
</div></footer>
`;
}

function footerLinks(links: PageLinks, options: PageOptions): [string, string][] {
  const { dashboard } = options;
  return [
    ...(dashboard ? ([[links.tools, "Tools"]] as [string, string][]) : []),
    ...(linksToPricing(options) ? ([[links.pricing, "Pricing"]] as [string, string][]) : []),
    [links.docs, "Documentation"],
    [links.quickstart, "Quickstart"],
    [links.errors, "Errors"],
    [links.selfHosting, "Self-hosting"],
    [links.openapi, "OpenAPI"],
    ...(dashboard ? ([[links.signIn, "Sign in"]] as [string, string][]) : []),
    ...(signUpIsOpen(options) ? ([[links.signUp, "Sign up"]] as [string, string][]) : []),
    ...legalLinks(options),
  ];
}
