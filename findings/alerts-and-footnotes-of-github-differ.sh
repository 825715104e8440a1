#!/usr/bin/env bash
# Alerts (`> [!NOTE]`) and footnotes, which GitHub has beyond GFM, in the plugins of three Markdown engines.
# Expected: an escaped `\[!NOTE]` is text, no text of an alert is lost, and a footnote is found by its label in any case, as link references are.
# Seen on 2026-11-29: four of six plugins make an alert of the escaped text: remark-github-blockquote-alert 2.1.0, remark-github-alerts 0.1.1, rehype-github-alerts 4.2.0 and
# markdown-it-github-alerts 1.0.1. The first also loses text that stands on the line of the marker. markdown-it-footnote 4.0.0 and marked-footnote 1.4.0 tell `[^Note]` from
# `[^note]`, and marked-footnote ends a footnote at its first line break. remark-gfm 4.0.1, @mdit/plugin-alert 1.0.3 and marked-alert 2.1.2 are as expected.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps unified@11.0.5 remark-parse@11.0.0 remark-gfm@4.0.1 remark-rehype@11.1.2 \
  rehype-stringify@10.0.1 remark-github-blockquote-alert@2.1.0 remark-github-alerts@0.1.1 rehype-github-alerts@4.2.0 markdown-it@15.0.3 \
  markdown-it-github-alerts@1.0.1 markdown-it-footnote@4.0.0 @mdit/plugin-alert@1.0.3 marked@18.2.1 marked-alert@2.1.2 marked-footnote@1.4.0 jsdom@31.0.1
cat > seen.mjs <<'JS'
import { alert } from "@mdit/plugin-alert";
import { JSDOM } from "jsdom";
import MarkdownIt from "markdown-it";
import footnote from "markdown-it-footnote";
import githubAlerts from "markdown-it-github-alerts";
import { Marked } from "marked";
import markedAlert from "marked-alert";
import markedFootnote from "marked-footnote";
import { rehypeGithubAlerts } from "rehype-github-alerts";
import stringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import remarkGithubAlerts from "remark-github-alerts";
import { remarkAlert } from "remark-github-blockquote-alert";
import parse from "remark-parse";
import toHtml from "remark-rehype";
import { unified } from "unified";
const remark = (text, [...before], [...after] = []) => {
  const processor = unified().use(parse);
  for (const plugin of before) processor.use(plugin);
  processor.use(toHtml);
  for (const plugin of after) processor.use(plugin);
  return String(processor.use(stringify).processSync(text));
};
const alerts = {
  "remark-github-blockquote-alert": (text) => remark(text, [remarkAlert]),
  "remark-github-alerts": (text) => remark(text, [remarkGithubAlerts]),
  "rehype-github-alerts": (text) => remark(text, [], [rehypeGithubAlerts]),
  "markdown-it-github-alerts": (text) => new MarkdownIt().use(githubAlerts).render(text),
  "@mdit/plugin-alert": (text) => new MarkdownIt().use(alert).render(text),
  "marked-alert": (text) => new Marked(markedAlert()).parse(text),
};
const footnotes = {
  "remark-gfm": (text) => remark(text, [remarkGfm]),
  "markdown-it-footnote": (text) => new MarkdownIt().use(footnote).render(text),
  "marked-footnote": (text) => new Marked(markedFootnote()).parse(text),
};
const words = (html) => JSDOM.fragment(html).textContent.replace(/\s+/g, " ").trim();
for (const [name, render] of Object.entries(alerts)) {
  const escaped = render("> \\[!NOTE]\n> text\n");
  const same = render("> [!NOTE] text\n");
  console.log(`${name}: escaped ${/class="[^"]*alert/.test(escaped) ? "is an alert" : "is text"}, text on the same line ${words(same).includes("text") ? "kept" : "lost"}`);
}
for (const [name, render] of Object.entries(footnotes)) {
  const found = render("x[^Note]\n\n[^note]: text\n").includes("<sup");
  const lazy = JSDOM.fragment(render("a[^1]\n\n[^1]: one\ntwo\n")).querySelector("li").textContent.includes("two");
  console.log(`${name}: [^Note] for [^note] ${found ? "found" : "not found"}, second line ${lazy ? "in the footnote" : "after it"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'remark-github-blockquote-alert: escaped is an alert, text on the same line lost
remark-github-alerts: escaped is an alert, text on the same line kept
rehype-github-alerts: escaped is an alert, text on the same line kept
markdown-it-github-alerts: escaped is an alert, text on the same line kept
@mdit/plugin-alert: escaped is text, text on the same line kept
marked-alert: escaped is text, text on the same line kept
remark-gfm: [^Note] for [^note] found, second line in the footnote
markdown-it-footnote: [^Note] for [^note] not found, second line in the footnote
marked-footnote: [^Note] for [^note] not found, second line after it' ]
