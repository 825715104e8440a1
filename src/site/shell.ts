import { hasOwnName } from "#brand.ts";
import { contactHref } from "#top-up.ts";
import { preloadFonts, renderMeta, serviceStyle } from "./head.ts";
import { renderHeader } from "./header.ts";
import { legalLinks } from "./legal-sources.ts";
import { brandMark } from "./mark.ts";
import { type Html, type HtmlPart, html, raw } from "./markup.ts";
import { basePath, type PageLinks, pageLinks } from "./page-links.ts";
import { linksToPricing, type PageOptions, toolsWithPage } from "./page-options.ts";
import { STYLE } from "./style.ts";

/** A page and what its frame shows. */
export type Page = {
  /** The path of the page, for search engines; null: they must not list it. */
  path: string | null;
  title: string;
  description: string;
  /** Navigation beside the content on wide screens, above it on narrow ones. */
  side?: Html;
  /** Styles of this page, besides those of all pages. The policy has to allow them. */
  style?: string;
  main: HtmlPart;
};

export function renderPage(page: Page, options: PageOptions): string {
  const { side } = page;
  return String(html`<!doctype html>
<html lang="en">
<head>
${renderHead(page, options)}</head>
<body${side === undefined && raw(' class="slim"')}>
${renderHeader(page.path, options)}<div class="${side === undefined ? "body" : "body wide"}">
${side}<main id="content" tabindex="-1">
${page.main}
</main>
</div>
${renderFooter(options)}</body>
</html>
`);
}

function renderHead(page: Page, options: PageOptions): Html {
  const { publicUrl, name, look, assets } = options;
  const base = basePath(publicUrl);
  const site = { publicUrl, name, look, files: assets?.files ?? null };
  const fonts = serviceStyle(site);
  return html`${renderMeta(page, site)}${preloadFonts(site, ["sans.woff2", "mono.woff2"])}<style>${raw(STYLE)}</style>
${page.style && html`<style>${raw(page.style)}</style>\n`}${fonts && html`<style>${raw(fonts)}</style>\n`}${assets?.early && html`<script>${raw(assets.early)}</script>\n`}${
  // Blocks the first paint, so that examples become tabs before they are seen. It is one small file.
  assets?.script &&
  html`<script type="module" async blocking="render" src="${base}/${assets.script}"></script>\n`
}`;
}

/** The footer of every page. */
export function renderFooter(options: PageOptions): Html {
  const isOwn = hasOwnName(options);
  const links = pageLinks(options.publicUrl);
  return html`<footer class="tb-footer"><div class="tb-foot">
<div><p class="tb-brand">${brandMark(options)}<span>${options.name}${!isOwn && html` <small>${options.version}</small>`}</span></p>
<p>Published at ${options.publicUrl}.${!isOwn && " Free software under the MIT license."}</p></div>
<nav aria-label="Site">
${footerGroups(links, options).map(
  ([title, entries]) =>
    html`<div><p>${title}</p><ul>${entries.map(([href, label, isForVisitors]) => html`<li${isForVisitors && html` class="tb-if-out"`}><a href="${href}">${label}</a></li>`)}</ul></div>\n`,
)}</nav>
</div></footer>
`;
}

/** `isForVisitors`: not shown to signed-in users. */
type FooterLink = [href: string, label: string, isForVisitors?: boolean];

/** The links of the footer, in columns. The pages of the operator have one where there are any. */
function footerGroups(links: PageLinks, options: PageOptions): [string, FooterLink[]][] {
  const legal = legalLinks(options);
  const when = (isShown: unknown, ...link: FooterLink): FooterLink[] => (isShown ? [link] : []);
  const groups: [string, FooterLink[]][] = [
    [
      "Product",
      [
        ...when(toolsWithPage(options).length > 0, links.tools, "Tools"),
        ...when(linksToPricing(options), links.pricing, "Pricing"),
        [links.signIn, "Sign in", true],
      ],
    ],
    [
      "Developers",
      [
        [links.docs, "Documentation"],
        [links.quickstart, "Quickstart"],
        [links.errors, "Errors"],
        [links.openapi, "OpenAPI"],
        ...when(!hasOwnName(options), links.selfHosting, "Self-hosting"),
        ...when(options.contact, contactHref(options.contact ?? ""), "Contact"),
      ],
    ],
    ["Legal and trust", legal],
  ];
  return groups.filter(([, entries]) => entries.length > 0);
}
