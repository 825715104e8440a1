import { TOOLS } from "#tools/index.ts";
import type { ApiOptions } from "../openapi-document.ts";
import { codeBlock } from "./code-block.ts";
import { html, prose } from "./html.ts";
import { curlCode } from "./request-code.ts";
import { pageLinks, renderPage } from "./shell.ts";

/** The front page: what this is, one call to try, and where to read on. */
export function frontPage(options: ApiOptions): string {
  const links = pageLinks(options.publicUrl);
  const call = { url: `${options.publicUrl}/api/v1/hash`, body: { text: "Hello, world!" } };
  const main = html`<div class="hero"><h1>Small tools, one request away</h1>
<p class="lead">Toolbooth runs five developer tools as HTTP endpoints: JSON in, JSON out, no client library. A successful call costs one credit; refused calls are free.</p></div>
${codeBlock("Try it", curlCode(call))}
<ul class="links"><li><a href="${links.docs}">Read the documentation</a></li><li><a href="${links.errors}">Look up an error</a></li><li><a href="${links.openapi}">OpenAPI description</a></li></ul>
<section aria-labelledby="tools"><h2 id="tools">The tools</h2>
<ul class="cards">${TOOLS.map(
    ({ name, summary }) =>
      html`<li><a href="${links.docs}#${name}"><code>${name}</code><span>${prose(summary)}</span></a></li>\n`,
  )}</ul></section>`;
  return renderPage(
    {
      title: "Toolbooth - small developer tools over HTTP",
      description: "Markdown, QR codes, hashes, UUIDs and echo as metered HTTP endpoints.",
      current: null,
      main,
    },
    options,
  );
}
