#!/usr/bin/env bash
# JSON Patch (RFC 6902) in four libraries: a second operation whose test fails; `replace` and `remove` of a path that is not there; a `test` for an object whose members stand in another order; an element far behind the end of a list.
# Expected: nothing is changed by the first, the next two and the last are errors, and the test passes: sections 4 and 5 of the RFC say so.
# Seen on 2026-11-29: fast-json-patch 3.1.1 and rfc6902 5.4.0 leave what was done before the failed test in the document. fast-json-patch without its `validate` and immutable-json-patch 6.0.3 take both missing paths in silence; the first
# adds what was to be replaced, the second drops it. Both append the element behind the end. The test of immutable-json-patch depends on the order of members. jiff 0.7.3 does what the RFC says.
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
    const error = applyPatch(document, patch).find(Boolean);
    if (error) throw error;
    return document;
  },
  jiff: (document, patch) => jiff.patch(patch, document),
};
const cases = {
  replace: [{ plan: "free" }, [{ op: "replace", path: "/limit", value: 5 }]],
  remove: [{ plan: "free" }, [{ op: "remove", path: "/limit" }]],
  test: [{ limits: { day: 1, month: 2 } }, [{ op: "test", path: "/limits", value: { month: 2, day: 1 } }]],
  element: [{ keys: ["a"] }, [{ op: "add", path: "/keys/7", value: "b" }]],
};
for (const [name, apply] of Object.entries(libraries)) {
  const account = { plan: "free" };
  try {
    apply(account, [
      { op: "add", path: "/credits", value: 100 },
      { op: "test", path: "/plan", value: "gold" },
    ]);
  } catch {}
  const seen = Object.entries(cases).map(([kind, [document, patch]]) => {
    try {
      return `${kind} ${JSON.stringify(apply(structuredClone(document), patch))}`;
    } catch {
      return `${kind} an error`;
    }
  });
  console.log(`${name}: after the failed test ${JSON.stringify(account)}, ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'fast-json-patch: after the failed test {"plan":"free","credits":100}, replace {"plan":"free","limit":5}, remove {"plan":"free"}, test {"limits":{"day":1,"month":2}}, element {"keys":["a","b"]}
immutable-json-patch: after the failed test {"plan":"free"}, replace {"plan":"free"}, remove {"plan":"free"}, test an error, element {"keys":["a","b"]}
rfc6902: after the failed test {"plan":"free","credits":100}, replace an error, remove an error, test {"limits":{"day":1,"month":2}}, element an error
jiff: after the failed test {"plan":"free"}, replace an error, remove an error, test {"limits":{"day":1,"month":2}}, element an error' ]
