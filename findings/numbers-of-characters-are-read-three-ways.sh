#!/usr/bin/env bash
# A numeric character reference from 128 to 159, as texts from old word processors have it (`&#150;`, meant as a dash), in Markdown:
# commonmark 0.31.2, micromark 4.0.3, markdown-it 15.0.3 and marked 18.2.1.
# Expected: U+0096 from all four, since CommonMark 0.31.2, section 2.5, gives a reference the code point of its number, and replaces
# only what is no code point, and zero.
# Seen on 2026-11-30: from marked alone. commonmark, the reference, gives a dash, as HTML reads the number; micromark and markdown-it
# give U+FFFD. All read 160 as a no-break space.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts commonmark@0.31.2 micromark@4.0.3 markdown-it@15.0.3 marked@18.2.1
cat > compare.mjs <<'JS'
import { HtmlRenderer, Parser } from "commonmark";
import MarkdownIt from "markdown-it";
import { marked } from "marked";
import { micromark } from "micromark";
const engines = {
  commonmark: (text) => new HtmlRenderer().render(new Parser().parse(text)),
  micromark: (text) => micromark(text),
  "markdown-it": (text) => new MarkdownIt("commonmark").render(text),
  marked: (text) => marked.parse(text),
};
const seen = {};
for (const [name, render] of Object.entries(engines)) {
  seen[name] = ["&#150;", "&#160;"].map((text) => render(text).trim());
  console.log(name, JSON.stringify(seen[name]).replace(/[\u0080-\uffff]/g, (c) => `U+${c.charCodeAt(0).toString(16)}`));
}
const expected = {
  commonmark: ["<p>\u2013</p>", "<p>\u00a0</p>"],
  micromark: ["<p>\ufffd</p>", "<p>\u00a0</p>"],
  "markdown-it": ["<p>\ufffd</p>", "<p>\u00a0</p>"],
  marked: ["<p>\u0096</p>", "<p>\u00a0</p>"],
};
process.exitCode = JSON.stringify(seen) === JSON.stringify(expected) ? 0 : 1;
JS
node compare.mjs
