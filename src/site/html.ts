/**
 * Text to HTML. Whatever is put into an `html` template is escaped, unless it came out of one:
 * there is no way to forget it, and no other way in these pages to make HTML.
 */

/** A piece of finished HTML. Only `html` and `trusted` make one. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What a template takes: nothing (`null`, `undefined`, `false`), text, finished HTML, or a list of them. */
export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  let text = strings[0] as string;
  parts.forEach((part, index) => {
    text += render(part) + strings[index + 1];
  });
  return new Html(text);
}

/** For the constant style, script and drawings of this folder. Never for anything that a caller sent. */
export const trusted = (text: string): Html => new Html(text);

function render(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return part.map(render).join("");
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);

/** Descriptions are plain sentences in which `backticks` mark code: the only markup they have. */
export function prose(text: string): HtmlPart {
  return text
    .split("`")
    .map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));
}

/** A description of several paragraphs, parted by blank lines. */
export const paragraphs = (text: string): HtmlPart =>
  text.split(/\n{2,}/).map((paragraph) => html`<p>${prose(paragraph)}</p>`);
