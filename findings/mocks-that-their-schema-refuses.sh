#!/usr/bin/env bash
# Values made from a JSON Schema, as for mock servers, examples in docs and tests. Are they valid by that schema? (ajv 8.20.0 with ajv-formats 3.0.1, draft 2020-12)
# Expected: yes, or an error; a schema for a large amount, a pattern or a period is ordinary.
# Seen on 2026-11-29: json-schema-faker 0.6.3 makes integers below a `minimum` of a million, capitals for `^[a-z]+$` with a `minLength`, names that `propertyNames` and
# `patternProperties` forbid, and `PT0D` for a duration, each time of twenty. openapi-sampler 1.7.10 knows neither `uniqueItems`, `pattern` (alone), `contains` nor `not`, takes
# the `minimum` for a multiple of 7, and makes two members where `minProperties` is three. None of them is an error.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts json-schema-faker@0.6.3 openapi-sampler@1.7.10 ajv@8.20.0 ajv-formats@3.0.1
cat > seen.mjs <<'JS'
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { generate } from "json-schema-faker";
import * as sampler from "openapi-sampler";
const sample = sampler.sample ?? sampler.default.sample;
const ajv = new Ajv.default({ strict: false });
addFormats.default(ajv);
const integers = { additionalProperties: { type: "integer" } };
const schemas = {
  minimum: { type: "integer", minimum: 1_000_000 },
  "pattern, minLength": { type: "string", pattern: "^[a-z]+$", minLength: 12 },
  propertyNames: { type: "object", ...integers, propertyNames: { pattern: "^[a-z]{3}$" }, minProperties: 1 },
  patternProperties: { type: "object", patternProperties: { "^x-[a-z]+$": { type: "integer" } }, additionalProperties: false, minProperties: 1 },
  duration: { type: "string", format: "duration" },
  uniqueItems: { type: "array", items: { enum: ["a", "b", "c"] }, uniqueItems: true, minItems: 3 },
  pattern: { type: "string", pattern: "^[A-Z]{2}[0-9]{3}$" },
  contains: { type: "array", items: { type: "integer" }, contains: { const: 5 } },
  not: { type: "integer", minimum: 0, maximum: 5, not: { const: 0 } },
  multipleOf: { type: "integer", minimum: 5, maximum: 20, multipleOf: 7 },
  minProperties: { type: "object", ...integers, minProperties: 3 },
  uuid: { type: "string", format: "uuid" },
};
for (const [name, schema] of Object.entries(schemas)) {
  const valid = ajv.compile(schema);
  const made = [];
  for (let count = 0; count < 20; count += 1) made.push(await generate(structuredClone(schema)));
  console.log(`${name}: json-schema-faker ${made.every(valid) ? "valid" : made.some(valid) ? "sometimes" : "never"}, openapi-sampler ${valid(sample(schema)) ? "valid" : "never"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'minimum: json-schema-faker never, openapi-sampler valid
pattern, minLength: json-schema-faker never, openapi-sampler valid
propertyNames: json-schema-faker never, openapi-sampler never
patternProperties: json-schema-faker never, openapi-sampler never
duration: json-schema-faker never, openapi-sampler never
uniqueItems: json-schema-faker valid, openapi-sampler never
pattern: json-schema-faker valid, openapi-sampler never
contains: json-schema-faker valid, openapi-sampler never
not: json-schema-faker valid, openapi-sampler never
multipleOf: json-schema-faker valid, openapi-sampler never
minProperties: json-schema-faker valid, openapi-sampler never
uuid: json-schema-faker valid, openapi-sampler valid' ]
