import { transportPolicy } from "#api/transport-policy.ts";
import { listAppPages } from "./app-pages.ts";
import { hashSource } from "./content-hash.ts";
import { llmsText, robotsText, sitemapXml } from "./discovery.ts";
import { createDocs, type Docs } from "./docs/docs.ts";
import { EARLY_SCRIPT } from "./early-script.ts";
import { frontPage } from "./front.ts";
import { FRONT_STYLE } from "./front-style.ts";
import { gatePicture } from "./gate.ts";
import { fontStyle, webManifest } from "./head.ts";
import { html } from "./html.ts";
import { legalPage } from "./legal-pages.ts";
import { LEGAL_PATHS } from "./legal-sources.ts";
import { pageLinks } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";
import { PREVIEW_STYLE } from "./preview-style.ts";
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
  webManifest: string;
  /** Headers of every page. */
  headers: Record<string, string>;
  /** The same for a path of the documentation, some of which have the playground. */
  docsHeaders(path: string): Record<string, string>;
};

export function createPages(options: PageOptions): Pages {
  const { publicUrl, dashboard } = options;
  const site = { publicUrl, files: options.assets?.files ?? null };
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
  const headers = {
    "Content-Security-Policy": pagePolicy(fontStyle(site)),
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    ...transportPolicy(publicUrl),
  };
  const withPlayground = {
    ...headers,
    "Content-Security-Policy": playgroundPolicy(fontStyle(site)),
  };
  const playgrounds = new Set(
    dashboard && options.assets?.script ? options.tools.map(({ name }) => `/docs/${name}`) : [],
  );
  return {
    front: frontPage(options),
    pricing: pricingPage(options),
    legal: (path) => legal.get(path),
    docs,
    notFound: notFoundPage(options),
    llms: llmsText(options, docs?.entries ?? []),
    robots: robotsText(publicUrl),
    sitemap: sitemapXml(publicUrl, paths),
    webManifest: webManifest(site),
    headers,
    docsHeaders: (path) => (playgrounds.has(path) ? withPlayground : headers),
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
      style: FRONT_STYLE,
      main: html`<div class="lost">${gatePicture("search", { raised: false })}<p class="code-word" aria-hidden="true">404</p>
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
 * The Content-Security-Policy of the server-rendered pages: scripts, fonts and icons are files of this service, the inline styles
 * and the one inline script are allowed by their hashes (CSP Level 3, section 2.3.1), and nothing is loaded from elsewhere.
 * `fonts`: the style that declares the typefaces.
 */
export const pagePolicy = (fonts: string): string => policyOf(fonts, NOTHING_MORE);

/** What a page needs beyond the others: sources of styles and images, whole directives, and policies of Trusted Types. */
type Needs = { styles: string; images: string; directives: string[]; trustedTypes: string };
const NOTHING_MORE: Needs = { styles: "", images: "", directives: [], trustedTypes: "'none'" };

const policyOf = (fonts: string, needs: Needs): string =>
  [
    "default-src 'none'",
    `style-src ${STYLE_HASHES}${needs.styles}${fonts && ` '${hashSource(fonts)}'`}`,
    `script-src 'self' '${hashSource(EARLY_SCRIPT)}'`,
    `img-src 'self' data:${needs.images}`,
    "font-src 'self'",
    "manifest-src 'self'",
    // The search fetches its index, and the header who the visitor is.
    "connect-src 'self'",
    ...needs.directives,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${needs.trustedTypes}`,
  ].join("; ");

const STYLE_HASHES = [STYLE, FRONT_STYLE].map((style) => `'${hashSource(style)}'`).join(" ");

/**
 * The same for the reference of a tool, which has the playground: it runs tools in workers, and shows images that it has made
 * and a preview in a frame without scripts. The policies of Trusted Types are in `web/trusted-types.ts`. Styles are still only
 * those of the page and of the preview.
 */
const playgroundPolicy = (fonts: string): string =>
  policyOf(fonts, {
    styles: ` '${hashSource(PREVIEW_STYLE)}'`,
    images: " blob:",
    directives: ["worker-src 'self'", "frame-src 'self'"],
    trustedTypes: "default toolbooth-preview",
  });
