#!/usr/bin/env bash
# A description of OpenAPI 3.1 with its references resolved: one has rules beside it, `{ $ref: price, maxLength: 8, description }`, where price has `maxLength: 5`; one names an `$anchor`, `#price`; one leads to an answer by
# `#/paths/~1keys~1%7Bid%7D/…`.
# Expected: 3.1 has the rules of JSON Schema, so both lengths count, as with `allOf`, and the description is the one beside the reference; the anchor and the path lead where they say.
# Seen on 2026-11-29: swagger-parser 13.1.0, json-schema-ref-parser 16.0.6, @readme/openapi-parser 9.0.0, swagger-client 3.39.0 and redocly 2.64.0 let the outer length replace the inner one, so 8 characters pass; json-refs 3.0.15 drops
# all that stands beside it, the description too. The first three and json-refs leave `$ref: "#price"` as it is, without an error; swagger-client and redocly resolve it. The path is right in all.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @apidevtools/swagger-parser@13.1.0 @apidevtools/json-schema-ref-parser@16.0.6 @readme/openapi-parser@9.0.0 \
  swagger-client@3.39.0 @redocly/openapi-core@2.64.0 json-refs@3.0.15
cat > seen.mjs <<'JS'
import RefParser from "@apidevtools/json-schema-ref-parser";
import SwaggerParser from "@apidevtools/swagger-parser";
import { dereference } from "@readme/openapi-parser";
import { bundleFromString, createConfig } from "@redocly/openapi-core";
import { resolveRefs } from "json-refs";
import SwaggerClient from "swagger-client";
const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
const schemas = {
  Price: { $anchor: "price", type: "string", description: "A price.", maxLength: 5 },
  Key: { type: "object", properties: { refill: { $ref: "#/components/schemas/Price", description: "Of a refill.", maxLength: 8 }, call: { $ref: "#price" } } },
};
const description = () =>
  structuredClone({
    openapi: "3.1.0",
    info: { title: "Keys", version: "1" },
    paths: {
      "/keys/{id}": { parameters, get: { responses: { 200: { description: "The key." } } } },
      "/copies/{id}": { parameters, get: { responses: { 200: { $ref: "#/paths/~1keys~1%7Bid%7D/get/responses/200" } } } },
    },
    components: { schemas },
  });
const libraries = {
  "swagger-parser": () => SwaggerParser.dereference(description()),
  "json-schema-ref-parser": () => RefParser.dereference(description()),
  "@readme/openapi-parser": () => dereference(description()),
  "json-refs": async () => (await resolveRefs(description())).resolved,
  "swagger-client": async () => (await SwaggerClient.resolve({ spec: description() })).spec,
  redocly: async () => (await bundleFromString({ source: JSON.stringify(description()), config: await createConfig({}), dereference: true })).bundle.parsed,
};
for (const [name, resolve] of Object.entries(libraries)) {
  const { components, paths } = await resolve();
  const { refill, call } = components.schemas.Key.properties;
  const lengths = [refill, ...(refill.allOf ?? [])].flatMap(({ maxLength }) => maxLength ?? []);
  console.log(`${name}: lengths ${lengths.join(" and ")}, "${refill.description}", anchor ${call.type ?? "unresolved"}, path "${paths["/copies/{id}"].get.responses[200].description}"`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'swagger-parser: lengths 8, "Of a refill.", anchor unresolved, path "The key."
json-schema-ref-parser: lengths 8, "Of a refill.", anchor unresolved, path "The key."
@readme/openapi-parser: lengths 8, "Of a refill.", anchor unresolved, path "The key."
json-refs: lengths 5, "A price.", anchor unresolved, path "The key."
swagger-client: lengths 8, "Of a refill.", anchor string, path "The key."
redocly: lengths 8, "Of a refill.", anchor string, path "The key."' ]
