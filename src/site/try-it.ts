import { keyVariableOf } from "#brand.ts";
import type { Tool } from "#tools/define-tool.ts";
import hash from "#tools/hash/tool.ts";
import { drawQrSvg } from "#tools/qr-code/draw.ts";
import { encodeQr, type QrSymbol } from "#tools/qr-code/encode-qr.ts";
import qrCode from "#tools/qr-code/tool.ts";
import { codeBlock, type Html, html, raw } from "./markup.ts";
import type { PageOptions } from "./page-options.ts";
import { curlCode } from "./request-code.ts";

/**
 * Two tools to try on the front page of a service that has both as they come in the box; null for any other. The server renders an
 * example; with its script (`web/front/try-it.ts`) the field takes any text and the elements marked `data-try` follow it.
 */
export function tryIt(options: PageOptions): Html | null {
  const { assets, tools } = options;
  if (![hash, qrCode].every((tool) => tools.includes(tool as Tool))) return null;
  const [example] = hash.examples as [(typeof hash.examples)[number]];
  const { text } = example.request as { text: string };
  const { hash: digest } = example.response as { hash: string };
  const svg = drawQrSvg(encodeQr(text, "M") as QrSymbol, QR_WIDTH);
  const withScript = Boolean(assets?.script);
  return html`<section class="try" aria-labelledby="try"${withScript && raw(" data-try")}>
<div><h2 id="try">${withScript ? "Try it now" : "Two tools and their results"}</h2>
<label for="try-text">${withScript ? "Your text" : "Text"}</label>
<textarea id="try-text" rows="4" maxlength="2000" readonly spellcheck="false" autocomplete="off" autocapitalize="off" aria-describedby="try-hint">${text}</textarea>
<p class="hint" id="try-hint">${
    withScript
      ? html`<span data-try="hint">Computed on this page by the code that serves the API. Nothing is sent.</span><noscript> This is an example: turn on JavaScript to use your own text.</noscript>`
      : "An example, computed by this service."
  }</p></div>
<div class="results"><div class="made"><div class="qr"><img data-try="qr" src="data:image/svg+xml,${encodeURIComponent(
    svg,
  )}" width="${QR_WIDTH}" height="${QR_WIDTH}" alt="QR code of the text"></div>
<dl><dt><code>qr-code</code></dt><dd data-try="qr-note">Level M, as SVG</dd>
<dt><code>hash</code></dt><dd><code class="digest" data-try="hash">${digest}</code></dd></dl></div>
<p class="fault" role="status" data-try="fault"></p>
${codeBlock("The hash as a call", curlParts(options, text))}</div></section>`;
}

const QR_WIDTH = 160;

/** The call, with the body in an element of its own: it is the last word of the command. */
function curlParts(options: PageOptions, text: string): Html {
  const url = `${options.publicUrl}/api/v1/hash`;
  const code = curlCode({ url, body: { text }, variable: keyVariableOf(options) });
  const at = code.indexOf("-d ") + "-d ".length;
  return html`${code.slice(0, at)}<span data-try="body">${code.slice(at)}</span>`;
}
