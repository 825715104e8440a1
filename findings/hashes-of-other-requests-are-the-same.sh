#!/usr/bin/env bash
# The hash of a request is its key, for a cache or for repeats. Pairs of requests that differ in one value, hashed by six libraries that hash objects. Which pairs have one hash?
# Expected: none, or an error for a value that the library cannot read.
# Seen on 2026-11-29: for `hash` of cacheable 2.5.0 any two Sets, Maps, URLSearchParams and Headers are the same, `[undefined]` is `[null]` and NaN is null, since it writes JSON. For hash-it 7.0.2
# any two URLs, URLSearchParams and Headers are. For node-object-hash 3.1.1 any two Headers and buffers are, 1 is "1", `["a,b"]` is `["a", "b"]`, and `{ a: "1,b:2" }` hashes as `{ a: "1", b: "2" }`: it neither quotes nor
# escapes. ohash 2.0.12 and stable-hash 0.0.6 tell all of them apart, and so does object-hash 3.0.0, which throws for URLSearchParams and Headers.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts cacheable@2.5.0 hash-it@7.0.2 node-object-hash@3.1.1 ohash@2.0.12 object-hash@3.0.0 stable-hash@0.0.6
cat > seen.mjs <<'JS'
import { hash as cacheable } from "cacheable";
import { hash as hashIt } from "hash-it";
import { hasher } from "node-object-hash";
import objectHash from "object-hash";
import { hash as ohash } from "ohash";
import * as stable from "stable-hash";
const pairs = {
  Set: [new Set(["hash"]), new Set(["qr"])],
  Map: [new Map([["hash", 1]]), new Map([["hash", 2]])],
  URL: [new URL("https://a.example/"), new URL("https://b.example/")],
  URLSearchParams: [new URLSearchParams("page=1"), new URLSearchParams("page=2")],
  Headers: [new Headers({ accept: "a" }), new Headers({ accept: "b" })],
  buffer: [new Uint8Array([1]).buffer, new Uint8Array([2]).buffer],
  undefined: [[undefined], [null]],
  NaN: [Number.NaN, null],
  digit: [1, "1"],
  list: [["a,b"], ["a", "b"]],
  object: [{ a: "1,b:2" }, { a: "1", b: "2" }],
};
const libraries = { cacheable, "hash-it": hashIt, "node-object-hash": hasher().hash, ohash, "object-hash": objectHash, "stable-hash": stable.stableHash ?? stable.default?.default ?? stable.default };
for (const [name, hash] of Object.entries(libraries)) {
  const same = [];
  const errors = [];
  for (const [kind, [one, other]] of Object.entries(pairs)) {
    try {
      if ((await hash({ value: one })) === (await hash({ value: other }))) same.push(kind);
    } catch {
      errors.push(kind);
    }
  }
  console.log(`${name}: the same for ${same.join(", ") || "none"}${errors.length === 0 ? "" : `; errors for ${errors.join(", ")}`}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'cacheable: the same for Set, Map, URLSearchParams, Headers, buffer, undefined, NaN
hash-it: the same for URL, URLSearchParams, Headers
node-object-hash: the same for Headers, buffer, undefined, digit, list, object
ohash: the same for none
object-hash: the same for none; errors for URLSearchParams, Headers
stable-hash: the same for none' ]
