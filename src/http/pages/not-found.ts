import type { ApiOptions } from "../openapi-document.ts";
import { html } from "./html.ts";
import { pageLinks, renderPage } from "./shell.ts";

/** The page for an address that has none. It repeats nothing of the request, so it is the same for everyone. */
export function notFoundPage(options: ApiOptions): string {
  const { front, docs } = pageLinks(options.publicUrl);
  return renderPage(
    {
      title: "Not found - Toolbooth",
      description: "There is no page at this address.",
      current: null,
      main: html`<div class="hero"><h1>There is nothing at this address</h1>
<p class="lead">The page may have moved, or the address is misspelt. Addresses here have no slash at their end, and letters are lower-case.</p></div>
<ul class="links"><li><a href="${front}">Go to the front page</a></li><li><a href="${docs}">Read the documentation</a></li></ul>`,
    },
    options,
  );
}
