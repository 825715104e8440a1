#!/usr/bin/env bash
# The parts of an `allOf` are merged into one schema by three libraries, as tools for documents and forms do before they show it: two patterns, number and integer, two conditions, two lists of prefixItems, two of dependentRequired, and
# string with
# false. Does the result take what ajv 8.20.0 took before?
# Expected: yes, or an error, or the `allOf` left for what cannot be merged.
# Seen on 2026-11-29: json-schema-merge-allof 0.8.1 and allof-merge 0.6.8 make `(?=^key_)(?=live$)` of `^key_` and `live$`, which no text matches, since both look from the same place. allof-merge replaces the first condition and the first list
# by the second, leaves `false` out, and returns undefined for number and integer, for which json-schema-merge-allof throws, as it does for all keywords after draft 6. @x0k/json-schema-merge 1.1.0 is right but for
# dependentRequired, which is newer than draft 7: it keeps the first alone.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts json-schema-merge-allof@0.8.1 allof-merge@0.6.8 @x0k/json-schema-merge@1.1.0 ajv@8.20.0
cat > seen.mjs <<'JS'
import { createMerger, createShallowAllOfMerge } from "@x0k/json-schema-merge";
import { Ajv2020 } from "ajv/dist/2020.js";
import { merge as allofMerge } from "allof-merge";
import mergeAllOf from "json-schema-merge-allof";
const ajv = new Ajv2020({ strict: false });
const libraries = {
  "json-schema-merge-allof": mergeAllOf,
  "allof-merge": (schema) => allofMerge(schema),
  "@x0k/json-schema-merge": createShallowAllOfMerge(createMerger().mergeArrayOfSchemaDefinitions),
};
const cases = {
  patterns: [[{ pattern: "^key_" }, { pattern: "live$" }], ["key_live", "key_test", "live"]],
  types: [[{ type: "number" }, { type: "integer" }], [1, 1.5]],
  conditions: [[{ if: { const: 1 }, then: false }, { if: { const: 2 }, then: false }], [1, 2, 3]],
  prefixItems: [[{ prefixItems: [{ const: 1 }], items: false }, { prefixItems: [{}, { const: 2 }] }], [[1], [2], [1, 2]]],
  dependentRequired: [[{ dependentRequired: { plan: ["limit"] } }, { dependentRequired: { plan: ["price"] } }], [{ plan: 1, limit: 1 }, { plan: 1, price: 1 }]],
  false: [[{ type: "string" }, false], ["text"]],
};
for (const [name, merge] of Object.entries(libraries)) {
  const seen = Object.entries(cases).map(([kind, [allOf, values]]) => {
    let merged;
    try {
      merged = merge(structuredClone({ allOf }));
    } catch {
      return `${kind} an error`;
    }
    if (merged === undefined) return `${kind} undefined`;
    const other = values.filter((value) => ajv.validate({ allOf }, value) !== ajv.validate(structuredClone(merged), value));
    return other.length === 0 ? `${kind} right` : `${kind} not for ${other.map((value) => JSON.stringify(value)).join(" ")}`;
  });
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'json-schema-merge-allof: patterns not for "key_live", types an error, conditions an error, prefixItems an error, dependentRequired an error, false right
allof-merge: patterns not for "key_live", types undefined, conditions not for 1, prefixItems not for [2] [1,2], dependentRequired not for {"plan":1,"price":1}, false not for "text"
@x0k/json-schema-merge: patterns right, types right, conditions right, prefixItems right, dependentRequired not for {"plan":1,"limit":1}, false right' ]
