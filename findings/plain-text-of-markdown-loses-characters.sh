#!/usr/bin/env bash
# The text of a document for a preview, a search index or an email: six short pieces of Markdown through six libraries, compared with what a browser shows of commonmark 0.31.2's HTML.
# Expected: the same text, but for spaces and line breaks.
# Seen on 2026-11-29: markdown-to-text 0.1.1 takes the underscores out of names, and it and remove-markdown 0.7.0 drop what stands between < and >, leave entities and empty code that shows a tag.
# strip-markdown 6.0.0 with remark leaves backslashes before what Markdown would read, so a preview shows `5 \* 3`. marked-plaintify 1.1.1 returns HTML entities and, like
# mdast-util-to-string 4.0.0, joins the words on both sides of a hard line break. markdown-to-txt 2.0.1 returns what a browser shows.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts remove-markdown@0.7.0 markdown-to-text@0.1.1 markdown-to-txt@2.0.1 strip-markdown@6.0.0 remark@15.0.1 \
  marked-plaintify@1.1.1 marked@18.2.1 mdast-util-to-string@4.0.0 mdast-util-from-markdown@2.1.0 commonmark@0.31.2 lodash@4.18.1 jsdom@31.0.1
cat > seen.mjs <<'JS'
import { HtmlRenderer, Parser } from "commonmark";
import { JSDOM } from "jsdom";
import { Marked } from "marked";
import plaintify from "marked-plaintify";
import * as toText from "markdown-to-text";
import { markdownToTxt } from "markdown-to-txt";
import { fromMarkdown } from "mdast-util-from-markdown";
import { toString } from "mdast-util-to-string";
import { remark } from "remark";
import removeMarkdown from "remove-markdown";
import stripMarkdown from "strip-markdown";
const words = (text) => text.replace(/\s+/g, " ").trim();
const shown = (text) => JSDOM.fragment(new HtmlRenderer().render(new Parser().parse(text))).textContent;
const texts = ["5 * 3 * 2 = 30", "set call_limit and burst_limit", "if a < b and c > d", "Terms &amp; Conditions", "use `<b>` here", "one\\\ntwo"];
const libraries = {
  "remove-markdown": removeMarkdown,
  "markdown-to-text": toText.default.default ?? toText.default,
  "markdown-to-txt": markdownToTxt,
  "strip-markdown": (text) => String(remark().use(stripMarkdown).processSync(text)),
  "marked-plaintify": (text) => new Marked(plaintify()).parse(text),
  "mdast-util-to-string": (text) => toString(fromMarkdown(text)),
};
for (const [name, read] of Object.entries(libraries)) {
  const changed = texts.filter((text) => words(read(text)) !== words(shown(text))).map((text) => `${words(shown(text))} -> ${words(read(text))}`);
  console.log(`${name}: ${changed.join("; ") || "the same"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'remove-markdown: if a < b and c > d -> if a d; Terms & Conditions -> Terms &amp; Conditions; use <b> here -> use `` here; one two -> one\ two
markdown-to-text: set call_limit and burst_limit -> set calllimit and burstlimit; if a < b and c > d -> if a d; Terms & Conditions -> Terms &amp; Conditions; use <b> here -> use `` here; one two -> one\ two
markdown-to-txt: the same
strip-markdown: 5 * 3 * 2 = 30 -> 5 \* 3 \* 2 = 30; use <b> here -> use \<b> here
marked-plaintify: Terms & Conditions -> Terms &amp; Conditions; use <b> here -> use &lt;b&gt; here; one two -> onetwo
mdast-util-to-string: one two -> onetwo' ]
