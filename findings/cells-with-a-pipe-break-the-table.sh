#!/usr/bin/env bash
# A row of a Markdown table, written by five libraries, whose note is `a | b`, two lines, or code with a pipe. What does a page show of it (micromark 4.0.3 with GFM)?
# Expected: the note, in one row of two cells, since the text of a cell is data: GFM has `\|`, also in code, and a line break has to be replaced.
# Seen on 2026-11-29: markdown-table 3.1.0 escapes nothing, so all behind the pipe is lost. It, tablemark 4.1.0, json2md 2.0.3 and ts-markdown 1.3.0 write the line break as it is, which makes another row of the
# second line, or throws it out of the table. ts-markdown writes a pipe as an entity, which code shows as such, and writes it into the caller's own rows too. mdast-util-gfm-table 2.0.1 with
# mdast-util-to-markdown 2.2.3 is right each time.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts markdown-table@3.1.0 tablemark@4.1.0 json2md@2.0.3 ts-markdown@1.3.0 mdast-util-gfm-table@2.0.1 mdast-util-to-markdown@2.2.3 \
  micromark@4.0.3 micromark-extension-gfm@3.0.0
cat > seen.mjs <<'JS'
import json2md from "json2md";
import { markdownTable } from "markdown-table";
import { gfmTableToMarkdown } from "mdast-util-gfm-table";
import { toMarkdown } from "mdast-util-to-markdown";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { tablemark } from "tablemark";
import tsMarkdown from "ts-markdown";
const head = ["tool", "note"];
const node = (value) => (value.startsWith("`") ? { type: "inlineCode", value: value.slice(1, -1) } : { type: "text", value });
const row = (values) => ({ type: "tableRow", children: values.map((value) => ({ type: "tableCell", children: [node(value)] })) });
const libraries = {
  "markdown-table": (values) => markdownTable([head, values]),
  tablemark: ([tool, note]) => tablemark([{ tool, note }]),
  json2md: (values) => json2md({ table: { headers: head, rows: [values] } }),
  "ts-markdown": (values) => tsMarkdown.tsMarkdown([{ table: { columns: head, rows: [values] } }]),
  "mdast-util-gfm-table": (values) => toMarkdown({ type: "table", children: [row(head), row(values)] }, { extensions: [gfmTableToMarkdown()] }),
};
for (const [name, write] of Object.entries(libraries)) {
  const seen = [];
  for (const note of ["a | b", "one\ntwo", "`a|b`"]) {
    const values = ["hash", note];
    const html = micromark(write(values), { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
    const cells = [...html.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => cell.replaceAll("&amp;", "&").replaceAll(/<[^>]*>/g, "").replaceAll("\n", " "));
    seen.push(`[${cells.join("] [")}]${values[1] === note ? "" : " and the row is changed"}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'markdown-table: [hash] [a], [hash] [one] [two] [], [hash] [`a]
tablemark: [hash] [a | b], [hash] [one], [hash] [a|b]
json2md: [hash] [a | b], [hash] [one] [two] [], [hash] [a|b]
ts-markdown: [hash] [a | b] and the row is changed, [hash] [one] [two] [], [hash] [a&#124;b] and the row is changed
mdast-util-gfm-table: [hash] [a | b], [hash] [one two], [hash] [a|b]' ]
