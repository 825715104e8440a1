#!/usr/bin/env bash
# One description (OpenAPI 3.1) has three query parameters: a list `tag` and an object `made` without a `style`, and a list `ids` with `explode: false`.
# What do four clients made from it send for the same values?
# Expected: `tag=a&tag=b`, `from=1&to=2` and `ids=a,b`, as the standard has it (form, explode by default).
# Seen on 2026-11-29: swagger-client 3.39.0 does. openapi-client-axios 7.9.1 writes `tag[]=`, as axios does; openapi-fetch 0.17.0 writes the object as
# `made[from]=` and repeats `ids`; orval 8.38.0 with fetch sends `made=[object Object]`. A server that reads by the book finds no such
# parameter, and answers with everything. An API meets all four only with single texts and numbers in its queries.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps openapi-fetch@0.17.0 orval@8.38.0 axios@1.21.1 openapi-client-axios@7.9.1 \
  swagger-client@3.39.0 "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
npm pkg set type=module
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { OpenAPIClientAxios } from "openapi-client-axios";
import createClient from "openapi-fetch";
import { generate } from "orval";
import SwaggerClient from "swagger-client";
let sent = "";
const server = createServer((request, response) => {
  sent = decodeURIComponent(request.url.split("?")[1] ?? "nothing").replaceAll("+", " ");
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const baseUrl = `http://127.0.0.1:${server.address().port}`;
const list = { type: "array", items: { type: "string" } };
const text = { type: "string" };
const parameters = [
  { name: "tag", in: "query", schema: list },
  { name: "made", in: "query", schema: { type: "object", properties: { from: text, to: text } } },
  { name: "ids", in: "query", explode: false, schema: list },
];
const responses = { 200: { description: "ok", content: { "application/json": { schema: { type: "object" } } } } };
const paths = { "/calls": { get: { operationId: "calls", parameters, responses } } };
const spec = { openapi: "3.1.0", info: { title: "t", version: "1" }, servers: [{ url: baseUrl }], paths };
writeFileSync("api.json", JSON.stringify(spec));
const print = console.log;
console.log = () => {};
await generate({ input: "./api.json", output: { target: "./orval.ts", client: "fetch", baseUrl } });
console.log = print;
const { calls } = await import("./orval.ts");
const axiosClient = await new OpenAPIClientAxios({ definition: spec }).init();
const swagger = await SwaggerClient({ spec });
const clients = {
  "swagger-client": (query) => swagger.execute({ operationId: "calls", parameters: query }),
  "openapi-client-axios": (query) => axiosClient.calls(query),
  "openapi-fetch": (query) => createClient({ baseUrl }).GET("/calls", { params: { query } }),
  orval: (query) => calls(query),
};
for (const [name, call] of Object.entries(clients)) {
  const seen = [];
  for (const query of [{ tag: ["a", "b"] }, { made: { from: "1", to: "2" } }, { ids: ["a", "b"] }]) {
    await call(query);
    seen.push(sent);
  }
  console.log(`${name}: ${seen.join("  ")}`);
}
process.exit();
JS
seen=$("$node" --no-warnings seen.mjs | grep -v orval!)
echo "$seen"
[ "$seen" = 'swagger-client: tag=a&tag=b  from=1&to=2  ids=a,b
openapi-client-axios: tag[]=a&tag[]=b  made[from]=1&made[to]=2  ids[]=a&ids[]=b
openapi-fetch: tag=a&tag=b  made[from]=1&made[to]=2  ids=a&ids=b
orval: tag=a&tag=b  made=[object Object]  ids=a,b' ]
