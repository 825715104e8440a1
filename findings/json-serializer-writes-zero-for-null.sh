#!/usr/bin/env bash
# fast-json-stringify 7.3.6, which Fastify uses for responses that have a schema: values that the schema does not allow.
# Expected: an error, or the value as JSON.stringify writes it. Seen on 2026-11-29: null becomes 0 where the schema says integer or number, ""
# where it says string and [] where it says array, required or not; 2.9 credits become 2 where it says integer; the text "false"
# becomes true where it says boolean. Only a text that is no number is an error. So a balance that is not known is sent as 0.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts fast-json-stringify@7.3.6
cat > seen.mjs <<'JS'
import build from "fast-json-stringify";
const write = (type, value) => {
  try {
    return build({ type: "object", required: ["a"], properties: { a: { type } } })({ a: value });
  } catch {
    return "error";
  }
};
const nulls = [["integer", null], ["number", null], ["string", null], ["array", null]];
const others = [["integer", 2.9], ["boolean", "false"], ["integer", "many"], [["integer", "null"], null]];
for (const [type, value] of [...nulls, ...others]) {
  console.log(`${type} of ${JSON.stringify(value)}: ${write(type, value)}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'integer of null: {"a":0}
number of null: {"a":0}
string of null: {"a":""}
array of null: {"a":[]}
integer of 2.9: {"a":2}
boolean of "false": {"a":true}
integer of "many": error
integer,null of null: {"a":null}' ]
