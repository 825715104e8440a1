#!/usr/bin/env bash
# An OpenAPI 3.1 description of a call: `status` is a text of an enum or null (both in `type` and in `enum`), `plan` an object or null, `window` a pair (`prefixItems`), and all refusals are the response `4XX`.
# Do the types that seven generators make take the values that the description takes, and can TypeScript read them?
# Expected: yes: 3.1 is five years old, and all of it can be said in TypeScript.
# Seen on 2026-11-29: swagger-typescript-api 13.13.0 and openapi-typescript-codegen 0.31.0 leave the null of `status` out, the first also that of `plan` (the second makes `any` of a plan). So a program
# that is right by its types fails at null. oazapfts 7.5.0 makes `never[]` of the pair, and for `4XX` it writes `status: 4XX`, a syntax error, so nothing of its client can be used. openapi-typescript 7.13.0,
# orval 8.38.0, @hey-api/openapi-ts 0.99.0 and typed-openapi 2.2.7 pass.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps typescript@5.9.3 openapi-typescript@7.13.0 orval@8.38.0 @hey-api/openapi-ts@0.99.0 typed-openapi@2.2.7 \
  swagger-typescript-api@13.13.0 openapi-typescript-codegen@0.31.0 oazapfts@7.5.0
cat > seen.mjs <<'JS'
import { mkdirSync, writeFileSync } from "node:fs";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypescript, { astToString } from "openapi-typescript";
import { generate as codegen } from "openapi-typescript-codegen";
import { generate as orval } from "orval";
import { generateApi } from "swagger-typescript-api";
import ts from "typescript";
const properties = {
  status: { type: ["string", "null"], enum: ["ok", "failed", null] },
  plan: { type: ["object", "null"], required: ["name"], properties: { name: { type: "string" } } },
  window: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
};
const content = (schema) => ({ "application/json": { schema } });
const responses = {
  200: { description: "done", content: content({ $ref: "#/components/schemas/Call" }) },
  "4XX": { description: "refused", content: content({ type: "object", required: ["code"], properties: { code: { type: "string" } } }) },
};
const paths = { "/call": { get: { operationId: "call", responses } } };
const schemas = { Call: { type: "object", required: Object.keys(properties), properties } };
const spec = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths, components: { schemas } };
writeFileSync("api.json", JSON.stringify(spec));
mkdirSync("made");
const { execFileSync } = await import("node:child_process");
const generators = {
  "openapi-typescript": ["components.ts", 'components["schemas"]["Call"]', "components", async (file) => writeFileSync(file, astToString(await openapiTypescript(spec)))],
  orval: ["orval.ts", "Call", "Call", (file) => orval({ input: "./api.json", output: { target: `./${file}`, client: "fetch" } })],
  "@hey-api/openapi-ts": ["hey/types.gen.ts", "Call", "Call", () => createClient({ input: "./api.json", output: "./made/hey", logs: { level: "silent" } })],
  "typed-openapi": ["typed.ts", "Schemas.Call", "Schemas", (file) => execFileSync("node_modules/.bin/typed-openapi", ["api.json", "-o", file])],
  "swagger-typescript-api": ["swagger.ts", "Call", "Call", () => generateApi({ input: `${process.cwd()}/api.json`, output: `${process.cwd()}/made`, fileName: "swagger.ts", silent: true })],
  "openapi-typescript-codegen": ["codegen/models/Call.ts", "Call", "Call", () => codegen({ input: "./api.json", output: "./made/codegen" })],
  oazapfts: ["oazapfts.ts", "Call", "Call", (file) => execFileSync("node_modules/.bin/oazapfts", ["api.json", file])],
};
const values = { status: "null", plan: "null", window: '["a", 1]' };
const print = console.log;
console.log = () => {};
for (const [name, [file, type, root, make]] of Object.entries(generators)) {
  await make(`made/${file}`);
  const lines = Object.entries(values).map(([field, value]) => `export const ${field}: ${type}["${field}"] = ${value};`);
  writeFileSync(`made/check-${name.replaceAll("/", "-")}.ts`, [`import type { ${root} } from "./${file.replace(/ts$/, "js")}";`, ...lines].join("\n"));
}
console.log = print;
const checks = Object.keys(generators).map((name) => `made/check-${name.replaceAll("/", "-")}.ts`);
const program = ts.createProgram(checks, { strict: true, noEmit: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: [] });
for (const [index, [name, [file]]] of Object.entries(generators).entries()) {
  const check = program.getSourceFile(checks[index]);
  const wrong = program.getSemanticDiagnostics(check).map(({ start }) => Object.keys(values)[check.getLineAndCharacterOfPosition(start).line - 1]);
  const mistakes = program.getSyntacticDiagnostics(program.getSourceFile(`made/${file}`)).length;
  print(`${name}: refuses ${[...new Set(wrong)].join(" and ") || "nothing"}${mistakes === 0 ? "" : ", no TypeScript"}`);
}
process.exit();
JS
seen=$(node seen.mjs | grep -v orval!)
echo "$seen"
[ "$seen" = 'openapi-typescript: refuses nothing
orval: refuses nothing
@hey-api/openapi-ts: refuses nothing
typed-openapi: refuses nothing
swagger-typescript-api: refuses status and plan
openapi-typescript-codegen: refuses status
oazapfts: refuses window, no TypeScript' ]
