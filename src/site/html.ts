/**
 * Templates for HTML. An `html` template escapes every value except the result of another template, so a page cannot forget
 * to escape.
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

/** What a template accepts: nothing (`null`, `undefined`, `false`), text, finished HTML, or a list of these. */
export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  let text = strings[0] as string;
  parts.forEach((part, index) => {
    text += render(part) + strings[index + 1];
  });
  return new Html(text);
}

/** Marks text as finished HTML: constants of this folder and the output of the Markdown engine. Never for input of a client. */
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

/** Turns `backticks` into code elements; the text around them is escaped. */
export function prose(text: string): HtmlPart {
  return text
    .split("`")
    .map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));
}
