#!/usr/bin/env bash
# Six harmless pieces of HTML, to Markdown by four libraries and back to HTML by commonmark 0.31.2.
# Expected: the same text, since the libraries escape what Markdown would read, as they do for `1. Buy` and `# 5`.
# Seen on 2026-11-29: turndown 7.2.5, node-html-markdown 2.0.0 and html-to-md 0.8.8 leave `1) Buy` as it is, which is a list, and lose the ampersand of a text that shows
# an entity. node-html-markdown puts code that has a fence into a fence of the same length, and html-to-md makes a quotation of "> 5 credits" and
# ends code at a backtick. turndown joins two neighbours in italics. rehype-remark 10.0.1 keeps all six.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts turndown@7.2.5 node-html-markdown@2.0.0 html-to-md@0.8.8 unified@11.0.5 rehype-parse@9.0.1 \
  rehype-remark@10.0.1 remark-stringify@11.0.0 commonmark@0.31.2
cat > seen.mjs <<'JS'
import { HtmlRenderer, Parser } from "commonmark";
import htmlToMd from "html-to-md";
import { NodeHtmlMarkdown } from "node-html-markdown";
import rehypeParse from "rehype-parse";
import rehypeRemark from "rehype-remark";
import remarkStringify from "remark-stringify";
import TurndownService from "turndown";
import { unified } from "unified";
const turndown = new TurndownService({ codeBlockStyle: "fenced" });
const remark = unified().use(rehypeParse, { fragment: true }).use(rehypeRemark).use(remarkStringify);
const libraries = {
  turndown: (html) => turndown.turndown(html),
  "node-html-markdown": (html) => NodeHtmlMarkdown.translate(html),
  "html-to-md": (html) => htmlToMd(html),
  "rehype-remark": (html) => String(remark.processSync(html)),
};
const back = (markdown) => new HtmlRenderer().render(new Parser().parse(markdown)).replace(/\n/g, " ").replace(/ (?=<)/g, "").trim();
const pieces = [
  "<p>1) Buy</p>",
  "<p>Write &amp;copy; here</p>",
  "<p>&gt; 5 credits</p>",
  "<p><code>a ` b</code></p>",
  "<p><em>a</em><em>b</em></p>",
  "<pre><code>a\n```\nb</code></pre>",
];
for (const html of pieces) {
  for (const [name, write] of Object.entries(libraries)) {
    const seen = back(write(html));
    if (seen !== back(html)) console.log(`${html.replaceAll("\n", " ")}, ${name}: ${seen}`);
  }
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '<p>1) Buy</p>, turndown: <ol><li>Buy</li></ol>
<p>1) Buy</p>, node-html-markdown: <ol><li>Buy</li></ol>
<p>1) Buy</p>, html-to-md: <ol><li>Buy</li></ol>
<p>Write &amp;copy; here</p>, turndown: <p>Write © here</p>
<p>Write &amp;copy; here</p>, node-html-markdown: <p>Write © here</p>
<p>Write &amp;copy; here</p>, html-to-md: <p>Write © here</p>
<p>&gt; 5 credits</p>, html-to-md: <blockquote><p>5 credits</p></blockquote>
<p><code>a ` b</code></p>, html-to-md: <p><code>a</code> b`</p>
<p><em>a</em><em>b</em></p>, turndown: <p><em>a__b</em></p>
<pre><code>a ``` b</code></pre>, node-html-markdown: <pre><code>a</code></pre><p>b</p><pre><code></code></pre>' ]
