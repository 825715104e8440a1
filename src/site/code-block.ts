import { type Html, type HtmlPart, html } from "./html.ts";

/** A figure with a caption and code. The script of the pages adds a button that copies the code. */
export function codeBlock(
  caption: HtmlPart,
  code: HtmlPart,
  { language }: { language?: string } = {},
): Html {
  return html`<figure class="code"${language !== undefined && html` data-language="${language}"`}><figcaption><span>${caption}</span></figcaption><pre><code>${code}</code></pre></figure>
`;
}

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
