#!/usr/bin/env bash
# Tests compare what a handler returns: Headers, URLSearchParams, FormData and a URL, each with another content than expected.
# Expected: each assertion for deep equality fails.
# Seen on 2026-11-29: `assert.deepStrictEqual` of Node 24.21.0 and `deep.equal` of chai 6.3.0 pass for Headers, URLSearchParams and FormData, whatever they hold, because their contents are no
# properties of the object. Such a test can never fail; compare `Object.fromEntries(headers)`. @vitest/expect 5.1.1 and expect 30.5.2 (Jest) see all differences. deep-equal 2.2.3
# and remeda 2.62.2 `isDeepEqual`, which programs use to see whether a setting has changed, even take two URLs for equal.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts chai@6.3.0 @vitest/expect@5.1.1 expect@30.5.2 deep-equal@2.2.3 remeda@2.62.2 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import assert from "node:assert/strict";
import { equals, iterableEquality } from "@vitest/expect";
import { expect as chai } from "chai";
import deepEqual from "deep-equal";
import { expect } from "expect";
import { isDeepEqual } from "remeda";
const form = (value) => {
  const data = new FormData();
  data.set("credits", value);
  return data;
};
const pairs = {
  Headers: ["1", "2"].map((credits) => new Headers({ credits })),
  URLSearchParams: ["1", "2"].map((credits) => new URLSearchParams({ credits })),
  FormData: ["1", "2"].map(form),
  URL: ["1", "2"].map((credits) => new URL(`https://example.com/${credits}`)),
};
const passes = (assertion) => {
  try {
    assertion();
    return true;
  } catch {
    return false;
  }
};
const libraries = {
  "node:assert deepStrictEqual": (a, b) => passes(() => assert.deepStrictEqual(a, b)),
  "chai deep.equal": (a, b) => passes(() => chai(a).to.deep.equal(b)),
  "@vitest/expect, as toEqual": (a, b) => equals(a, b, [iterableEquality]),
  "expect toEqual": (a, b) => passes(() => expect(a).toEqual(b)),
  "deep-equal": (a, b) => deepEqual(a, b, { strict: true }),
  "remeda isDeepEqual": isDeepEqual,
};
for (const [name, areEqual] of Object.entries(libraries)) {
  const same = Object.keys(pairs).filter((kind) => areEqual(...pairs[kind]));
  console.log(`${name}: ${same.join(", ") || "none"} taken for equal`);
}
JS
seen=$("$node" seen.mjs)
echo "$seen"
[ "$seen" = 'node:assert deepStrictEqual: Headers, URLSearchParams, FormData taken for equal
chai deep.equal: Headers, URLSearchParams, FormData taken for equal
@vitest/expect, as toEqual: none taken for equal
expect toEqual: none taken for equal
deep-equal: Headers, URLSearchParams, FormData, URL taken for equal
remeda isDeepEqual: Headers, URLSearchParams, FormData, URL taken for equal' ]
