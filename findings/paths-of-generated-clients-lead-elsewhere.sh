#!/usr/bin/env bash
# `GET /tools/{name}/price` of an OpenAPI description, called through six clients for the names `a b`, `in/out`, `50%` and `which?`. What does the server get?
# Expected: `/tools/in%2Fout/price` and so on, the name percent-encoded, as OpenAPI's default style for parameters in a path has it.
# Seen on 2026-11-29: orval 8.38.0 and swagger-typescript-api 13.13.0 put the name into the address as it is: `in/out` asks for a path that is not there, and `which?` for `/tools/which` with a query, which may be
# another operation, without an error. `50%` is sent as a broken escape. oazapfts 7.5.0, openapi-fetch 0.17.0, swagger-client 3.39.0 and openapi-client-axios 7.9.1 encode. An API that wants to be called from
# all has names of letters, digits and hyphens alone.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps typescript@5.9.3 orval@8.38.0 swagger-typescript-api@13.13.0 oazapfts@7.5.0 @oazapfts/runtime@1.1.0 \
  openapi-fetch@0.17.0 swagger-client@3.39.0 openapi-client-axios@7.9.1 axios@1.21.1 "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
npm pkg set type=module
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { OpenAPIClientAxios } from "openapi-client-axios";
import createClient from "openapi-fetch";
import { generate } from "orval";
import SwaggerClient from "swagger-client";
import { generateApi } from "swagger-typescript-api";
let asked;
const server = createServer(({ url }, response) => {
  asked = url;
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
await once(server.listen(0, "127.0.0.1"), "listening");
const baseUrl = `http://127.0.0.1:${server.address().port}`;
const parameters = [{ name: "name", in: "path", required: true, schema: { type: "string" } }];
const responses = { 200: { description: "ok", content: { "application/json": { schema: { type: "object" } } } } };
const spec = { openapi: "3.1.0", info: { title: "t", version: "1" }, servers: [{ url: baseUrl }], paths: { "/tools/{name}/price": { get: { operationId: "price", parameters, responses } } } };
writeFileSync("api.json", JSON.stringify(spec));
const print = console.log;
console.log = () => {};
await generate({ input: "./api.json", output: { target: "./orval.ts", client: "fetch", baseUrl } });
await generateApi({ input: `${process.cwd()}/api.json`, output: process.cwd(), fileName: "swagger.ts", silent: true });
execFileSync("node_modules/.bin/oazapfts", ["api.json", "oazapfts.ts"]);
console.log = print;
const orval = await import("./orval.ts");
const { Api } = await import("./swagger.ts");
const oazapfts = await import("./oazapfts.ts");
const axiosClient = await new OpenAPIClientAxios({ definition: spec }).init();
const swagger = await SwaggerClient({ spec });
const clients = {
  orval: (name) => orval.price(name),
  "swagger-typescript-api": (name) => new Api().tools.price(name),
  oazapfts: (name) => oazapfts.price(name),
  "openapi-fetch": (name) => createClient({ baseUrl }).GET("/tools/{name}/price", { params: { path: { name } } }),
  "swagger-client": (name) => swagger.execute({ operationId: "price", parameters: { name } }),
  "openapi-client-axios": (name) => axiosClient.price(name),
};
for (const [name, call] of Object.entries(clients)) {
  const seen = [];
  for (const tool of ["a b", "in/out", "50%", "which?"]) {
    asked = "nothing";
    await Promise.resolve(call(tool)).catch(() => {});
    seen.push(asked);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$("$node" --no-warnings --experimental-transform-types seen.mjs | grep -v orval!)
echo "$seen"
[ "$seen" = 'orval: /tools/a%20b/price, /tools/in/out/price, /tools/50%/price, /tools/which?/price
swagger-typescript-api: /tools/a%20b/price, /tools/in/out/price, /tools/50%/price, /tools/which?/price
oazapfts: /tools/a%20b/price, /tools/in%2Fout/price, /tools/50%25/price, /tools/which%3F/price
openapi-fetch: /tools/a%20b/price, /tools/in%2Fout/price, /tools/50%25/price, /tools/which%3F/price
swagger-client: /tools/a%20b/price, /tools/in%2Fout/price, /tools/50%25/price, /tools/which%3F/price
openapi-client-axios: /tools/a%20b/price, /tools/in%2Fout/price, /tools/50%25/price, /tools/which%3F/price' ]
