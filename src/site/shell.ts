import { EARLY_SCRIPT } from "./early-script.ts";
import { fontStyle, preloadFonts, renderMeta } from "./head.ts";
import { renderHeader } from "./header.ts";
import { type Html, type HtmlPart, html, trusted } from "./html.ts";
import { legalLinks } from "./legal-sources.ts";
import { markOn } from "./mark.ts";
import { basePath, type PageLinks, pageLinks } from "./page-links.ts";
import { linksToPricing, type PageOptions, signUpIsOpen } from "./page-options.ts";
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
  return html`<!doctype html>
<html lang="en">
<head>
${renderHead(page, options)}</head>
<body${side === undefined && trusted(' class="slim"')}>
${renderHeader(page.path, options)}<div class="${side === undefined ? "body" : "body wide"}">
${side}<main id="content" tabindex="-1">
${page.main}
</main>
</div>
${renderFooter(options)}</body>
</html>
`.text;
}

function renderHead(page: Page, { publicUrl, assets }: PageOptions): Html {
  const base = basePath(publicUrl);
  const site = { publicUrl, files: assets?.files ?? null };
  const fonts = fontStyle(site);
  return html`${renderMeta(page, site)}${preloadFonts(site, ["sans.woff2", "mono.woff2"])}<style>${trusted(STYLE)}</style>
${page.style && html`<style>${trusted(page.style)}</style>\n`}${fonts && html`<style>${trusted(fonts)}</style>\n`}<script>${trusted(EARLY_SCRIPT)}</script>
${
  // Blocks the first paint, so that examples become tabs before they are seen. It is one small file.
  assets?.script &&
  html`<script type="module" async blocking="render" src="${base}/${assets.script}"></script>\n`
}`;
}

/** The footer of every page. */
export function renderFooter(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  return html`<footer class="tb-footer"><div class="tb-foot">
<p class="tb-brand">${markOn("var(--tb-bg)")}<span>Toolbooth <small>${options.version}</small></span></p>
<nav aria-label="Site">
${footerLinks(links, options).map(([href, label]) => html`<a href="${href}">${label}</a>\n`)}</nav>
<p>Published at ${options.publicUrl}. Free software under the MIT license.</p>
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
