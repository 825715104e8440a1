#!/usr/bin/env bash
# Which schema libraries can describe themselves through Standard Schema, `schema["~standard"].jsonSchema`?
# Expected: the ones that have `~standard` with version 1, zod/mini like zod, and with the default of a field in it.
# Seen on 2026-11-28: zod 4.6.7 and arktype 2.2.9 only. zod/mini of the same package has no `jsonSchema`, nor have valibot 1.5.0 and yup
# 1.7.1; and arktype leaves the default out. So whoever takes "any Standard Schema" and documents it needs a second way.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts zod@4.6.7 arktype@2.2.9 valibot@1.5.0 yup@1.7.1
cat > seen.mjs <<'JS'
import { type } from "arktype";
import * as v from "valibot";
import * as yup from "yup";
import { z } from "zod";
import * as mini from "zod/mini";
const schemas = {
  zod: z.object({ a: z.string().default("x") }),
  "zod/mini": mini.object({ a: mini._default(mini.string(), "x") }),
  arktype: type({ a: "string = 'x'" }),
  valibot: v.object({ a: v.optional(v.string(), "x") }),
  yup: yup.object({ a: yup.string().default("x") }),
};
for (const [name, schema] of Object.entries(schemas)) {
  const { version, jsonSchema } = schema["~standard"];
  const field = jsonSchema?.input({ target: "draft-2020-12" }).properties.a;
  console.log(`${name}: version ${version}, ${JSON.stringify(field) ?? "no JSON Schema"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'zod: version 1, {"default":"x","type":"string"}
zod/mini: version 1, no JSON Schema
arktype: version 1, {"type":"string"}
valibot: version 1, no JSON Schema
yup: version 1, no JSON Schema' ]
