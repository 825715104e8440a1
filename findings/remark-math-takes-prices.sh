#!/usr/bin/env bash
# Two prices in a sentence, `costs $5 and $10`, in Markdown engines with mathematics.
# Expected: text everywhere, because the second dollar has a space before it (the rule of Pandoc and of GitHub's pages).
# Seen on 2026-11-28: remark-math 6.0.0 makes `5 and ` inline math by default (`singleDollarTextMath: false` switches single
# dollars off altogether), and so does marked-katex-extension 5.1.13 with `nonStandard: true`. @mdit/plugin-katex 0.25.2,
# @vscode/markdown-it-katex 1.1.2 and marked-katex-extension without the option leave the sentence alone.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps unified@11.0.5 remark-parse@11.0.0 remark-math@6.0.0 \
  remark-rehype@11.1.2 rehype-stringify@10.0.1 markdown-it@15.0.3 @mdit/plugin-katex@0.25.2 @vscode/markdown-it-katex@1.1.2 \
  katex@0.19.1 marked@18.2.1 marked-katex-extension@5.1.13
cat > seen.mjs <<'JS'
import { katex } from "@mdit/plugin-katex";
import vscode from "@vscode/markdown-it-katex";
import MarkdownIt from "markdown-it";
import { Marked } from "marked";
import markedKatex from "marked-katex-extension";
import rehypeStringify from "rehype-stringify";
import remarkMath from "remark-math";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
const engines = {
  "remark-math": (text) =>
    String(unified().use(remarkParse).use(remarkMath).use(remarkRehype).use(rehypeStringify).processSync(text)),
  "@mdit/plugin-katex": (text) => MarkdownIt().use(katex).render(text),
  "@vscode/markdown-it-katex": (text) => MarkdownIt().use(vscode.default ?? vscode).render(text),
  "marked-katex-extension": (text) => new Marked(markedKatex()).parse(text),
  "marked-katex-extension nonStandard": (text) => new Marked(markedKatex({ nonStandard: true })).parse(text),
};
console.log(
  Object.entries(engines)
    .filter(([, render]) => /katex|math-inline/.test(render("It costs $5 and $10 today.")))
    .map(([name]) => name)
    .join(", "),
);
JS
seen=$(node seen.mjs)
echo "prices become mathematics in: $seen"
[ "$seen" = 'remark-math, marked-katex-extension nonStandard' ]
