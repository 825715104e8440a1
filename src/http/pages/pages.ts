import { describeApi } from "../openapi.ts";
import type { ApiOptions } from "../openapi-document.ts";
import { docsPage } from "./docs.ts";
import { errorsPage } from "./errors.ts";
import { frontPage } from "./front.ts";
import { notFoundPage } from "./not-found.ts";
import { PAGE_CSP } from "./page-policy.ts";

/** The pages, each made once: they depend on nothing but the settings. */
export type Pages = {
  front: string;
  docs: string;
  errors: string;
  notFound: string;
  /** What every page is sent with. */
  headers: Record<string, string>;
};

export function createPages(options: ApiOptions): Pages {
  return {
    front: frontPage(options),
    docs: docsPage(describeApi(options), options),
    errors: errorsPage(options),
    notFound: notFoundPage(options),
    headers: {
      "Content-Security-Policy": PAGE_CSP,
      "Referrer-Policy": "same-origin",
      "Cross-Origin-Opener-Policy": "same-origin",
    },
  };
}
