#!/usr/bin/env bash
# markdownlint 0.42.1 with its default rules, `lint` and `applyFixes` as in `markdownlint-cli2 --fix`: seven short texts, as HTML by commonmark 0.31.2 before and after.
# Expected: the same text and structure, since the fixes are for style.
# Seen on 2026-11-29: `#5 is fixed`, an issue at the start of a line, becomes a heading; `2 ** 3 ** 4` becomes bold and `a * b * c` emphasis, so the operators are gone; the heading `# C#` becomes "C";
# a code block of shell prompts loses each `$`; a heading loses its colon; two lists become one.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts markdownlint@0.42.1 commonmark@0.31.2
cat > seen.mjs <<'JS'
import { HtmlRenderer, Parser } from "commonmark";
import { applyFixes } from "markdownlint";
import { lint } from "markdownlint/sync";
const html = (text) => new HtmlRenderer().render(new Parser().parse(text)).trim().replaceAll("\n", "");
const fix = (text) => applyFixes(text, lint({ strings: { text } }).text);
const texts = ["#5 is fixed\n", "2 ** 3 ** 4\n", "a * b * c\n", "# C#\n", "    $ npm test\n", "# Total:\n", "* a\n+ b\n"];
for (const text of texts) console.log(`${html(text)} -> ${html(fix(fix(text)))}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '<p>#5 is fixed</p> -> <h1>5 is fixed</h1>
<p>2 ** 3 ** 4</p> -> <p>2 <strong>3</strong> 4</p>
<p>a * b * c</p> -> <p>a <em>b</em> c</p>
<h1>C#</h1> -> <h1>C</h1>
<pre><code>$ npm test</code></pre> -> <pre><code>npm test</code></pre>
<h1>Total:</h1> -> <h1>Total</h1>
<ul><li>a</li></ul><ul><li>b</li></ul> -> <ul><li>a</li><li>b</li></ul>' ]
