import { type Html, type HtmlPart, html } from "./html.ts";
import { layOutJson } from "./json-layout.ts";

/** Code on a page: a figure with a caption, and for JSON a little colour. The script adds a button to copy it. */
export function codeBlock(
  caption: HtmlPart,
  code: HtmlPart,
  { status, variant }: { status?: number; variant?: string } = {},
): Html {
  const classes = variant === undefined ? "code" : `code ${variant}`;
  return html`<figure class="${classes}"><figcaption><span>${caption}</span>${
    status !== undefined && statusBadge(status)
  }</figcaption><pre><code>${code}</code></pre></figure>
`;
}

export const statusBadge = (status: number): Html =>
  html`<span class="badge s${Math.floor(status / 100)}">${status}</span>`;

export const methodBadge = (method: string): Html => html`<span class="badge">${method}</span>`;

const STRING_OR_LITERAL = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

/** JSON, indented, with its names, texts and other values told apart. */
export function jsonCode(value: unknown): HtmlPart {
  const text = layOutJson(value);
  const parts: HtmlPart[] = [];
  let end = 0;
  for (const match of text.matchAll(STRING_OR_LITERAL)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(end, match.index));
    if (string === undefined) parts.push(html`<i class="v">${whole}</i>`);
    else if (colon === undefined) parts.push(html`<i class="t">${string}</i>`);
    else parts.push(html`<i class="k">${string}</i>`, colon);
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}

const SHOWN_CHARS_MAX = 120;

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
