import { transportPolicy } from "#api/transport-policy.ts";
import { listAppPages } from "./app-pages.ts";
import { llmsText, robotsText, sitemapXml } from "./discovery.ts";
import { createDocs, type Docs } from "./docs/docs.ts";
import { frontPage } from "./front.ts";
import { notFoundPage } from "./not-found.ts";
import type { PageOptions } from "./page-options.ts";
import { PAGE_CSP } from "./page-policy.ts";

/** The pages that the server renders. They depend on nothing but the settings, so each is rendered once. */
export type Pages = {
  front: string;
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
  const paths = ["/", ...(docs?.paths ?? []), ...drawn.map(({ path }) => path)];
  return {
    front: frontPage(options),
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
