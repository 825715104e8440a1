import { Marked } from "marked";

/**
 * Renderers as people write them in a hurry, to show that the pages of the tests see what goes wrong: one that lets
 * HTML through and looks at no address, one that puts what it finds between quotes as it is, and none at all.
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
