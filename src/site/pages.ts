import { describeApi } from "#api/openapi/openapi.ts";
import { transportPolicy } from "#api/transport-policy.ts";
import { listAppPages } from "./app-pages.ts";
import { llmsText, robotsText, sitemapXml } from "./discovery.ts";
import { accountsPage } from "./docs-accounts.ts";
import { browserToolsPage } from "./docs-browser-tools.ts";
import { callsPage } from "./docs-calls.ts";
import { errorsPage } from "./docs-errors.ts";
import { renderDocsPage } from "./docs-frame.ts";
import { referencePage } from "./docs-reference.ts";
import { selfHostingPage } from "./docs-self-hosting.ts";
import { startPage } from "./docs-start.ts";
import { webhooksPage } from "./docs-webhooks.ts";
import { frontPage } from "./front.ts";
import { notFoundPage } from "./not-found.ts";
import type { PageOptions } from "./page-options.ts";
import { PAGE_CSP } from "./page-policy.ts";

/** The pages, each made once: they depend on nothing but the settings. */
export type Pages = {
  /** Every page by its path. */
  byPath: Readonly<Record<string, string>>;
  notFound: string;
  /** What `/llms.txt`, `/robots.txt` and `/sitemap.xml` say. */
  llms: string;
  robots: string;
  sitemap: string;
  /** What every page is sent with. */
  headers: Record<string, string>;
};

export function createPages(options: PageOptions): Pages {
  const { publicUrl, people } = options;
  const document = describeApi(options);
  const docs = [
    startPage(options),
    callsPage(options),
    referencePage(document, options),
    errorsPage(options),
    accountsPage(options),
    ...(people ? [webhooksPage(options), browserToolsPage(options)] : []),
    selfHostingPage(document, options),
  ];
  const byPath: Record<string, string> = { "/": frontPage(options) };
  for (const page of docs) byPath[page.path] = renderDocsPage(page, docs, options);
  const drawn = people
    ? listAppPages(options.tools, publicUrl).filter(({ findable }) => findable)
    : [];
  return {
    byPath,
    notFound: notFoundPage(options),
    llms: llmsText(options),
    robots: robotsText(publicUrl),
    sitemap: sitemapXml(publicUrl, [...Object.keys(byPath), ...drawn.map(({ path }) => path)]),
    headers: {
      "Content-Security-Policy": PAGE_CSP,
      "Referrer-Policy": "same-origin",
      "Cross-Origin-Opener-Policy": "same-origin",
      ...transportPolicy(publicUrl),
    },
  };
}
