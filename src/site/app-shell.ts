import { keyVariableOf } from "#brand.ts";
import type { Tool } from "#tools/define-tool.ts";
import { hashSource } from "./content-hash.ts";
import { docsSlugOf } from "./docs/navigation.ts";
import { firstCall } from "./first-call.ts";
import { GATE_STYLE } from "./gate.ts";
import { type HeadOptions, preloadFonts, renderMeta, serviceStyle } from "./head.ts";
import { renderHeader, sideLinks } from "./header.ts";
import { type Html, html, raw } from "./markup.ts";
import { isMemberPath } from "./member-links.ts";
import { basePath } from "./page-links.ts";
import type { AppAssets } from "./page-manifest.ts";
import { browserTools, type PageOptions, toolsWithPage } from "./page-options.ts";
import { type CallTraits, traitsOf } from "./request-code.ts";
import { renderFooter } from "./shell.ts";
import { SHELL_STYLE } from "./shell-style.ts";
import { tokensCss } from "./tokens.ts";

/** A page that React draws. Until its script runs, it shows its title and, where no session is needed, its description. */
export type AppPage = {
  path: string;
  title: string;
  description: string;
  /** Whether search engines may list it. */
  findable: boolean;
  /** Whether it is the narrow column of signing in. */
  isNarrow?: boolean;
  /** The file of `web/` that draws it, preloaded with the page. */
  screen: string;
};

/**
 * The Content-Security-Policy of these pages. Inline styles are allowed because the components position themselves with them;
 * scripts are files of this service, and the one in the head, which is allowed by its hash (CSP Level 3, section 2.3.1). Frames
 * are the sandboxed previews of the tools.
 */
const policyWith = (early: string): string =>
  [
    "default-src 'none'",
    `script-src 'self'${early && ` '${hashSource(early)}'`}`,
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
    "trusted-types default tb-preview",
  ].join("; ");

/** By the script in the head, which only a new build changes: its hash would cost every request. */
const policies = new Map<string, string>();

function appPolicy(early: string): string {
  const known = policies.get(early) ?? policyWith(early);
  policies.set(early, known);
  return known;
}

/** `assets`: what the page was rendered with. */
export const appHeaders = (assets: AppAssets | null): Record<string, string> => ({
  "Content-Security-Policy": appPolicy(assets?.early ?? ""),
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
});

/** What the script of these pages knows of the service (`web/page-facts.ts`). */
export type ServiceShown = {
  /** The path under which it is published, without a slash at its end; empty at the root of a host. */
  base: string;
  name: string;
  /** What new keys begin with, and the environment variable from which samples read one. */
  keyPrefix: string;
  keyVariable: string;
  /** The names of the operator's own pages. */
  legal: readonly string[];
  tools: readonly ToolShown[];
  /** The name of a tool, and a request that it takes; left out for a call without a body. */
  firstCall: { tool: string; request?: unknown } & CallTraits;
};

/** `docs`: the path of its reference. `page`: where the calls of the tool's page run; null for a tool without one. */
export type ToolShown = {
  name: string;
  title: string;
  summary: string;
  docs: string;
  page: "browser" | "api" | null;
} & CallTraits;

function serviceShown(options: PageOptions): ServiceShown {
  const { tool, request } = firstCall(options.tools);
  const pages = new Set(toolsWithPage(options));
  const inBrowser = new Set(browserTools(options));
  const pageOf = (tool: Tool) => (inBrowser.has(tool) ? "browser" : pages.has(tool) ? "api" : null);
  return {
    base: basePath(options.publicUrl),
    name: options.name,
    keyPrefix: options.keyPrefix,
    keyVariable: keyVariableOf(options),
    legal: Object.keys(options.legal ?? {}),
    tools: options.tools.map((tool) => {
      const { name, title, summary } = tool;
      const docs = `/docs/${docsSlugOf(tool)}`;
      return { name, title, summary, docs, page: pageOf(tool), ...traitsOf(tool) };
    }),
    firstCall: { tool: tool.name, request, ...traitsOf(tool) },
  };
}

export function renderAppPage(
  page: AppPage,
  options: PageOptions,
  assets: AppAssets | null,
): string {
  const { publicUrl, name, look } = options;
  const base = basePath(publicUrl);
  const site = { publicUrl, name, look, files: assets?.files ?? null };
  const head = {
    path: page.findable ? page.path : null,
    title: `${page.title} - ${options.name}`,
    description: page.description,
  };
  return String(html`<!doctype html>
<html lang="en">
<head>
${renderMeta(head, site)}<meta name="tb-service" content="${JSON.stringify(serviceShown(options))}">
${assets && renderAssets(assets, site)}</head>
<body${isMemberPath(page.path) && raw(' data-area="member"')}>
${renderHeader(page.path, options)}<div class="tb-body">
<nav class="tb-side tb-nav" aria-label="Dashboard">${sideLinks(page.path, options)}</nav>
<div id="app">
${renderMain(page, assets !== null, base)}</div>
</div>
${renderFooter(options)}</body>
</html>
`);
}

/**
 * Preloads the styles; the script applies them, so they do not block the first paint. The visitor, for whom every page asks first, is
 * asked for while the scripts load: one round trip less before the page is complete.
 */
function renderAssets(
  { early, firstPaint, styles, scripts, preloads }: AppAssets,
  site: HeadOptions,
): Html {
  const base = basePath(site.publicUrl);
  const style = tokensCss() + serviceStyle(site) + firstPaint + SHELL_STYLE + GATE_STYLE;
  return html`<script>${raw(early)}</script>
<style>${raw(style)}</style>
${preloadFonts(site, ["sans.woff2"])}<link rel="preload" as="fetch" crossorigin href="${base}/dashboard/visitor">
${styles.map((file) => html`<link rel="preload" as="style" crossorigin href="${base}/${file}">\n`)}${scripts.map(
  (file) => html`<script type="module" crossorigin src="${base}/${file}"></script>\n`,
)}${preloads.map((file) => html`<link rel="modulepreload" fetchpriority="low" crossorigin href="${base}/${file}">\n`)}`;
}

/** What React replaces. */
const renderMain = (
  { path, title, description, isNarrow = false }: AppPage,
  isBuilt: boolean,
  base: string,
): Html => html`<main id="content">
<div${isNarrow && raw(' class="tb-sign-in"')}>
<div class="tb-page-title"><h1>${title}</h1></div>
<noscript><p class="tb-banner" data-tone="warn">This page needs JavaScript. The <a href="${base}/docs">documentation</a> and the API do not.</p></noscript>
${isBuilt ? !isMemberPath(path) && html`<p class="tb-lead${isNarrow && " tb-scripted"}">${description}</p>` : NOT_BUILT}
</div>
</main>
`;

const NOT_BUILT = html`<p>This page is not available yet because the service is still building its pages. Try again in a minute. If the problem persists, ask the operator of this service to check its log. The API is not affected.</p>`;
