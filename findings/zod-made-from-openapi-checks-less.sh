#!/usr/bin/env bash
# One schema of an OpenAPI 3.1 description, made into zod by three generators. Do the results refuse what it forbids, and take what it allows?
# Expected: yes, since zod can say all of it but `uniqueItems`, which a refinement can.
# Seen on 2026-11-29: none of orval 8.38.0, hey-api 0.99.0 and openapi-zod-client 1.18.3 keeps `additionalProperties: false` and `uniqueItems`; hey-api leaves `multipleOf`
# out, openapi-zod-client `const`. And hey-api refuses a valid date-time with an offset, because its check wants a Z: a client that checks
# answers with it fails on the first server that writes local time.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @hey-api/openapi-ts@0.99.0 orval@8.38.0 openapi-zod-client@1.18.3 \
  @zodios/core@10.9.6 zod@4.6.7 typescript@5.9.3 "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
npm pkg set type=module
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createClient } from "@hey-api/openapi-ts";
import { generate } from "orval";
const properties = {
  credits: { type: "integer", exclusiveMinimum: 0 },
  price: { type: "number", multipleOf: 0.5 },
  mode: { const: "live" },
  since: { type: "string", format: "date-time" },
  tags: { type: "array", items: { type: "string" }, uniqueItems: true },
  limits: { type: "object", additionalProperties: false, properties: { day: { type: "integer" } } },
};
const responses = { 200: { description: "ok", content: { "application/json": { schema: { type: "object", properties } } } } };
const paths = { "/calls": { get: { operationId: "calls", responses } } };
writeFileSync("api.json", JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths }));
const print = console.log;
console.log = () => {};
await createClient({ input: "./api.json", output: "./hey", plugins: ["zod"], logs: { level: "silent" } });
await generate({ input: "./api.json", output: { target: "./orval.ts", client: "zod" } });
execFileSync(process.execPath, ["node_modules/openapi-zod-client/bin.js", "api.json", "-o", "zodios.ts"], { stdio: "ignore" });
console.log = print;
const { api } = await import("./zodios.ts");
const schemas = {
  orval: (await import("./orval.ts")).CallsResponse,
  "hey-api": (await import("./hey/zod.gen.ts")).zCallsResponse,
  "openapi-zod-client": api.api[0].response,
};
const values = [
  { credits: 0 },
  { price: 0.3 },
  { mode: "test" },
  { tags: ["a", "a"] },
  { limits: { hour: 1 } },
  { since: "2026-11-29T01:00:00+01:00" },
];
for (const value of values) {
  const seen = Object.entries(schemas).map(([name, schema]) => `${name} ${schema.safeParse(value).success ? "takes it" : "refuses it"}`);
  console.log(`${JSON.stringify(value)}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$("$node" --no-warnings seen.mjs | grep -v orval!)
echo "$seen"
[ "$seen" = '{"credits":0}: orval refuses it, hey-api refuses it, openapi-zod-client refuses it
{"price":0.3}: orval refuses it, hey-api takes it, openapi-zod-client refuses it
{"mode":"test"}: orval refuses it, hey-api refuses it, openapi-zod-client takes it
{"tags":["a","a"]}: orval takes it, hey-api takes it, openapi-zod-client takes it
{"limits":{"hour":1}}: orval takes it, hey-api takes it, openapi-zod-client takes it
{"since":"2026-11-29T01:00:00+01:00"}: orval takes it, hey-api refuses it, openapi-zod-client takes it' ]
