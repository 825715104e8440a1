#!/usr/bin/env bash
# A document in Markdown is opened in an editor and saved without a change: lexical 0.52.0 with @lexical/markdown and its transformers, and @tiptap/markdown 3.34.0 with the starter kit. What does it say afterwards, as HTML of
# micromark 4.0.3 with GFM?
# Expected: the same, for all that the editor has a node for: paragraphs, headings, lists, code, links.
# Seen on 2026-11-30: in both an escape is lost, so the paragraphs `1\. May`, `\# 5` and `\- 5` come back as a list, a heading and a list. lexical writes a backslash into an address in angle brackets, which then leads elsewhere, and takes
# code out of its list item. tiptap writes code that has a fence in it into a fence of the same length, escapes an entity, and puts a space before code in a list. A table is gone altogether from its document where the extension for
# tables is not there, with no error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts lexical@0.52.0 @lexical/headless@0.52.0 @lexical/markdown@0.52.0 @lexical/rich-text@0.52.0 @lexical/list@0.52.0 @lexical/link@0.52.0 @lexical/code@0.52.0 \
  @tiptap/markdown@3.34.0 @tiptap/core@3.34.0 @tiptap/pm@3.34.0 @tiptap/starter-kit@3.34.0 jsdom@31.0.1 micromark@4.0.3 micromark-extension-gfm@3.0.0
cat > seen.mjs <<'JS'
import { CodeHighlightNode, CodeNode } from "@lexical/code";
import { createHeadlessEditor } from "@lexical/headless";
import { AutoLinkNode, LinkNode } from "@lexical/link";
import { ListItemNode, ListNode } from "@lexical/list";
import { $convertFromMarkdownString, $convertToMarkdownString, TRANSFORMERS } from "@lexical/markdown";
import { HeadingNode, QuoteNode } from "@lexical/rich-text";
import { JSDOM } from "jsdom";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document, DOMParser: window.DOMParser });
const { MarkdownManager } = await import("@tiptap/markdown");
const { default: StarterKit } = await import("@tiptap/starter-kit");
const tiptap = new MarkdownManager({ extensions: [StarterKit] });
const editors = {
  lexical: (text) => {
    const nodes = [HeadingNode, QuoteNode, ListNode, ListItemNode, LinkNode, AutoLinkNode, CodeNode, CodeHighlightNode];
    const editor = createHeadlessEditor({ nodes, onError: (error) => { throw error; } });
    editor.update(() => $convertFromMarkdownString(text, TRANSFORMERS), { discrete: true });
    return editor.read(() => $convertToMarkdownString(TRANSFORMERS));
  },
  "@tiptap/markdown": (text) => tiptap.serialize(tiptap.parse(text)),
};
const html = (text) => micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }).trim();
const texts = ["5 * 3 * 2", "snake_case", "1\\. May", "\\# 5", "a\n\n\\- 5", "&copy;", "<https://example.com/a_b>", "````\n```\n````", "1. a\n\n   ```\n   code\n   ```\n2. b", "`sk_live_*`"];
for (const [name, through] of Object.entries(editors)) {
  const seen = texts.filter((text) => html(through(text)) !== html(text)).map((text) => `${JSON.stringify(text)} is ${JSON.stringify(through(text))}`);
  console.log(`${name}: ${seen.join(", ")}`);
}
console.log(`a table in @tiptap/markdown: ${JSON.stringify(editors["@tiptap/markdown"]("| price |\n|---|\n| 5 |"))}`);
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'lexical: "1\\. May" is "1. May", "\\# 5" is "# 5", "a\n\n\\- 5" is "a\n\n- 5", "<https://example.com/a_b>" is "<https://example.com/a\\_b>", "1. a\n\n   ```\n   code\n   ```\n2. b" is "1. a\n\n```\ncode\n```\n\n2. b"
@tiptap/markdown: "1\\. May" is "1. May", "\\# 5" is "# 5", "a\n\n\\- 5" is "a\n\n- 5", "&copy;" is "&amp;copy;", "````\n```\n````" is "```\n```\n```", "1. a\n\n   ```\n   code\n   ```\n2. b" is "1. a\n   ```\n    code\n   ```\n2. b"
a table in @tiptap/markdown: ""' ]
