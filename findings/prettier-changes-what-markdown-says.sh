#!/usr/bin/env bash
# prettier 3.10.1 formats Markdown. Four short texts, as HTML by commonmark 0.31.2 before and after.
# Expected: the same HTML, since formatting is about spaces and line breaks; remark 15.0.1 changes none of the four.
# Seen on 2026-11-29: a line of asterisks that continues a paragraph becomes a rule; code between two backticks and a lone one changes its
# place; a fence of tildes whose info string has backticks becomes one of backticks, which is none, so the block falls apart; and an
# empty code block gets a line. So a document's meaning can change when CI formats it.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts prettier@3.10.1 commonmark@0.31.2 remark@15.0.1
cat > seen.mjs <<'JS'
import { HtmlRenderer, Parser } from "commonmark";
import prettier from "prettier";
import { remark } from "remark";
const html = (text) => new HtmlRenderer().render(new Parser().parse(text)).trim();
const texts = {
  rule: "censored:\n    *****\n",
  code: "press `a``b``\n",
  fence: "~~~ js ``` x\nlet a;\n~~~\n",
  empty: "```\n```\n",
};
for (const [name, text] of Object.entries(texts)) {
  const formatted = await prettier.format(text, { parser: "markdown" });
  const same = html(String(await remark().process(text))) === html(text);
  console.log(`${name}: ${JSON.stringify(html(text))} -> ${JSON.stringify(html(formatted))}, remark ${same ? "same" : "other"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'rule: "<p>censored:\n*****</p>" -> "<p>censored:</p>\n<hr />", remark same
code: "<p>press `a<code>b</code></p>" -> "<p>press <code>a</code>b`</p>", remark same
fence: "<pre><code class=\"language-js\">let a;\n</code></pre>" -> "<p><code>js </code> x\nlet a;</p>\n<pre><code></code></pre>", remark same
empty: "<pre><code></code></pre>" -> "<pre><code>\n</code></pre>", remark same' ]
