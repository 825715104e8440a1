#!/usr/bin/env bash
# Four values are written in a canonical form, to be hashed or signed: keys that look like numbers, an object with `toJSON`, a function, NaN.
# Expected: the libraries for RFC 8785 (canonicalize 5.1.0, json-canonicalize 3.0.1, @truestamp/canonify 2.1.0) write the same text, and so do the ones that sort.
# Seen on 2026-11-29: json-canonicalize does not sort what `toJSON` returns, so the text of a record depends on the order in which its class writes it, and it
# writes `{"a":undefined}` for a function, which is no JSON. fast-safe-stringify 2.1.1 and sort-keys 6.0.1 put "9" before "10", since they sort by
# making a new object, in which such keys come first and by number. NaN is null for one of the three of RFC 8785, which forbids it.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts canonicalize@5.1.0 json-canonicalize@3.0.1 @truestamp/canonify@2.1.0 safe-stable-stringify@3.0.0 \
  fast-json-stable-stringify@2.1.0 fast-safe-stringify@2.1.1 sort-keys@6.0.1
cat > seen.mjs <<'JS'
import { canonify } from "@truestamp/canonify";
import canonicalize from "canonicalize";
import fastJson from "fast-json-stable-stringify";
import fastSafe from "fast-safe-stringify";
import { canonicalize as jsonCanonicalize } from "json-canonicalize";
import { stringify } from "safe-stable-stringify";
import sortKeys from "sort-keys";
const libraries = {
  canonicalize,
  "json-canonicalize": jsonCanonicalize,
  "@truestamp/canonify": canonify,
  "safe-stable-stringify": stringify,
  "fast-json-stable-stringify": fastJson,
  "fast-safe-stringify": fastSafe.stableStringify,
  "sort-keys": (value) => JSON.stringify(sortKeys(value, { deep: true })),
};
const values = { numbers: { 10: 1, 9: 2 }, toJSON: { record: { toJSON: () => ({ b: 1, a: 2 }) } }, function: { a() {}, b: 1 }, NaN: { a: Number.NaN } };
for (const [kind, value] of Object.entries(values)) {
  const seen = {};
  for (const [name, write] of Object.entries(libraries)) {
    let text;
    try {
      text = write(value);
    } catch {
      text = "error";
    }
    seen[text] = [...(seen[text] ?? []), name];
  }
  for (const [text, names] of Object.entries(seen)) console.log(`${kind}, ${text}: ${names.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'numbers, {"10":1,"9":2}: canonicalize, json-canonicalize, @truestamp/canonify, safe-stable-stringify, fast-json-stable-stringify
numbers, {"9":2,"10":1}: fast-safe-stringify, sort-keys
toJSON, {"record":{"a":2,"b":1}}: canonicalize, @truestamp/canonify, safe-stable-stringify, fast-json-stable-stringify
toJSON, {"record":{"b":1,"a":2}}: json-canonicalize, fast-safe-stringify, sort-keys
function, {"b":1}: canonicalize, @truestamp/canonify, safe-stable-stringify, fast-json-stable-stringify, fast-safe-stringify, sort-keys
function, {"a":undefined,"b":1}: json-canonicalize
NaN, error: canonicalize, json-canonicalize
NaN, {"a":null}: @truestamp/canonify, safe-stable-stringify, fast-json-stable-stringify, fast-safe-stringify, sort-keys' ]
