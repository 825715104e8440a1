#!/usr/bin/env bash
# Texts of users with names of files and versions, as in `run deploy.sh`, in nine libraries that make links of addresses. Which names become links?
# Expected: none; without `https://` or `www.` a name with a dot is far more often a file than a site.
# Seen on 2026-11-29: linkifyjs 4.3.3, autolinker 4.1.5 and anchorme 3.0.8 link README.md, deploy.sh, main.rs, app.py, build.zip, lib.cc and prices.tf, since .md, .sh, .rs, .py, .zip, .cc and .tf are domains, to sites that strangers own.
# linkify-it 6.1.0 and markdown-it 15.0.3 do not, unlike their older versions, nor do showdown 2.1.0, marked 18.2.1, micromark 4.0.3 with GFM and commonmark 0.31.2. showdown's `simplifiedAutoLink` makes the punctuation behind an
# address a part of it: `(see https://example.com/a)`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts linkifyjs@4.3.3 linkify-string@4.3.3 autolinker@4.1.5 anchorme@3.0.8 linkify-it@6.1.0 markdown-it@15.0.3 \
  showdown@2.1.0 marked@18.2.1 micromark@4.0.3 micromark-extension-gfm@3.0.0 commonmark@0.31.2
cat > seen.mjs <<'JS'
import * as anchormeModule from "anchorme";
import { Autolinker } from "autolinker";
import * as commonmark from "commonmark";
import { LinkifyIt } from "linkify-it";
import linkifyString from "linkify-string";
import MarkdownIt from "markdown-it";
import { marked } from "marked";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import showdown from "showdown";
const anchorme = anchormeModule.default.default ?? anchormeModule.default;
const linkify = new LinkifyIt();
const libraries = {
  linkifyjs: (text) => linkifyString(text),
  autolinker: (text) => Autolinker.link(text),
  anchorme: (text) => anchorme(text),
  "linkify-it": (text) => (linkify.match(text) ?? []).map(({ url }) => `href="${url}"`).join(),
  "markdown-it": (text) => new MarkdownIt({ linkify: true }).render(text),
  showdown: (text) => new showdown.Converter({ simplifiedAutoLink: true }).makeHtml(text),
  marked: (text) => marked(text),
  micromark: (text) => micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }),
  commonmark: (text) => new commonmark.HtmlRenderer().render(new commonmark.Parser().parse(text)),
};
const names = ["README.md", "deploy.sh", "main.rs", "app.py", "build.zip", "lib.cc", "prices.tf", "index.ts", "node.js"];
for (const [name, link] of Object.entries(libraries)) {
  const address = /href="([^"]*)"/.exec(link("(see https://example.com/a)."))?.[1] ?? "no link";
  console.log(`${name}: ${names.filter((file) => link(`Run ${file} first`).includes("href=")).join(" ") || "none"}; ${address}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'linkifyjs: README.md deploy.sh main.rs app.py build.zip lib.cc prices.tf; https://example.com/a
autolinker: README.md deploy.sh main.rs app.py build.zip lib.cc prices.tf; https://example.com/a
anchorme: README.md deploy.sh main.rs app.py build.zip lib.cc prices.tf; https://example.com/a
linkify-it: none; https://example.com/a
markdown-it: none; https://example.com/a
showdown: none; https://example.com/a).
marked: none; https://example.com/a
micromark: none; https://example.com/a
commonmark: none; no link' ]
