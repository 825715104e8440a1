import { html } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";
import { renderPage } from "./shell.ts";

/** The page for an address that has none. It repeats nothing of the request, so it is the same for everyone. */
export function notFoundPage(options: PageOptions): string {
  const { front, docs, tools } = pageLinks(options.publicUrl);
  return renderPage(
    {
      path: null,
      title: "Not found - Toolbooth",
      description: "There is no page at this address.",
      current: null,
      main: html`<div class="lost"><p class="code-word" aria-hidden="true">404</p>
<h1>There is nothing at this address</h1>
<p class="lead">The page may have moved, or the address is misspelt. Addresses here have no slash at their end, and their letters are lower-case.</p>
<p class="actions"><a class="button" href="${front}">Go to the front page</a>
<a class="button quiet" href="${docs}">Read the documentation</a>
${options.people && html`<a class="button quiet" href="${tools}">Open the tools</a>`}</p></div>`,
    },
    options,
  );
}
