import { Marked } from "marked";

/**
 * Careless renderers, which show that the tests' pages detect violations: one lets HTML and all addresses through, one
 * puts values between quotes unescaped, and one does nothing.
 */
const marked = new Marked({ gfm: true });

export const careless: readonly ((markdown: string) => string)[] = [
  (markdown) => marked.parse(markdown, { async: false }),
  interpolate,
  (markdown) => markdown,
];

function interpolate(markdown: string): string {
  return markdown
    .replaceAll(/^ *(?:```|~~~)(.*)\n([\s\S]*?)(?:```|~~~|$)/gm, '<pre class="$1">$2</pre>')
    .replaceAll(/^\[\^(.+?)\]: (.*)$/gm, '<p id="$1">$2</p>')
    .replaceAll(/^# (.*)$/gm, '<h1 id="$1">$1</h1>')
    .replaceAll(/^> \[!(.+?)\]/gm, '<div class="$1">')
    .replaceAll(/!\[([\s\S]*?)\]\(<?([\s\S]*?)>?\)/g, '<img alt="$1" src="$2">')
    .replaceAll(
      /\[([\s\S]*?)\]\(<?([\s\S]*?)>?(?: ['"(]([\s\S]*)['")])?\)/g,
      '<a href="$2" title="$3">$1</a>',
    )
    .replaceAll(/<([a-z]+:[^>]*)>/gi, '<a href="$1">$1</a>')
    .replaceAll(/(?:https?:|www\.)\S+/gi, '<a href="$&">$&</a>');
}
