import { hashSource } from "./content-hash.ts";
import { EARLY_REQUESTS } from "./early-requests.ts";
import { EARLY_SCRIPT } from "./early-script.ts";
import { GATE_STYLE } from "./gate.ts";
import { fontStyle, type HeadOptions, preloadFonts, renderMeta } from "./head.ts";
import { renderHeader, sideLinks } from "./header.ts";
import { type Html, type HtmlPart, html, trusted } from "./html.ts";
import { basePath } from "./page-links.ts";
import type { DashboardOffer, PageOptions } from "./page-options.ts";
import { renderFooter } from "./shell.ts";
import { SHELL_STYLE } from "./shell-style.ts";
import type { SiteFiles } from "./site-files.ts";
import { tokensCss } from "./tokens.ts";

/** The built files of the pages that React draws, as paths below the service, such as `assets/main-1a2b3c.js`. */
export type AppAssets = {
  scripts: string[];
  styles: string[];
  /** Modules that the scripts import. */
  preloads: string[];
  /** Styles of the frame, inlined into the page after the tokens. */
  firstPaint: string;
  /** Fonts and images; null where the build does not have them. */
  files: SiteFiles | null;
};

/** How people can sign up and in: what the forms show before the visitor is known. */
export type SignInOffer = Pick<DashboardOffer, "signUp" | "providers" | "starter">;

/** What these pages say of the service. They are part of the dashboard. */
export type AppOptions = PageOptions & { dashboard: DashboardOffer };

/** A page that React draws, as the server sends it. */
export type AppShell = {
  path: string;
  title: string;
  description: string;
  /** Whether search engines may list it. */
  findable: boolean;
  options: AppOptions;
  /** Whether the navigation of the dashboard stands beside it. */
  isMember: boolean;
  /** Null where the build is missing: the page then says so. */
  assets: AppAssets | null;
  /** The content until React has drawn the page, and where scripts are off. */
  main?: HtmlPart;
  /** Set where `main` has a heading of its own. */
  form?: string | undefined;
  /** Paths of the responses that the page shows first: the head of the page already requests them. */
  data?: readonly string[];
  /** Written into the page where its forms need it. */
  offer?: SignInOffer | undefined;
};

/**
 * The Content-Security-Policy of these pages. Inline styles are allowed because the components position themselves with them;
 * scripts are files of this service, and those in the head, which are allowed by their hashes (CSP Level 3, section 2.3.1). Frames
 * are the sandboxed previews of the tools.
 */
export const APP_CSP = [
  "default-src 'none'",
  `script-src 'self' '${hashSource(EARLY_SCRIPT)}' '${hashSource(EARLY_REQUESTS)}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  // The policies are in web/trusted-types.ts.
  "require-trusted-types-for 'script'",
  "trusted-types default toolbooth-preview",
].join("; ");

export const APP_HEADERS: Record<string, string> = {
  "Content-Security-Policy": APP_CSP,
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

export function renderAppShell(page: AppShell): string {
  const { publicUrl } = page.options;
  const base = basePath(publicUrl);
  const site = { publicUrl, files: page.assets?.files ?? null };
  const head = {
    path: page.findable ? page.path : null,
    title: `${page.title} - Toolbooth`,
    description: page.description,
  };
  return html`<!doctype html>
<html lang="en">
<head>
${renderMeta(head, site)}<meta name="toolbooth-base" content="${base}">
<meta name="toolbooth-legal" content="${Object.keys(page.options.legal ?? {}).join(" ")}">
<meta name="toolbooth-data" content="${["/dashboard/visitor", ...(page.data ?? [])].join(" ")}">
${page.offer && html`<meta name="toolbooth-offer" content="${offerText(page.offer)}">\n`}<script>${trusted(EARLY_SCRIPT)}</script>
${page.assets && renderAssets(page.assets, site)}</head>
<body${page.isMember && trusted(' data-area="member"')}>
${renderHeader(page.path, page.options)}<div class="tb-body">
<nav class="tb-side tb-nav" aria-label="Dashboard">${sideLinks(page.path, page.options)}</nav>
<div id="app">
${renderMain(page)}</div>
</div>
<noscript><p class="tb-banner tb-banner-warn">This page needs JavaScript. The <a href="${base}/docs">documentation</a> and the API do not.</p></noscript>
${renderFooter(page.options)}</body>
</html>
`.text;
}

const offerText = ({ signUp, providers, starter }: SignInOffer): string =>
  JSON.stringify({ signUp, providers, starter });

/** Preloads the styles; the script applies them, so they do not block the first paint. */
function renderAssets(
  { firstPaint, styles, scripts, preloads }: AppAssets,
  site: HeadOptions,
): Html {
  const base = basePath(site.publicUrl);
  const style = tokensCss() + fontStyle(site) + firstPaint + SHELL_STYLE + GATE_STYLE;
  return html`<script>${trusted(EARLY_REQUESTS)}</script>
<style>${trusted(style)}</style>
${preloadFonts(site, ["sans.woff2"])}${styles.map((file) => html`<link rel="preload" as="style" crossorigin href="${base}/${file}">\n`)}${scripts.map(
  (file) => html`<script type="module" crossorigin src="${base}/${file}"></script>\n`,
)}${preloads.map((file) => html`<link rel="modulepreload" fetchpriority="low" crossorigin href="${base}/${file}">\n`)}`;
}

/** What React replaces. */
const renderMain = (page: AppShell): Html => html`<main id="content">
${page.form === undefined && html`<div class="tb-page-title"><h1>${page.title}</h1></div>\n`}${page.assets === null ? NOT_BUILT : page.main}
</main>
`;

const NOT_BUILT = html`<p>This page is not available yet because the service is still building its pages. Try again in a minute. If the problem persists, ask the operator of this service to check its log. The API is not affected.</p>`;
