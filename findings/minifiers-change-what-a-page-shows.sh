#!/usr/bin/env bash
# Three harmless pieces of HTML through four minifiers, with the option for white space, and back through jsdom 31.0.1.
# Expected: the same text where white space counts (`pre`), and a space between words elsewhere.
# Seen on 2026-11-29: rehype-preset-minify 7.0.1 takes the empty first line off a `pre`, as rehype 13.0.2 does by itself: it writes what it has read, and a reader
# of HTML drops a line break after the tag. html-minifier-terser 7.2.0 joins the words around an element that it does not know, `a <x-price>5</x-price> b`,
# as if it were a block, while it keeps the spaces around `span`. htmlnano 3.5.1 and @minify-html/node 0.18.1 change none of the three.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts html-minifier-terser@7.2.0 @minify-html/node@0.18.1 htmlnano@3.5.1 posthtml@0.16.6 rehype@13.0.2 \
  rehype-preset-minify@7.0.1 jsdom@31.0.1
cat > seen.mjs <<'JS'
import minifyHtml from "@minify-html/node";
import { minify } from "html-minifier-terser";
import htmlnano from "htmlnano";
import { JSDOM } from "jsdom";
import { rehype } from "rehype";
import rehypePresetMinify from "rehype-preset-minify";
const minifiers = {
  "html-minifier-terser": (html) => minify(html, { collapseWhitespace: true }),
  "minify-html": (html) => minifyHtml.minify(Buffer.from(html), {}).toString(),
  htmlnano: async (html) => (await htmlnano.process(html, { minifyCss: false, minifySvg: false }, htmlnano.presets.safe)).html,
  "rehype-preset-minify": async (html) => String(await rehype().data("settings", { fragment: true }).use(rehypePresetMinify).process(html)),
};
const shown = (html) => JSON.stringify(JSDOM.fragment(html).textContent);
const pieces = ["<pre>\n\nfirst\n  second</pre>", "<p>a <span>5</span> b</p>", "<p>a <x-price>5</x-price> b</p>"];
for (const html of pieces) {
  const seen = [];
  for (const [name, write] of Object.entries(minifiers)) seen.push(`${name} ${shown(await write(html))}`);
  console.log(`${shown(html)}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '"\nfirst\n  second": html-minifier-terser "\nfirst\n  second", minify-html "\nfirst\n  second", htmlnano "\nfirst\n  second", rehype-preset-minify "first\n  second"
"a 5 b": html-minifier-terser "a 5 b", minify-html "a 5 b", htmlnano "a 5 b", rehype-preset-minify "a 5 b"
"a 5 b": html-minifier-terser "a5b", minify-html "a 5 b", htmlnano "a 5 b", rehype-preset-minify "a 5 b"' ]
