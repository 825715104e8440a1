#!/usr/bin/env bash
# marked 18.2.1 with `async: true`, as highlighting in a worker needs it, renders two documents at the same time with one instance, as a server does.
# Expected: each document as it is rendered alone; a call has its own lexer and parser.
# Seen on 2026-11-29: marked-gfm-heading-id 4.1.4 and marked-footnote 1.4.0 keep what belongs to a document beside the instance, from one hook to the next. The heading
# "Price" of the second document gets the id `price-2`, because the first has two of them, so links to `#price` lead nowhere on a busy server; and the second
# document with footnotes throws a TypeError. One after the other both are right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts marked@18.2.1 marked-gfm-heading-id@4.1.4 marked-footnote@1.4.0
cat > seen.mjs <<'JS'
import { setTimeout as sleep } from "node:timers/promises";
import { Marked } from "marked";
import footnote from "marked-footnote";
import { gfmHeadingId } from "marked-gfm-heading-id";
const documents = ["# Price\n\n# Price\n\nA[^1]\n\n[^1]: one of A\n", "# Price\n\nB[^1]\n\n[^1]: one of B\n"];
const tell = (html) => html.match(/<h1[^>]*>/g).join("") + (html.includes("<li id=") ? " with a footnote" : "");
for (const [name, extension] of Object.entries({ "marked-gfm-heading-id": gfmHeadingId(), "marked-footnote": footnote() })) {
  const marked = new Marked({ async: true, walkTokens: () => sleep(1) }, extension);
  for (const document of documents) console.log(`${name}, alone: ${tell(await marked.parse(document))}`);
  const together = await Promise.allSettled(documents.map((document) => marked.parse(document)));
  for (const { value, reason } of together) console.log(`${name}, together: ${value ? tell(value) : reason.name}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'marked-gfm-heading-id, alone: <h1 id="price"><h1 id="price-1">
marked-gfm-heading-id, alone: <h1 id="price">
marked-gfm-heading-id, together: <h1 id="price"><h1 id="price-1">
marked-gfm-heading-id, together: <h1 id="price-2">
marked-footnote, alone: <h1><h1> with a footnote
marked-footnote, alone: <h1> with a footnote
marked-footnote, together: <h1><h1> with a footnote
marked-footnote, together: TypeError' ]
