import assert from "node:assert/strict";
import { test } from "node:test";
import { type RenderOptions, renderMarkdown } from "#tools/markdown-render/render-markdown.ts";

/** A document, what becomes of it, and where the right result comes from. */
export type Case = {
  readonly markdown: string;
  readonly html?: string;
  readonly text?: string;
  readonly source: string;
};

/** One test for each case. */
export function check(title: string, cases: readonly Case[], options: RenderOptions = {}): void {
  for (const { markdown, html, text, source } of cases) {
    test(`${title}: ${JSON.stringify(markdown)} (${source})`, () => {
      const rendered = renderMarkdown(markdown, true, options);
      if (html !== undefined) assert.equal(rendered.html, html);
      if (text !== undefined) assert.equal(rendered.text, text);
      assert.ok(html !== undefined || text !== undefined);
    });
  }
}

/** Shorter cases: the HTML of one paragraph, without its tags. */
export const inParagraph = (source: string, rows: readonly [markdown: string, html: string][]) =>
  rows.map(([markdown, html]) => ({ markdown, html: `<p>${html}</p>\n`, source }));

/** Shorter cases: the plain text. */
export const asText = (source: string, rows: readonly [markdown: string, text: string][]) =>
  rows.map(([markdown, text]) => ({ markdown, text, source }));
