#!/usr/bin/env bash
# What a call returned is kept for its repeats, in a cache or a queue, by seven libraries that write more than JSON can: an Error with a code, a URL, a query, bytes, a date that is none.
# Expected: the same value comes back, or writing it is an error: that is what sets them apart from JSON.
# Seen on 2026-11-29: superjson 2.2.6 takes the code off an Error, which then is another refusal, and makes an empty object of a query and of an ArrayBuffer, and null of a date that is none. @ungap/structured-clone 1.4.0, flatted 3.4.4, serialize-javascript 7.1.4 and
# `v8.serialize` of Node 24 lose the code as well, and the URL or the query; the last makes `{}` of both. devalue 6.0.3 and seroval 1.8.1 keep most and throw for the rest, but seroval makes an empty object of the query. Nothing is said by the others.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts superjson@2.2.6 devalue@6.0.3 seroval@1.8.1 flatted@3.4.4 serialize-javascript@7.1.4 \
  @ungap/structured-clone@1.4.0
cat > seen.mjs <<'JS'
import v8 from "node:v8";
import * as ungap from "@ungap/structured-clone/json";
import * as devalue from "devalue";
import * as flatted from "flatted";
import serializeJavascript from "serialize-javascript";
import * as seroval from "seroval";
import superjson from "superjson";
const evaluate = (text) => new Function(`return ${text}`)();
const libraries = {
  superjson: (value) => superjson.parse(superjson.stringify(value)),
  devalue: (value) => devalue.parse(devalue.stringify(value)),
  seroval: (value) => evaluate(seroval.serialize(value)),
  flatted: (value) => flatted.parse(flatted.stringify(value)),
  "serialize-javascript": (value) => evaluate(serializeJavascript(value)),
  "@ungap/structured-clone": (value) => ungap.parse(ungap.stringify(value)),
  "node:v8": (value) => v8.deserialize(v8.serialize(value)),
};
const values = {
  error: [() => Object.assign(new Error("no credits"), { code: "E402" }), (value) => (value.message === "no credits" ? value.code : undefined) === "E402"],
  URL: [() => new URL("https://example.com/"), (value) => value.hostname === "example.com"],
  query: [() => new URLSearchParams("a=1"), (value) => value.get?.("a") === "1"],
  "part of a buffer": [() => new Uint8Array([9, 1, 2]).subarray(1), (value) => value instanceof Uint8Array && value.join() === "1,2"],
  buffer: [() => new Uint8Array([1, 2]).buffer, (value) => value instanceof ArrayBuffer && value.byteLength === 2],
  "no date": [() => new Date(Number.NaN), (value) => value instanceof Date],
  NaN: [() => Number.NaN, (value) => Number.isNaN(value)],
};
for (const [name, through] of Object.entries(libraries)) {
  const seen = { right: [], lost: [], "an error": [] };
  for (const [kind, [make, isRight]] of Object.entries(values)) {
    let value;
    try {
      value = through({ value: make() }).value;
    } catch {
      seen["an error"].push(kind);
      continue;
    }
    seen[value !== null && isRight(value) ? "right" : "lost"].push(kind);
  }
  console.log(`${name}: ${Object.entries(seen).filter(([, kinds]) => kinds.length > 0).map(([end, kinds]) => `${end}: ${kinds.join(", ")}`).join("; ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'superjson: right: URL, part of a buffer, NaN; lost: error, query, buffer, no date
devalue: right: URL, query, part of a buffer, buffer, no date, NaN; an error: error
seroval: right: error, part of a buffer, buffer, no date, NaN; lost: query; an error: URL
flatted: lost: error, URL, query, part of a buffer, buffer, no date, NaN
serialize-javascript: right: URL; lost: error, query, part of a buffer, buffer, no date, NaN
@ungap/structured-clone: right: part of a buffer, buffer, no date; lost: error, URL, query, NaN
node:v8: right: part of a buffer, buffer, no date, NaN; lost: error, URL, query' ]
