import assert from "node:assert/strict";
import { test } from "node:test";
import { isLongText, type LongText, PIECE_CHARS } from "#tools/long-text.ts";
import { renderMarkdown, renderMarkdownInBlocks } from "#tools/markdown-render/render-markdown.ts";

const textOf = (html: string | LongText) =>
  isLongText(html) ? Buffer.concat(html.blocks).toString() : html;

test("HTML in blocks is the same HTML, and a short one is a string", () => {
  for (const paragraph of [
    "a **b** c\n\n",
    "> > > 中 😀 &amp;\n\n",
    "😀",
    "| a |\n|---|\n| 中 |\n\n",
  ]) {
    for (const times of [1, 100, 20_000]) {
      const markdown = paragraph.repeat(times);
      const { html, text } = renderMarkdown(markdown, true);
      const inBlocks = renderMarkdownInBlocks(markdown, true, {});
      assert.equal(textOf(inBlocks.html), html);
      assert.equal(inBlocks.text, text);
      assert.equal(isLongText(inBlocks.html), html.length > 2 * PIECE_CHARS);
    }
  }
});
