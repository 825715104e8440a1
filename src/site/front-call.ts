import hash from "#tools/hash/tool.ts";
import { codeBlock, highlightJson } from "./code-block.ts";
import { gatePicture } from "./gate.ts";
import { type Html, html } from "./html.ts";
import { layOutJson } from "./json-layout.ts";
import type { PageOptions } from "./page-options.ts";
import { curlCode } from "./request-code.ts";

/** A call beside the words of the front page: the request, the barrier that takes its price, and the response. All of it is true. */
export function callShown({ publicUrl, tools }: PageOptions): Html {
  const tool = tools.find(({ name }) => name === hash.name) ?? hash;
  const [example] = hash.examples as [(typeof hash.examples)[number]];
  const call = { url: `${publicUrl}/api/v1/${hash.name}`, body: example.request };
  return html`<div class="call">
${codeBlock("Request", curlCode(call))}
<div class="toll">${gatePicture("hash", { raised: true })}<p><code>Credits-Charged: ${tool.price}</code><span>${
    tool.price === 1 ? "One credit." : `${tool.price} credits.`
  } An error costs none.</span></p></div>
${codeBlock(html`Response <b class="status">200 OK</b>`, highlightJson(layOutJson(example.response)))}</div>
`;
}
