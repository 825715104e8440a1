import { html } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";
import { renderPage } from "./shell.ts";

/** The 404 page. It repeats nothing of the request, so it is the same for everybody. */
export function notFoundPage(options: PageOptions): string {
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
