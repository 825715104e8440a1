import { ERROR_CODES, sampleProblem } from "#api/openapi/problems.ts";
import { ERRORS, type ErrorCode } from "#errors.ts";
import { codeBlock, jsonCode, statusBadge } from "./code-block.ts";
import type { DocsPage } from "./docs-frame.ts";
import { scrollTable } from "./guide-blocks.ts";
import { type Html, html, prose } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";

/** Every code with its cause and its cure. The `type` of a refusal leads to its entry, so the ids are the codes. */
export function errorsPage(options: PageOptions): DocsPage {
  const { calls } = pageLinks(options.publicUrl);
  const rows = ERROR_CODES.map((code) => [
    html`<a href="#${code}"><code>${code}</code></a>`,
    statusBadge(ERRORS[code].status),
    ERRORS[code].title,
  ]);
  return {
    path: "/docs/errors",
    label: "Errors",
    title: "Errors",
    description: "Every refusal of the Toolbooth API: its status, its cause and its cure.",
    lead: "Why a call is refused, and what to do about it. A refusal never costs a credit.",
    contents: ERROR_CODES.map((code) => ({ id: code, label: html`<code>${code}</code>` })),
    body: html`<p class="prose">Every refusal has a <code>code</code> that never changes its meaning, and a <code>type</code> that leads to its entry here. <a href="${calls}#responses">How refusals are made</a> is told under Making calls.</p>
${scrollTable("All codes", ["Code", "Status", "Meaning"], rows)}${ERROR_CODES.map((code) =>
  entry(code, options),
)}`,
  };
}

function entry(code: ErrorCode, options: PageOptions): Html {
  const { status, title, cause, cure } = ERRORS[code];
  return html`<section class="entry split" id="${code}">
<div class="prose"><h2><a href="#${code}"><code>${code}</code></a>${statusBadge(status)}</h2>
<p class="lead">${title}</p>
<dl><dt>When</dt><dd>${prose(cause)}</dd><dt>What to do</dt><dd>${prose(cure)}</dd></dl></div>
<div class="aside">${codeBlock("Example", jsonCode(sampleProblem(code, options)), { status })}</div>
</section>
`;
}
