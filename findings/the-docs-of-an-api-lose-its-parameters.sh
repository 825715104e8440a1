#!/usr/bin/env bash
# Docs of an API in Markdown name addresses as OpenAPI and routers write them, `GET /keys/{id}`, `/users/:id/keys`, `/charges:batch`, in headings, tables, lists and text. Five plugins that give Markdown
# attributes or directives, and what a page shows of it (its text without tags).
# Expected: each address. Attributes are written `{.class}`, `{#id}` or `{name=value}`, and a directive is something that the program has defined.
# Seen on 2026-11-30: markdown-it-attrs 5.0.1 and @mdit/plugin-attrs 0.25.2 take any word in braces at the end of a heading, a list item, a cell or a paragraph for an attribute without a value, so the page says
# `GET /keys/`, which is another operation. remark-directive 4.0.0 makes an empty element of each `:id`, `:30` and `:batch`, marked-directive 1.0.7 of all but those with a digit. remark-mdc 3.11.1 drops
# `{id}` behind bold text and links. Code in backticks is kept by all, and nothing is said by any.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts markdown-it@15.0.3 markdown-it-attrs@5.0.1 @mdit/plugin-attrs@0.25.2 unified@11.0.5 remark-parse@11.0.0 \
  remark-rehype@11.1.2 rehype-stringify@10.0.1 remark-gfm@4.0.1 remark-directive@4.0.0 remark-mdc@3.11.1 marked@18.2.1 marked-directive@1.0.7
cat > seen.mjs <<'JS'
import { attrs } from "@mdit/plugin-attrs";
import markdownIt from "markdown-it";
import markdownItAttrs from "markdown-it-attrs";
import { Marked } from "marked";
import { createDirectives } from "marked-directive";
import rehypeStringify from "rehype-stringify";
import remarkDirective from "remark-directive";
import remarkGfm from "remark-gfm";
import remarkMdc from "remark-mdc";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
const remark = (plugin) => (text) => String(unified().use(remarkParse).use(remarkGfm).use(plugin).use(remarkRehype).use(rehypeStringify).processSync(text));
const engines = {
  "markdown-it-attrs": (text) => markdownIt().use(markdownItAttrs).render(text),
  "@mdit/plugin-attrs": (text) => markdownIt().use(attrs).render(text),
  "remark-directive": remark(remarkDirective),
  "marked-directive": (text) => new Marked().use(createDirectives()).parse(text),
  "remark-mdc": remark(remarkMdc),
};
const texts = ["# GET /keys/{id}", "- DELETE /keys/{id}", "| a |\n|---|\n| GET /keys/{id} |", "Call `GET /keys/{id}`", "**GET /keys/**{id}", "GET /users/:id/keys", "POST /charges:batch", "From 10:30 on, node:sqlite"];
for (const [name, render] of Object.entries(engines)) {
  const seen = [];
  for (const text of texts) {
    const shown = (html) => html.replaceAll(/<[^>]*>/g, "").trim().replace(/^a\s+/, "");
    const wanted = shown(markdownIt().render(text));
    if (shown(render(text)) !== wanted) seen.push(`${wanted} is ${shown(render(text)) || "nothing"}`);
  }
  console.log(`${name}: ${seen.join("; ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'markdown-it-attrs: GET /keys/{id} is GET /keys/; DELETE /keys/{id} is DELETE /keys/; GET /keys/{id} is GET /keys/; GET /keys/{id} is GET /keys/
@mdit/plugin-attrs: GET /keys/{id} is GET /keys/; DELETE /keys/{id} is DELETE /keys/; GET /keys/{id} is GET /keys/; GET /keys/{id} is GET /keys/
remark-directive: GET /users/:id/keys is GET /users//keys; POST /charges:batch is POST /charges; From 10:30 on, node:sqlite is From 10 on, node
marked-directive: GET /users/:id/keys is GET /users//keys; POST /charges:batch is POST /charges; From 10:30 on, node:sqlite is From 10:30 on, node
remark-mdc: GET /keys/{id} is GET /keys/' ]
