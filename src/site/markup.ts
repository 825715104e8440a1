import { raw, html as template } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

/**
 * The templates of all pages: Hono's, which escape every value but a piece of finished HTML. `raw` marks a text as finished:
 * constants of this folder and the output of the Markdown engine, never input of a client.
 */
export type Html = HtmlEscapedString;

/** What a template accepts: text, finished HTML, a list of these, or nothing. */
export type HtmlPart = string | number | boolean | null | undefined | readonly HtmlPart[];

/** Hono's `html` without promises, so that it returns none. Finished HTML is an object: `String(…)` makes a text of it. */
export const html = (strings: TemplateStringsArray, ...parts: HtmlPart[]): Html =>
  template(strings, ...parts) as Html;

export { raw };

/** Turns `backticks` into code elements; the text around them is escaped. */
export const prose = (text: string): HtmlPart =>
  text.split("`").map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));

/** A figure with a caption and code. The script of the pages adds a button that copies the code. */
export const codeBlock = (
  caption: HtmlPart,
  code: HtmlPart,
  { language }: { language?: string } = {},
): Html =>
  html`<figure class="code"${language !== undefined && html` data-language="${language}"`}><figcaption><span>${caption}</span></figcaption><pre><code>${code}</code></pre></figure>
`;

const STRING_OR_LITERAL = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

/** JSON text with its names, strings and other values marked for colour. */
export function highlightJson(text: string): HtmlPart {
  const parts: HtmlPart[] = [];
  let end = 0;
  for (const match of text.matchAll(STRING_OR_LITERAL)) {
    const [token, string, colon] = match;
    parts.push(text.slice(end, match.index));
    if (string === undefined) parts.push(html`<i class="v">${token}</i>`);
    else if (colon === undefined) parts.push(html`<i class="t">${string}</i>`);
    else parts.push(html`<i class="k">${string}</i>`, colon);
    end = match.index + token.length;
  }
  return [...parts, text.slice(end)];
}
