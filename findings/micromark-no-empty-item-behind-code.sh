#!/usr/bin/env bash
# micromark 4.0.3, commonmark 0.31.2 and markdown-it 15.0.3: an empty list item behind indented code and a blank line.
# Expected: all three make a list. CommonMark 0.31.2, section 5.2, keeps an empty item only from interrupting a paragraph, and a blank
# line ends what stands before it in any case.
# Seen on 2026-11-30: commonmark and markdown-it make a list with an empty item; micromark shows the marker as a paragraph, `-` and
# `2.` alike. Behind fenced code it makes the list.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts micromark@4.0.3 commonmark@0.31.2 markdown-it@15.0.3
cat > compare.mjs <<'JS'
import { HtmlRenderer, Parser } from "commonmark";
import MarkdownIt from "markdown-it";
import { micromark } from "micromark";
const engines = {
  commonmark: (text) => new HtmlRenderer().render(new Parser().parse(text)),
  "markdown-it": (text) => new MarkdownIt("commonmark").render(text),
  micromark: (text) => micromark(text),
};
let isSeen = true;
for (const [text, isList] of [
  ["    code\n\n-", { commonmark: true, "markdown-it": true, micromark: false }],
  ["    code\n\n2.", { commonmark: true, "markdown-it": true, micromark: false }],
  ["```\ncode\n```\n\n-", { commonmark: true, "markdown-it": true, micromark: true }],
])
  for (const [name, render] of Object.entries(engines)) {
    const html = render(text);
    console.log(JSON.stringify(text), name, JSON.stringify(html.trim()));
    isSeen &&= /<li><\/li>/.test(html) === isList[name];
  }
process.exitCode = isSeen ? 0 : 1;
JS
node compare.mjs
