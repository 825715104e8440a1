#!/usr/bin/env bash
# JSON Schemas that name draft 2020-12 in `$schema`, in six validators: is a value refused that a keyword of 2019 or later forbids?
# Expected: yes, or an error that the draft is not known. Seen on 2026-11-29: jsonschema 1.5.0 takes what `prefixItems`, `dependentRequired`,
# `dependentSchemas`, `minContains` and `unevaluatedProperties` forbid, and is-my-json-valid 2.20.6 also what `if`, `contains` and `propertyNames` do,
# which are older; neither says a word. ajv 8.20.0 from its main module throws. @exodus/schemasafe 1.3.0, @cfworker/json-schema 4.1.6 and
# @hyperjump/json-schema 1.18.0 refuse all.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts jsonschema@1.5.0 is-my-json-valid@2.20.6 ajv@8.20.0 \
  @exodus/schemasafe@1.3.0 @cfworker/json-schema@4.1.6 @hyperjump/json-schema@1.18.0
cat > seen.mjs <<'JS'
import { Validator as CfWorker } from "@cfworker/json-schema";
import { validator as schemasafe } from "@exodus/schemasafe";
import { registerSchema, validate as hyperjump } from "@hyperjump/json-schema/draft-2020-12";
import Ajv from "ajv";
import isMyJsonValid from "is-my-json-valid";
import jsonschema from "jsonschema";
const cases = {
  prefixItems: [{ type: "array", prefixItems: [{ type: "string" }] }, [5]],
  dependentRequired: [{ type: "object", dependentRequired: { card: ["code"] } }, { card: "1" }],
  dependentSchemas: [{ type: "object", dependentSchemas: { card: { required: ["code"] } } }, { card: "1" }],
  minContains: [{ type: "array", contains: { type: "string" }, minContains: 2 }, ["a", 1]],
  unevaluatedProperties: [{ type: "object", allOf: [{ properties: { a: { type: "string" } } }], unevaluatedProperties: false }, { b: 1 }],
  if: [{ type: "object", if: { required: ["card"] }, then: { required: ["code"] } }, { card: "1" }],
  contains: [{ type: "array", contains: { type: "string" } }, [1]],
  propertyNames: [{ type: "object", propertyNames: { maxLength: 1 } }, { long: 1 }],
};
let schemas = 0;
const validators = {
  jsonschema: (schema, value) => new jsonschema.Validator().validate(value, schema).valid,
  "is-my-json-valid": (schema, value) => isMyJsonValid(schema)(value),
  ajv: (schema, value) => new Ajv.default({ logger: false }).compile(schema)(value),
  schemasafe: (schema, value) => schemasafe(schema, { mode: "lax" })(value),
  cfworker: (schema, value) => new CfWorker(schema, "2020-12").validate(value).valid,
  async hyperjump(schema, value) {
    const id = `https://schemas.test/${(schemas += 1)}`;
    registerSchema(schema, id);
    return (await hyperjump(id, value)).valid;
  },
};
for (const [name, isValid] of Object.entries(validators)) {
  const taken = [];
  let errors = 0;
  for (const [keyword, [schema, value]] of Object.entries(cases)) {
    try {
      if (await isValid({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema }, value)) taken.push(keyword);
    } catch {
      errors += 1;
    }
  }
  console.log(`${name}: ${errors > 0 ? `${errors} errors` : `takes ${taken.join(" ") || "none"}`}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'jsonschema: takes prefixItems dependentRequired dependentSchemas minContains unevaluatedProperties
is-my-json-valid: takes prefixItems dependentRequired dependentSchemas minContains unevaluatedProperties if contains propertyNames
ajv: 8 errors
schemasafe: takes none
cfworker: takes none
hyperjump: takes none' ]
