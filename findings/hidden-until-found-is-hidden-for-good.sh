#!/usr/bin/env bash
# A closed part of a page is `hidden="until-found"`: the browser's search and links to a place in it open it. Four renderers and four minifiers write it.
# Expected: the attribute with its value, as it is given.
# Seen on 2026-11-29: react-dom 19.3.1 writes `hidden=""`, html-minifier-terser 7.2.0 (`collapseBooleanAttributes`) and @minify-html/node 0.18.1 `hidden`: each knows
# the attribute as one that is there or not, and the part cannot be found any more. preact-render-to-string 6.8.2, vue 3.5.45, hono 4.13.19, htmlnano
# 3.5.1 and rehype-preset-minify 7.0.1 keep the value.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts react@19.3.1 react-dom@19.3.1 preact@11.2.0 preact-render-to-string@6.8.2 vue@3.5.45 hono@4.13.19 \
  html-minifier-terser@7.2.0 @minify-html/node@0.18.1 htmlnano@3.5.1 posthtml@0.16.6 rehype@13.0.2 rehype-preset-minify@7.0.1
cat > seen.mjs <<'JS'
import minifyHtml from "@minify-html/node";
import { jsx } from "hono/jsx";
import { minify } from "html-minifier-terser";
import htmlnano from "htmlnano";
import { h } from "preact";
import preact from "preact-render-to-string";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { rehype } from "rehype";
import rehypePresetMinify from "rehype-preset-minify";
import { createSSRApp, h as vueH } from "vue";
import { renderToString } from "vue/server-renderer";
const props = { hidden: "until-found" };
const html = '<div hidden="until-found">a</div>';
const seen = {
  react: renderToStaticMarkup(createElement("div", props, "a")),
  preact: preact(h("div", props, "a")),
  vue: await renderToString(createSSRApp({ render: () => vueH("div", props, "a") })),
  hono: String(jsx("div", props, "a")),
  "html-minifier-terser": await minify(html, { collapseBooleanAttributes: true }),
  "minify-html": minifyHtml.minify(Buffer.from(html), {}).toString(),
  htmlnano: (await htmlnano.process(html, { minifyCss: false, minifySvg: false }, htmlnano.presets.safe)).html,
  "rehype-preset-minify": String(await rehype().data("settings", { fragment: true }).use(rehypePresetMinify).process(html)),
};
for (const [name, written] of Object.entries(seen)) console.log(`${name}: ${written}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'react: <div hidden="">a</div>
preact: <div hidden="until-found">a</div>
vue: <div hidden="until-found">a</div>
hono: <div hidden="until-found">a</div>
html-minifier-terser: <div hidden>a</div>
minify-html: <div hidden>a</div>
htmlnano: <div hidden="until-found">a</div>
rehype-preset-minify: <div hidden=until-found>a</div>' ]
