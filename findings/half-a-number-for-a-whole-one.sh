#!/usr/bin/env bash
# An answer of a model in JSON is read while it arrives. So far there is `{"credits": 12`, of `125`; `{"paid": f`; `{"paid": nul`; `{"credits": -`.
# Expected: texts may be shown half, but a number whose digits may go on is left out until its end is there, and what is no value yet is left out too.
# Seen on 2026-11-29: partial-json 0.1.7, best-effort-json-parser 1.5.1 and jsonrepair 3.15.0 return 12, a valid number and the wrong one; the second and the third make 0 of a
# minus, and jsonrepair makes the texts "f" and "nul" of the words. `Allow.ALL & ~Allow.NUM` of partial-json leaves numbers out. Who acts on a field as soon
# as it is there, say to hold credits, has to wait for the comma.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts partial-json@0.1.7 best-effort-json-parser@1.5.1 jsonrepair@3.15.0
cat > seen.mjs <<'JS'
import { parse as bestEffort } from "best-effort-json-parser";
import { jsonrepair } from "jsonrepair";
import { Allow, parse } from "partial-json";
const readers = {
  "partial-json": (text) => parse(text),
  "partial-json without NUM": (text) => parse(text, Allow.ALL & ~Allow.NUM),
  "best-effort-json-parser": (text) => bestEffort(text),
  jsonrepair: (text) => JSON.parse(jsonrepair(text)),
};
for (const text of ['{"credits": 12', '{"paid": f', '{"paid": nul', '{"credits": -']) {
  console.log(`${text}: ${Object.entries(readers).map(([name, read]) => `${name} ${JSON.stringify(read(text))}`).join(", ")}`);
}
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = '{"credits": 12: partial-json {"credits":12}, partial-json without NUM {}, best-effort-json-parser {"credits":12}, jsonrepair {"credits":12}
{"paid": f: partial-json {"paid":false}, partial-json without NUM {"paid":false}, best-effort-json-parser {"paid":false}, jsonrepair {"paid":"f"}
{"paid": nul: partial-json {"paid":null}, partial-json without NUM {"paid":null}, best-effort-json-parser {"paid":null}, jsonrepair {"paid":"nul"}
{"credits": -: partial-json {}, partial-json without NUM {}, best-effort-json-parser {"credits":0}, jsonrepair {"credits":0}' ]
