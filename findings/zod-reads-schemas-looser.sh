#!/usr/bin/env bash
# zod 4.6.7, `z.fromJSONSchema`: does the schema refuse what the JSON Schema refuses?
# Expected: yes, or an error where zod cannot say it, as it throws for `not`, `if` and `dependentRequired`.
# Seen on 2026-11-29: without an error it ignores `required` of a name that is not in `properties`, alone and inside of `allOf` and `anyOf`; every keyword
# of a schema without `type`; and what stands beside a `$ref`. zod writes such schemas itself: `z.record` of an enum becomes `required`
# without `properties`, so a record read back takes an empty object. ajv 8.20.0 refuses all five values.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts zod@4.6.7 ajv@8.20.0
cat > seen.mjs <<'JS'
import Ajv2020 from "ajv/dist/2020.js";
import { z } from "zod";
const text = { type: "string" };
const cases = {
  "required in anyOf": [{ type: "object", properties: { url: text, id: text }, anyOf: [{ required: ["url"] }, { required: ["id"] }] }, {}],
  "required alone": [{ type: "object", required: ["url"] }, {}],
  "no type": [{ properties: { url: text }, required: ["url"] }, {}],
  "beside $ref": [{ $defs: { name: text }, $ref: "#/$defs/name", minLength: 3 }, "a"],
  "own record": [z.toJSONSchema(z.record(z.enum(["in", "out"]), z.number())), {}],
};
const ajv = new Ajv2020({ strict: false });
for (const [name, [schema, value]] of Object.entries(cases)) {
  const verdict = (accepts) => (accepts ? "takes it" : "refuses it");
  console.log(`${name}: zod ${verdict(z.fromJSONSchema(schema).safeParse(value).success)}, ajv ${verdict(ajv.validate(schema, value))}`);
}
const { properties, required } = z.toJSONSchema(z.record(z.enum(["in", "out"]), z.number()));
console.log(`record: properties ${JSON.stringify(properties)}, required ${JSON.stringify(required)}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'required in anyOf: zod takes it, ajv refuses it
required alone: zod takes it, ajv refuses it
no type: zod takes it, ajv refuses it
beside $ref: zod takes it, ajv refuses it
own record: zod takes it, ajv refuses it
record: properties undefined, required ["in","out"]' ]
