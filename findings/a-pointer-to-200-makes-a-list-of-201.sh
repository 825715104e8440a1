#!/usr/bin/env bash
# A value is written with a JSON Pointer where its parent is missing, as a tool does that puts together an OpenAPI document: `/responses/200`, and `/01` and `/5` into a list of two. Six libraries.
# Expected: an object with the member 200, or an error as in JSON Patch; RFC 6901 has `01` as no index of a list, so that one and 5 are errors.
# Seen on 2026-11-29: json-pointer 0.6.2, jsonpointer 5.0.1 and json-ptr 3.1.1 make a list with 201 places, of which 200 are null in JSON. rfc6902 5.4.0 `Pointer.set` writes nothing and says nothing, @hyperjump/json-pointer 1.1.2 throws,
# jsonpointerx 1.2.5 makes the object. `01` overwrites the element 1 in json-ptr, jsonpointerx and @hyperjump/json-pointer, and in the three others hangs a member `01` on the list, which JSON leaves out. `5` fills up with null in all.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts json-pointer@0.6.2 jsonpointer@5.0.1 json-ptr@3.1.1 rfc6902@5.4.0 @hyperjump/json-pointer@1.1.2 \
  jsonpointerx@1.2.5
cat > seen.mjs <<'JS'
import { set as hyperjump } from "@hyperjump/json-pointer";
import pointer from "json-pointer";
import { JsonPointer } from "json-ptr";
import jsonpointer from "jsonpointer";
import { JsonPointer as PointerX } from "jsonpointerx";
import { Pointer } from "rfc6902";
const libraries = {
  "json-pointer": (document, path) => pointer.set(document, path, "new"),
  jsonpointer: (document, path) => jsonpointer.set(document, path, "new"),
  "json-ptr": (document, path) => JsonPointer.set(document, path, "new", true),
  rfc6902: (document, path) => Pointer.fromJSON(path).set(document, "new"),
  "@hyperjump/json-pointer": (document, path) => hyperjump(path, document, "new"),
  jsonpointerx: (document, path) => PointerX.compile(path).set(document, "new"),
};
for (const [name, set] of Object.entries(libraries)) {
  const seen = ["/responses/200", "/list/01", "/list/5"].map((path) => {
    let document = { list: ["a", "b"] };
    try {
      const result = set(document, path);
      if (name === "@hyperjump/json-pointer") document = result;
    } catch {
      return "an error";
    }
    const { list, responses } = document;
    if (!path.startsWith("/responses")) return JSON.stringify(list) + (Object.hasOwn(list, "01") ? " and a member 01" : "");
    return Array.isArray(responses) ? `a list of ${responses.length}` : JSON.stringify(responses ?? "nothing");
  });
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'json-pointer: a list of 201, ["a","b"] and a member 01, ["a","b",null,null,null,"new"]
jsonpointer: a list of 201, ["a","b"] and a member 01, ["a","b",null,null,null,"new"]
json-ptr: a list of 201, ["a","new"], ["a","b",null,null,null,"new"]
rfc6902: "nothing", ["a","b"] and a member 01, ["a","b",null,null,null,"new"]
@hyperjump/json-pointer: an error, ["a","new"], ["a","b",null,null,null,"new"]
jsonpointerx: {"200":"new"}, ["a","new"], ["a","b",null,null,null,"new"]' ]
