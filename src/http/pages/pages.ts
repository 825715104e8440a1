import { TOOLS } from "#tools/index.ts";
import { describeApi } from "../openapi.ts";
import { robotsText, sitemapXml } from "./discovery.ts";
import { accountsPage } from "./docs-accounts.ts";
import { browserToolsPage } from "./docs-browser-tools.ts";
import { callsPage } from "./docs-calls.ts";
import { renderDocsPage } from "./docs-frame.ts";
import { referencePage } from "./docs-reference.ts";
import { selfHostingPage } from "./docs-self-hosting.ts";
import { startPage } from "./docs-start.ts";
import { errorsPage } from "./errors.ts";
import { frontPage } from "./front.ts";
import { notFoundPage } from "./not-found.ts";
import type { PageOptions } from "./page-options.ts";
import { PAGE_CSP } from "./page-policy.ts";

/** The pages, each made once: they depend on nothing but the settings. */
export type Pages = {
  /** Every page by its path. */
  byPath: Readonly<Record<string, string>>;
  notFound: string;
  /** What `/robots.txt` and `/sitemap.xml` say. */
  robots: string;
  sitemap: string;
  /** What every page is sent with. */
  headers: Record<string, string>;
  front: string;
  docs: string;
  errors: string;
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
    ...(people ? [browserToolsPage(options)] : []),
    selfHostingPage(document, options),
  ];
  const byPath: Record<string, string> = { "/": frontPage(options) };
  for (const page of docs) byPath[page.path] = renderDocsPage(page, docs, options);
  const toolPaths = people ? ["/tools", ...TOOLS.map(({ name }) => `/tools/${name}`)] : [];
  return {
    byPath,
    notFound: notFoundPage(options),
    robots: robotsText(publicUrl),
    sitemap: sitemapXml(publicUrl, [...Object.keys(byPath), ...toolPaths]),
    headers: {
      "Content-Security-Policy": PAGE_CSP,
      "Referrer-Policy": "same-origin",
      "Cross-Origin-Opener-Policy": "same-origin",
    },
    front: byPath["/"] as string,
    docs: byPath["/docs"] as string,
    errors: byPath["/docs/errors"] as string,
  };
}
