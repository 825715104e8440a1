import { ERRORS, type ErrorCode } from "#errors.ts";
import type { ApiOptions } from "../openapi-document.ts";
import { ERROR_CODES, sampleProblem } from "../openapi-refusals.ts";
import { codeBlock, jsonCode, statusBadge } from "./code-block.ts";
import { type Html, html, prose } from "./html.ts";
import { pageLinks, renderPage } from "./shell.ts";

/** Every code with its cause and its cure. The `type` of a refusal leads to its entry, so the ids are the codes. */
export function errorsPage(options: ApiOptions): string {
  const { docs } = pageLinks(options.publicUrl);
  const main = html`<h1>Errors</h1>
<p class="lead">Why a call is refused, and what to do about it. A refusal never costs a credit.</p>
<p class="prose">Every refusal has a <code>code</code> that never changes its meaning, and a <code>type</code> that leads to its entry here. <a href="${docs}#answers">How refusals are made</a> is told in the documentation.</p>
${ERROR_CODES.map((code) => entry(code, options.publicUrl))}`;
  return renderPage(
    {
      title: "Errors - Toolbooth",
      description: "Every refusal of the service: its status, its cause and its cure.",
      current: "errors",
      contents: [
        {
          title: "Codes",
          entries: ERROR_CODES.map((code) => ({
            href: `#${code}`,
            label: html`<code>${code}</code>`,
          })),
        },
      ],
      main,
    },
    options,
  );
}

function entry(code: ErrorCode, publicUrl: string): Html {
  const { status, title, cause, cure } = ERRORS[code];
  return html`<section class="entry split" id="${code}">
<div class="prose"><h2><a href="#${code}"><code>${code}</code></a>${statusBadge(status)}</h2>
<p class="lead">${title}</p>
<dl><dt>When</dt><dd>${prose(cause)}</dd><dt>What to do</dt><dd>${prose(cure)}</dd></dl></div>
<div class="aside">${codeBlock("Example", jsonCode(sampleProblem(code, publicUrl)), { status })}</div>
</section>
`;
}
