#!/usr/bin/env bash
# zod 4.6.7, `toJSONSchema(schema, { io: "input" })`: does the JSON Schema accept what the schema accepts?
# Expected: each input that the parser takes, since clients of an API (MCP, generated forms) check with it before they send; an error
# where that cannot be said in JSON Schema, as for dates and for sets.
# Seen on 2026-11-28: a pattern loses its flag `i` without an error, a length that is checked after `trim()` is asked of the untrimmed
# text, `coerce.number()` asks for a number and refuses "5", `catch()` asks for what it exists to replace. arktype 2.2.9 loses the flag
# too; valibot 1.5.0 (@valibot/to-json-schema 1.8.0) throws for the flag and for `trim()`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts zod@4.6.7 arktype@2.2.9 valibot@1.5.0 @valibot/to-json-schema@1.8.0 ajv@8.20.0
cat > seen.mjs <<'JS'
import { toJsonSchema } from "@valibot/to-json-schema";
import Ajv from "ajv/dist/2020.js";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
const ajv = new Ajv.default();
const cases = {
  "pattern with i": [z.string().regex(/^a$/i), "A"],
  "max after trim": [z.string().trim().max(3), "abc "],
  "coerced number": [z.coerce.number(), "5"],
  "int with catch": [z.int().catch(1), "x"],
};
for (const [name, [schema, value]] of Object.entries(cases)) {
  const described = ajv.validate(z.toJSONSchema(schema, { io: "input" }), value);
  console.log(`zod, ${name}: parser ${schema.safeParse(value).success}, JSON Schema ${described}`);
}
const ark = type(/^a$/i);
console.log(`arktype, pattern with i: parser ${ark("A") === "A"}, JSON Schema ${ajv.validate(ark.toJsonSchema(), "A")}`);
for (const [name, action] of [["pattern with i", v.regex(/^a$/i)], ["trim", v.trim()]]) {
  try {
    console.log(`valibot, ${name}: ${JSON.stringify(toJsonSchema(v.pipe(v.string(), action)))}`);
  } catch (error) {
    console.log(`valibot, ${name}: ${error.message}`);
  }
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'zod, pattern with i: parser true, JSON Schema false
zod, max after trim: parser true, JSON Schema false
zod, coerced number: parser true, JSON Schema false
zod, int with catch: parser true, JSON Schema false
arktype, pattern with i: parser true, JSON Schema false
valibot, pattern with i: RegExp flags are not supported by JSON Schema.
valibot, trim: The "trim" action cannot be converted to JSON Schema.' ]
