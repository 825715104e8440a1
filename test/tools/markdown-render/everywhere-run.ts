import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";

const OPTIONS = { headingIds: true, baseUrl: "https://example.com/a/b?c" };

/**
 * Renders a JSON list of documents to a JSON list of [html, text, html with ids and a base URL], the same way in every
 * runtime. Both lists are plain ASCII, so that no step misreads a character.
 */
export function renderList(json: string): string {
  const documents = JSON.parse(json) as string[];
  return toAscii(
    documents.map((markdown) => {
      const { html, text } = renderMarkdown(markdown, true);
      const linked = renderMarkdown(markdown, false, OPTIONS);
      return [html, text, linked.html];
    }),
  );
}

export const toAscii = (value: unknown) =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
