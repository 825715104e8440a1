#!/usr/bin/env bash
# One JSON Patch adds an object with limits to two accounts, and one copies a plan within an account. Then the limits of the first account, and the plan, are changed. Four libraries.
# Expected: the second account, the patch and the copy stay as they were.
# Seen on 2026-11-29: with fast-json-patch 3.1.1 and immutable-json-patch 6.0.3 both accounts hold the very object of the patch, so the limit of one is the limit of the other and of all that are patched later; in immutable-json-patch the
# copy is the plan itself too. rfc6902 5.4.0 and jiff 0.7.3 make copies.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts fast-json-patch@3.1.1 immutable-json-patch@6.0.3 rfc6902@5.4.0 jiff@0.7.3
cat > seen.mjs <<'JS'
import fast from "fast-json-patch";
import { immutableJSONPatch } from "immutable-json-patch";
import jiff from "jiff";
import { applyPatch } from "rfc6902";
const libraries = {
  "fast-json-patch": (document, patch) => fast.applyPatch(document, patch).newDocument,
  "immutable-json-patch": (document, patch) => immutableJSONPatch(document, patch),
  rfc6902: (document, patch) => {
    applyPatch(document, patch);
    return document;
  },
  jiff: (document, patch) => jiff.patch(patch, document),
};
for (const [name, apply] of Object.entries(libraries)) {
  const patch = [{ op: "add", path: "/limits", value: { day: 10 } }];
  const [first, second] = [apply({}, patch), apply({}, patch)];
  first.limits.day = 99;
  const copied = apply({ plan: { day: 10 } }, [{ op: "copy", from: "/plan", path: "/old" }]);
  copied.plan.day = 99;
  console.log(`${name}: second account ${second.limits.day}, patch ${patch[0].value.day}, copy ${copied.old.day}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'fast-json-patch: second account 99, patch 99, copy 10
immutable-json-patch: second account 99, patch 99, copy 99
rfc6902: second account 10, patch 10, copy 10
jiff: second account 10, patch 10, copy 10' ]
