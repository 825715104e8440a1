#!/usr/bin/env bash
# JSONPath (RFC 9535) on a list of calls: those that have `credits`, those whose credits are 0, and the last entry by `[-1]`, in four libraries.
# Expected: a path alone in a filter asks whether the member is there, whatever its value; 0 equals the number 0 alone; -1 counts from the end.
# Seen on 2026-11-29: jsonpath-plus 11.3.0 and jsonpath 1.3.0 run the filter as JavaScript: calls with 0 credits, null and false are left out of `?(@.credits)` and all but one fall
# into `?(!@.credits)`, `== 0` finds false and the empty text too, and `[-1]` finds nothing, since it is a name to them (`[-1:]` works). json-p3 2.3.1 and
# jsonpath-rfc9535 1.3.0 do as the RFC says.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts jsonpath-plus@11.3.0 jsonpath@1.3.0 json-p3@2.3.1 jsonpath-rfc9535@1.3.0
cat > seen.mjs <<'JS'
import { query } from "json-p3";
import jsonpath from "jsonpath";
import { JSONPath } from "jsonpath-plus";
import { query as rfcQuery } from "jsonpath-rfc9535";
const calls = [0, 5, undefined, null, false, ""].map((credits, id) => ({ id, credits }));
const data = JSON.parse(JSON.stringify({ calls }));
const libraries = {
  "jsonpath-plus": (path) => JSONPath({ path, json: data }),
  jsonpath: (path) => jsonpath.query(data, path),
  "json-p3": (path) => query(path, data).values(),
  "jsonpath-rfc9535": (path) => rfcQuery(data, path),
};
for (const path of ["$.calls[?(@.credits)].id", "$.calls[?(!@.credits)].id", "$.calls[?(@.credits == 0)].id", "$.calls[-1].id"]) {
  console.log(`${path}: ${Object.entries(libraries).map(([name, find]) => `${name} ${JSON.stringify(find(path))}`).join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '$.calls[?(@.credits)].id: jsonpath-plus [1], jsonpath [1], json-p3 [0,1,3,4,5], jsonpath-rfc9535 [0,1,3,4,5]
$.calls[?(!@.credits)].id: jsonpath-plus [0,2,3,4,5], jsonpath [0,2,3,4,5], json-p3 [2], jsonpath-rfc9535 [2]
$.calls[?(@.credits == 0)].id: jsonpath-plus [0,4,5], jsonpath [0,4,5], json-p3 [0], jsonpath-rfc9535 [0]
$.calls[-1].id: jsonpath-plus [], jsonpath [], json-p3 [5], jsonpath-rfc9535 [5]' ]
