#!/usr/bin/env bash
# A person types a line into an editor and the editor writes the document as Markdown: prosemirror-markdown 1.13.9, its own schema, one paragraph with one text, no formatting.
# Expected: what is special in Markdown is escaped, so that the text comes back, as it does for `1. a`, `- a`, `# a`, `<b>`, `*a*`.
# Seen on 2026-11-30: nothing is escaped in `2) x`, `1.`, `+`, `&amp;`, `a&copy;b` and `<https://a.b>`: they are read as a list, an empty list, `&`, `©` and a link. A typed
# `__init__` is written as `\__init_\_`, which is `_`, an emphasis and `_`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts prosemirror-markdown@1.13.9 commonmark@0.31.2
cat > seen.mjs <<'JS'
import { HtmlRenderer, Parser } from "commonmark";
import { defaultMarkdownParser, defaultMarkdownSerializer, schema } from "prosemirror-markdown";
for (const text of ["1. a", "- a", "# a", "<b>", "*a*", "2) x", "1.", "+", "&amp;", "a&copy;b", "<https://a.b>", "__init__"]) {
  const document = schema.node("doc", null, [schema.node("paragraph", null, [schema.text(text)])]);
  const markdown = defaultMarkdownSerializer.serialize(document);
  const isSame = defaultMarkdownParser.parse(markdown).eq(document);
  console.log(`${text}: ${isSame ? "comes back" : `${markdown} is ${new HtmlRenderer().render(new Parser().parse(markdown)).replaceAll("\n", "")}`}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '1. a: comes back
- a: comes back
# a: comes back
<b>: comes back
*a*: comes back
2) x: 2) x is <ol start="2"><li>x</li></ol>
1.: 1. is <ol><li></li></ol>
+: + is <ul><li></li></ul>
&amp;: &amp; is <p>&amp;</p>
a&copy;b: a&copy;b is <p>a©b</p>
<https://a.b>: <https://a.b> is <p><a href="https://a.b">https://a.b</a></p>
__init__: \__init_\_ is <p>_<em>init</em>_</p>' ]
