import { type Html, type HtmlPart, html, trusted } from "./html.ts";
import type { LegalSources } from "./legal-sources.ts";
import { ICON, markOn } from "./mark.ts";
import { basePath, pageLinks } from "./page-links.ts";
import { DARK, LIGHT, tokensCss } from "./tokens.ts";

/** The built files of the pages that React draws, as paths below the service, such as `assets/main-1a2b3c.js`. */
export type AppAssets = {
  scripts: string[];
  styles: string[];
  /** Modules that the scripts import. */
  preloads: string[];
  /** The script that sets the colour scheme before the first paint. */
  early: string | null;
  /** Styles of the frame, inlined into the page after the tokens. */
  firstPaint: string;
};

/** A page that React draws, as the server sends it. */
export type AppShell = {
  path: string;
  title: string;
  description: string;
  /** Whether search engines may list it. */
  findable: boolean;
  publicUrl: string;
  /** The operator's own pages. */
  legal: LegalSources;
  /** Null where the build is missing: the page then says so. */
  assets: AppAssets | null;
  /** The content until React has drawn the page, and where scripts are off. */
  main?: HtmlPart;
};

/**
 * The Content-Security-Policy of these pages. Inline styles are allowed because the components position themselves with them;
 * scripts are files of this service. Frames are the sandboxed previews of the tools.
 */
export const APP_CSP = [
  "default-src 'none'",
  "script-src 'self'",
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
  "Cache-Control": "no-store",
};

export function renderAppShell(page: AppShell): string {
  const base = basePath(page.publicUrl);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${LIGHT.bg}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${DARK.bg}">
<title>${page.title} - Toolbooth</title>
<meta name="description" content="${page.description}">
<meta name="toolbooth-base" content="${base}">
<meta name="toolbooth-legal" content="${Object.keys(page.legal).join(" ")}">
${
  page.findable
    ? html`<link rel="canonical" href="${page.publicUrl}${page.path}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Toolbooth">
<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${page.description}">
<meta property="og:url" content="${page.publicUrl}${page.path}">\n`
    : html`<meta name="robots" content="noindex">\n`
}<link rel="icon" href="${ICON}">
${page.assets && renderAssets(page.assets, base)}</head>
<body>
<div id="app">
${renderFrame(page)}</div>
<noscript><p class="tb-banner tb-banner-warn">This page needs JavaScript. The <a href="${base}/docs">documentation</a> and the API do not.</p></noscript>
</body>
</html>
`.text;
}

/** Preloads the styles; the script applies them, so they do not block the first paint. */
function renderAssets(
  { early, firstPaint, styles, scripts, preloads }: AppAssets,
  base: string,
): Html {
  return html`<style>${trusted(tokensCss() + firstPaint)}</style>
${styles.map((file) => html`<link rel="preload" as="style" crossorigin href="${base}/${file}">\n`)}${early && html`<script src="${base}/${early}"></script>\n`}${scripts.map(
  (file) => html`<script type="module" crossorigin src="${base}/${file}"></script>\n`,
)}${preloads.map((file) => html`<link rel="modulepreload" fetchpriority="low" crossorigin href="${base}/${file}">\n`)}`;
}

/** The frame as React draws it, so that the layout does not shift. */
function renderFrame(page: AppShell): Html {
  const links = pageLinks(page.publicUrl);
  return html`<header class="tb-header">
<a class="tb-brand" href="${links.front}">${markOn("var(--tb-bg)")}Toolbooth</a>
<nav class="tb-wide tb-header-links" aria-label="Open to everyone">
<ul><li><a href="${links.tools}">Tools</a></li><li><a href="${links.docs}">Documentation</a></li></ul>
</nav>
</header>
<div class="tb-body">
<main id="content">
<h1>${page.title}</h1>
${page.assets === null ? NOT_BUILT : page.main}
</main>
</div>
`;
}

const NOT_BUILT = html`<p>This page is not available yet because the service is still building its pages. Try again in a minute. If the problem persists, ask the operator of this service to check its log. The API is not affected.</p>`;
