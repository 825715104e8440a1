import { transportPolicy } from "#api/transport-policy.ts";
import { listAppPages } from "./app-pages.ts";
import { hashSource } from "./content-hash.ts";
import { llmsText, robotsText, sitemapXml } from "./discovery.ts";
import { createDocs, type Docs, prefersMarkdown } from "./docs/docs.ts";
import { frontPage } from "./front.ts";
import { FRONT_STYLE } from "./front-style.ts";
import { gatePicture } from "./gate.ts";
import { serviceStyle, webManifest } from "./head.ts";
import { legalPage } from "./legal-pages.ts";
import { LEGAL_PATHS } from "./legal-sources.ts";
import { html } from "./markup.ts";
import { pageLinks } from "./page-links.ts";
import { type PageOptions, toolsWithPage } from "./page-options.ts";
import { PRICING_PATH, pricingPage } from "./pricing.ts";
import { renderPage } from "./shell.ts";
import { STYLE } from "./style.ts";

/** A page or another text of the site. It depends on nothing but the settings, so it is the same for everyone. */
export type SitePage = { type: string; body: string; headers: Record<string, string> };

export type Pages = {
  /** The page at a path, in the form that `Accept` prefers; undefined where there is none. */
  find(path: string, accept?: string | null): SitePage | undefined;
  notFound: SitePage;
  /** Null where the sources of the documentation are missing. */
  docs: Docs | null;
};

export const HTML = "text/html; charset=utf-8";
export const TEXT = "text/plain; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";

/** Paths of pages and texts besides those of the documentation. Not each service has every one of them. */
export const SITE_PATHS = [
  ...["/", PRICING_PATH, ...LEGAL_PATHS],
  ...["/llms.txt", "/robots.txt", "/sitemap.xml", "/manifest.webmanifest"],
];
export const isDocsPath = (path: string): boolean => /^\/docs(?:\/|\.md$|$)/.test(path);
const SEARCH_INDEX_PATH = "/docs/search.json";
/** What has no hash of its content in its path, so that a change is seen after a day. */
export const FOR_A_DAY = { "Cache-Control": "public, max-age=86400" };

/** The pages that the server renders, each when it is first asked for. */
export function createPages(options: PageOptions): Pages {
  const { publicUrl, assets } = options;
  const site = { publicUrl, name: options.name, look: options.look, files: assets?.files ?? null };
  const docs = options.docs === undefined ? null : createDocs(options.docs, options);
  const headers = {
    "Content-Security-Policy": pagePolicy(serviceStyle(site), assets?.early ?? ""),
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    ...transportPolicy(publicUrl),
  };
  const page = (body: string): SitePage => ({ type: HTML, body, headers });
  const text = (type: string, body: string, own = {}): SitePage => ({ type, body, headers: own });

  function make(path: string): SitePage | undefined {
    if (path === "/") return page(frontPage(options));
    if (path === PRICING_PATH) return page(pricingPage(options));
    if (path === "/llms.txt") return text(TEXT, llmsText(options, docs?.entries ?? []));
    if (path === "/robots.txt") return text(TEXT, robotsText(publicUrl));
    if (path === "/sitemap.xml") return text("application/xml", sitemapXml(publicUrl, listed()));
    if (path === "/manifest.webmanifest")
      return text("application/manifest+json", webManifest(site), FOR_A_DAY);
    if (path === SEARCH_INDEX_PATH && docs !== null)
      return text("application/json", docs.searchIndex());
    const legal = legalPage(path, options);
    if (legal !== undefined) return page(legal);
    const markdown = path.endsWith(".md") ? docs?.markdown(path.slice(0, -3)) : undefined;
    if (markdown !== undefined) return text(MARKDOWN, markdown);
    const html = docs?.html(path);
    return html === undefined
      ? undefined
      : { type: HTML, body: html, headers: { ...headers, Vary: "Accept" } };
  }
  const made = new Map<string, SitePage>();
  function keep(path: string): SitePage | undefined {
    const known = made.get(path);
    if (known !== undefined) return known;
    const page = make(path);
    if (page !== undefined) made.set(path, page);
    return page;
  }

  const listed = () => [
    ...["/", PRICING_PATH, ...LEGAL_PATHS.filter((path) => keep(path) !== undefined)],
    ...(docs?.paths ?? []),
    ...listAppPages(options.tools).flatMap(({ path, findable }) => (findable ? [path] : [])),
  ];
  return {
    docs,
    find(path, accept = null) {
      const markdown = isDocsPath(path) && prefersMarkdown(accept) ? keep(`${path}.md`) : undefined;
      return markdown ? { ...markdown, headers: { Vary: "Accept" } } : keep(path);
    },
    notFound: page(notFoundPage(options)),
  };
}

/** The 404 page. It repeats nothing of the request, so it is the same for everybody. */
function notFoundPage(options: PageOptions): string {
  const { front, docs, tools } = pageLinks(options.publicUrl);
  return renderPage(
    {
      path: null,
      title: `Not found - ${options.name}`,
      description: "This service has no page at this address.",
      style: FRONT_STYLE,
      main: html`<div class="lost">${gatePicture("search", { raised: false })}<p class="code-word" aria-hidden="true">404</p>
<h1>Page not found</h1>
<p class="lead">The page may have moved, or the address may be misspelled. Addresses are in lower case and have no slash at the end.</p>
<p class="actions"><a class="button" href="${front}">Go to the front page</a>
<a class="button quiet" href="${docs}">Read the documentation</a>
${toolsWithPage(options).length > 0 && html`<a class="button quiet" href="${tools}">Open the tools</a>`}</p></div>`,
    },
    options,
  );
}

const STYLE_HASHES = [STYLE, FRONT_STYLE].map((style) => ` '${hashSource(style)}'`).join("");

/**
 * The Content-Security-Policy of the server-rendered pages: scripts, fonts and icons are files of this service, the inline styles
 * and the one inline script are allowed by their hashes (CSP Level 3, section 2.3.1), and nothing is loaded from elsewhere.
 * `own`: the style of the service (`serviceStyle`); empty without a build and a colour.
 */
const pagePolicy = (own: string, early: string): string =>
  [
    "default-src 'none'",
    `style-src${STYLE_HASHES}${own && ` '${hashSource(own)}'`}`,
    `script-src 'self'${early && ` '${hashSource(early)}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    // The search fetches its index, and the header who the visitor is.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
