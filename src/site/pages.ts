import { sha256 } from "@noble/hashes/sha2.js";
import { transportPolicy } from "#api/transport-policy.ts";
import { listAppPages } from "./app-pages.ts";
import { llmsText, robotsText, sitemapXml } from "./discovery.ts";
import { createDocs, type Docs } from "./docs/docs.ts";
import { frontPage } from "./front.ts";
import { html } from "./html.ts";
import { legalPage } from "./legal-pages.ts";
import { LEGAL_PATHS } from "./legal-sources.ts";
import { pageLinks } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";
import { PRICING_PATH, pricingPage } from "./pricing.ts";
import { renderPage } from "./shell.ts";
import { STYLE } from "./style.ts";

/** The pages that the server renders. They depend on nothing but the settings, so each is rendered once. */
export type Pages = {
  front: string;
  pricing: string;
  /** One of the operator's own pages by its path; undefined where there is none. */
  legal(path: string): string | undefined;
  /** Null where the sources of the documentation are missing. */
  docs: Docs | null;
  notFound: string;
  llms: string;
  robots: string;
  sitemap: string;
  /** Headers of every page. */
  headers: Record<string, string>;
};

export function createPages(options: PageOptions): Pages {
  const { publicUrl, dashboard } = options;
  const docs = options.docs === undefined ? null : createDocs(options.docs, options);
  const drawn = dashboard
    ? listAppPages(options.tools, publicUrl).filter(({ findable }) => findable)
    : [];
  const legal = new Map(
    LEGAL_PATHS.flatMap((path) => {
      const page = legalPage(path, options);
      return page === undefined ? [] : [[path, page] as const];
    }),
  );
  const paths = [
    "/",
    PRICING_PATH,
    ...legal.keys(),
    ...(docs?.paths ?? []),
    ...drawn.map(({ path }) => path),
  ];
  return {
    front: frontPage(options),
    pricing: pricingPage(options),
    legal: (path) => legal.get(path),
    docs,
    notFound: notFoundPage(options),
    llms: llmsText(options, docs?.entries ?? []),
    robots: robotsText(publicUrl),
    sitemap: sitemapXml(publicUrl, paths),
    headers: {
      "Content-Security-Policy": PAGE_CSP,
      "Referrer-Policy": "same-origin",
      "Cross-Origin-Opener-Policy": "same-origin",
      ...transportPolicy(publicUrl),
    },
  };
}

/** The 404 page. It repeats nothing of the request, so it is the same for everybody. */
function notFoundPage(options: PageOptions): string {
  const { front, docs, tools } = pageLinks(options.publicUrl);
  return renderPage(
    {
      path: null,
      title: "Not found - Toolbooth",
      description: "This service has no page at this address.",
      current: null,
      main: html`<div class="lost"><p class="code-word" aria-hidden="true">404</p>
<h1>Page not found</h1>
<p class="lead">The page may have moved, or the address may be misspelled. Addresses are in lower case and have no slash at the end.</p>
<p class="actions"><a class="button" href="${front}">Go to the front page</a>
<a class="button quiet" href="${docs}">Read the documentation</a>
${options.dashboard && html`<a class="button quiet" href="${tools}">Open the tools</a>`}</p></div>`,
    },
    options,
  );
}

/**
 * The Content-Security-Policy of the server-rendered pages: scripts are files of this service, the one inline style is allowed
 * by its hash (CSP Level 3, section 2.3.1), and nothing is loaded from elsewhere.
 */
export const PAGE_CSP = [
  "default-src 'none'",
  `style-src '${hashSource(STYLE)}'`,
  "script-src 'self'",
  "img-src data:",
  // The search of the documentation fetches its index.
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

function hashSource(text: string): string {
  const digest = sha256(new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}
