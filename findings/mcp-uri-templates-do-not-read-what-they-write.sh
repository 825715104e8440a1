#!/usr/bin/env bash
# `UriTemplate` of @modelcontextprotocol/sdk 1.32.2 and of @modelcontextprotocol/server 2.4.0, with which a server registers resources: is `match` the inverse of `expand`?
# Expected: yes, as in RFC 6570 the values are percent-encoded and a variable without a value is left out.
# Seen on 2026-11-29: `expand` encodes, `match` does not decode, so a handler looks for a document named `R%20%26%20D`. A query of two variables of
# which one is left out is written, and then matches nothing. `{/year,month}` becomes `2026,11` without a slash instead of
# `/2026/11`, and `{?tag*}` is written `?tag=a,b` instead of `?tag=a&tag=b`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server@2.4.0 zod@4.6.7
cat > seen.mjs <<'JS'
import { UriTemplate as Template1 } from "@modelcontextprotocol/sdk/shared/uriTemplate.js";
import { UriTemplate as Template2 } from "@modelcontextprotocol/server";
const cases = [
  ["doc://{name}", { name: "R & D" }],
  ["doc://list{?tag,page}", { tag: "new", page: "2" }],
  ["doc://list{?tag,page}", { page: "2" }],
  ["doc://usage{/year,month}", { year: "2026", month: "11" }],
  ["doc://list{?tag*}", { tag: ["a", "b"] }],
];
for (const [template, values] of cases) {
  const seen = [Template1, Template2].map((Template) => {
    const uri = new Template(template).expand(values);
    return `${uri} is read as ${JSON.stringify(new Template(template).match(uri))}`;
  });
  console.log(`${template}: ${[...new Set(seen)].join(" or ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'doc://{name}: doc://R%20%26%20D is read as {"name":"R%20%26%20D"}
doc://list{?tag,page}: doc://list?tag=new&page=2 is read as {"tag":"new","page":"2"}
doc://list{?tag,page}: doc://list?page=2 is read as null
doc://usage{/year,month}: doc://usage2026,11 is read as null
doc://list{?tag*}: doc://list?tag=a,b is read as {"tag":["a","b"]}' ]
