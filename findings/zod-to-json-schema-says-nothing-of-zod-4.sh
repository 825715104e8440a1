#!/usr/bin/env bash
# zod-to-json-schema 3.25.2 with a schema of zod 4.6.7; its peer dependency names `^3.25.28 || ^4`.
# Expected: the JSON Schema, or an error. Seen on 2026-11-29: a document with `$schema` alone, which allows everything, without an error or a warning; a schema of
# `zod/v3` from the same package is converted. So after an update of zod the tools of an assistant have no fields, and validation of responses passes anything.
# Schemas of zod 4 have `z.toJSONSchema` instead.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts zod-to-json-schema@3.25.2 zod@4.6.7
cat > seen.mjs <<'JS'
import { readFileSync } from "node:fs";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { zodToJsonSchema } from "zod-to-json-schema";
const { peerDependencies } = JSON.parse(readFileSync("node_modules/zod-to-json-schema/package.json", "utf8"));
console.log(`peer: ${JSON.stringify(peerDependencies)}`);
for (const [name, each] of Object.entries({ "zod/v3": z3, zod: z })) console.log(`${name}: ${JSON.stringify(zodToJsonSchema(each.object({ text: each.string().min(3) })))}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'peer: {"zod":"^3.25.28 || ^4"}
zod/v3: {"type":"object","properties":{"text":{"type":"string","minLength":3}},"required":["text"],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"}
zod: {"$schema":"http://json-schema.org/draft-07/schema#"}' ]
