#!/usr/bin/env bash
# What changed in an account is written into a log of changes, by eight libraries that compare two values. Ten changes, each for itself: an end in time, a balance as bigint, an address of a webhook, a Set of scopes, a Map of limits, a pattern, a value that
# is taken away where there was undefined, a list in place of an object, bytes, and an amount as a text.
# Expected: each change is found, or an error for a value that the library cannot read.
# Seen on 2026-11-30: just-diff 6.0.2 and rfc6902 5.4.0 find no change between two Dates: an account whose plan ends a year later has no entry. jsondiffpatch 0.7.7 finds none between two bigints. deep-object-diff 1.1.9 takes an empty list for an empty object.
# A URL is the same as any other to deep-diff 1.0.2, deep-object-diff, jsondiffpatch and rfc6902, and Sets and Maps are to all but json-diff-ts 4.10.4, which finds everything. fast-json-patch 3.1.1 compares what JSON has. No error comes from any.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts just-diff@6.0.2 rfc6902@5.4.0 jsondiffpatch@0.7.7 deep-object-diff@1.1.9 deep-diff@1.0.2 microdiff@1.6.0 fast-json-patch@3.1.1 json-diff-ts@4.10.4
cat > seen.mjs <<'JS'
import deepDiff from "deep-diff";
import { detailedDiff } from "deep-object-diff";
import fastJsonPatch from "fast-json-patch";
import { diff as jsonDiffTs } from "json-diff-ts";
import { diff as jsondiffpatch } from "jsondiffpatch";
import { diff as justDiff } from "just-diff";
import microdiff from "microdiff";
import { createPatch } from "rfc6902";
const libraries = {
  "just-diff": justDiff,
  rfc6902: createPatch,
  jsondiffpatch: (before, after) => [jsondiffpatch(before, after)].filter(Boolean),
  "deep-object-diff": (before, after) => Object.values(detailedDiff(before, after)).flatMap(Object.keys),
  "deep-diff": (before, after) => deepDiff.diff(before, after) ?? [],
  microdiff,
  "fast-json-patch": fastJsonPatch.compare,
  "json-diff-ts": jsonDiffTs,
};
const changes = {
  Date: [new Date(0), new Date(1)],
  bigint: [1n, 2n],
  URL: [new URL("https://a.example/"), new URL("https://b.example/")],
  Set: [new Set(["read"]), new Set(["write"])],
  Map: [new Map([["calls", 1]]), new Map([["calls", 2]])],
  RegExp: [/a/, /b/],
  "list and object": [[], {}],
  bytes: [new Uint8Array([1]), new Uint8Array([2])],
  "number and text": [1, "1"],
  "null and undefined": [null, undefined],
};
for (const [name, compare] of Object.entries(libraries)) {
  const missed = [];
  for (const [kind, [before, after]] of Object.entries(changes)) {
    try {
      if (compare({ value: before }, { value: after }).length === 0) missed.push(kind);
    } catch {
      missed.push(`${kind} (an error)`);
    }
  }
  console.log(`${name} misses: ${missed.join(", ") || "none"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'just-diff misses: Date, Set, Map
rfc6902 misses: Date, URL, Set, Map, RegExp
jsondiffpatch misses: bigint, URL, Set, Map
deep-object-diff misses: URL, Set, Map, RegExp, list and object
deep-diff misses: URL, Set, Map
microdiff misses: Set, Map
fast-json-patch misses: Set, Map, RegExp
json-diff-ts misses: none' ]
