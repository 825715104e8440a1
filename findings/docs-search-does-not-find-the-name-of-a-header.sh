#!/usr/bin/env bash
# Six engines that search documentation within the page, with their defaults, over seven sentences of API docs. A reader looks for a part of a name, for an address, for C++.
# Expected: `key` finds Idempotency-Key, `limit` finds rate_limit, `tools` and `/v1/tools` find `GET /v1/tools/uuid`, `node:sqlite` finds itself.
# Seen on 2026-11-30: minisearch 7.2.0, fuse.js 7.5.0 and flexsearch 0.8.212 find all. @orama/orama 3.1.18 keeps hyphens and underscores within words, so it finds neither `key`
# nor `limit`. lunr 2.3.9 and elasticlunr 0.9.5 divide at spaces and hyphens alone: they do not find a part of a path, even `/v1/tools`. lunr does not
# find C++ where it stands, and throws for `node:sqlite`, since a colon names a field.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts minisearch@7.2.0 lunr@2.3.9 fuse.js@7.5.0 flexsearch@0.8.212 @orama/orama@3.1.18 elasticlunr@0.9.5
cat > seen.mjs <<'JS'
import { create, insert, search } from "@orama/orama";
import elasticlunr from "elasticlunr";
import { Document } from "flexsearch";
import Fuse from "fuse.js";
import lunr from "lunr";
import MiniSearch from "minisearch";
const texts = [
  "Send an Idempotency-Key with each call.", "The field rate_limit is optional.", "We use node:sqlite for storage.", "The status 402 means no credits.",
  "List them with GET /v1/tools/uuid.", "Clients for C++ and C# and Go.", "Call getBalance() of the client.",
];
const pages = texts.map((text, id) => ({ id: id + 1, text }));
const mini = new MiniSearch({ fields: ["text"] });
mini.addAll(pages);
const lunrIndex = lunr(function () {
  this.ref("id");
  this.field("text");
  for (const page of pages) this.add(page);
});
const fuse = new Fuse(pages, { keys: ["text"] });
const flex = new Document({ document: { id: "id", index: ["text"] } });
for (const page of pages) flex.add(page);
const orama = create({ schema: { text: "string" } });
for (const { id, text } of pages) insert(orama, { id: String(id), text });
const elastic = elasticlunr(function () {
  this.addField("text");
  this.setRef("id");
});
for (const page of pages) elastic.addDoc(page);
const engines = {
  minisearch: (text) => mini.search(text).map(({ id }) => id),
  "fuse.js": (text) => fuse.search(text).map(({ item }) => item.id),
  flexsearch: (text) => flex.search(text).flatMap(({ result }) => result),
  orama: async (term) => (await search(orama, { term })).hits.map(({ id }) => Number(id)),
  lunr: (text) => lunrIndex.search(text).map(({ ref }) => Number(ref)),
  elasticlunr: (text) => elastic.search(text).map(({ ref }) => Number(ref)),
};
const wanted = { idempotency: 1, key: 1, limit: 2, rate_limit: 2, sqlite: 3, "node:sqlite": 3, 402: 4, tools: 5, "/v1/tools": 5, "C++": 6, getbalance: 7 };
for (const [name, find] of Object.entries(engines)) {
  const missed = [];
  for (const [text, id] of Object.entries(wanted))
    if (!(await Promise.resolve().then(() => find(text)).catch(() => [])).includes(id)) missed.push(text);
  console.log(`${name} does not find: ${missed.join(", ") || "-"}`);
}
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'minisearch does not find: -
fuse.js does not find: -
flexsearch does not find: -
orama does not find: key, limit
lunr does not find: limit, sqlite, node:sqlite, tools, /v1/tools, C++
elasticlunr does not find: limit, sqlite, tools, /v1/tools' ]
