import { type Html, type HtmlPart, html, trusted } from "./html.ts";
import { ICON, markOn } from "./mark.ts";
import { basePath, pageLinks } from "./page-links.ts";

/** What was built for the pages that React draws: file names below the service's path, as `assets/main-1a2b3c.js`. */
export type AppAssets = {
  scripts: string[];
  styles: string[];
  /** Modules that the scripts will ask for at once. */
  preloads: string[];
  /** Sets the colour scheme before anything is drawn. */
  early: string | null;
  /** Styles of the frame, as text: they come with the page itself. */
  firstPaint: string;
};

/** A page that React draws, as the server sends it. */
export type AppShell = {
  path: string;
  title: string;
  description: string;
  /** Whether search engines may show it: what belongs to a person, they may not. */
  findable: boolean;
  publicUrl: string;
  /** Null where nothing was built: the page then says so. */
  assets: AppAssets | null;
  /** Stands in the page until React has drawn it, and for good where scripts are off. */
  main?: HtmlPart;
};

/**
 * The policy of these pages. Styles may be inline because the components position themselves by them; a script is
 * always a file of this service. Frames are the previews of the tools, which are sandboxed besides.
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
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#fdfdfb">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#13171a">
<title>${page.title} - Toolbooth</title>
<meta name="description" content="${page.description}">
<meta name="toolbooth-base" content="${base}">
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

/**
 * The styles are asked for here and take effect with the script (web/load-styles.ts): nothing is painted later for them.
 * What the screen needs comes after what the frame needs.
 */
function renderAssets(
  { early, firstPaint, styles, scripts, preloads }: AppAssets,
  base: string,
): Html {
  return html`<style>${trusted(firstPaint)}</style>
${styles.map((file) => html`<link rel="preload" as="style" crossorigin href="${base}/${file}">\n`)}${early && html`<script src="${base}/${early}"></script>\n`}${scripts.map(
  (file) => html`<script type="module" crossorigin src="${base}/${file}"></script>\n`,
)}${preloads.map((file) => html`<link rel="modulepreload" fetchpriority="low" crossorigin href="${base}/${file}">\n`)}`;
}

/** The frame as React will draw it, so that nothing jumps when it does. */
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

const NOT_BUILT = html`<p>This page is not ready: the service has not built its pages, or cannot. Try again in a minute. If it stays, tell the operator of this service to look into its log. Calls of the API are answered all the same.</p>`;
