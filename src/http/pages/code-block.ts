import { type Html, type HtmlPart, html } from "./html.ts";

/** Code on a page: a figure with a caption, a button to copy it, and for JSON a little colour. */
export function codeBlock(
  caption: HtmlPart,
  code: HtmlPart,
  { status, variant }: { status?: number; variant?: string } = {},
): Html {
  const classes = variant === undefined ? "code" : `code ${variant}`;
  return html`<figure class="${classes}"><figcaption><span>${caption}</span>${
    status !== undefined && statusBadge(status)
  }<button class="copy" type="button" hidden>Copy</button></figcaption><pre><code>${code}</code></pre></figure>
`;
}

export const statusBadge = (status: number): Html =>
  html`<span class="badge s${Math.floor(status / 100)}">${status}</span>`;

export const methodBadge = (method: string): Html => html`<span class="badge">${method}</span>`;

const STRING_OR_LITERAL = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

/** JSON, indented, with its names, texts and other values told apart. */
export function jsonCode(value: unknown): HtmlPart {
  const text = JSON.stringify(value, null, 2);
  const parts: HtmlPart[] = [];
  let end = 0;
  for (const match of text.matchAll(STRING_OR_LITERAL)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(end, match.index));
    if (string === undefined) parts.push(html`<span class="v">${whole}</span>`);
    else if (colon === undefined) parts.push(html`<span class="t">${string}</span>`);
    else parts.push(html`<span class="k">${string}</span>`, colon);
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}

const SHOWN_CHARS_MAX = 220;

/** The same value with its long texts cut: a picture in base64 tells nobody anything. */
export function shorten(value: unknown): { value: unknown; cut: boolean } {
  let cut = false;
  const walk = (part: unknown): unknown => {
    if (typeof part === "string" && part.length > SHOWN_CHARS_MAX) {
      cut = true;
      return `${part.slice(0, SHOWN_CHARS_MAX).replace(/[\ud800-\udbff]$/, "")}…`;
    }
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, walk(member)]));
  };
  return { value: walk(value), cut };
}
