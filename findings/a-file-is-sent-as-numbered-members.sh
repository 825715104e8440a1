#!/usr/bin/env bash
# A description of OpenAPI has an operation that takes `application/octet-stream` and one that takes `text/markdown`. The bytes `id,`, as Uint8Array and as Blob, and the text `# Hi` are given to six clients made from it.
# Expected: the bytes and the text as they are, with the type that the description names: it is the only one.
# Seen on 2026-11-29: openapi-fetch 0.17.0 sends `{"0":105,"1":100,"2":44}`, `{}` and `"# Hi"` in quotes as JSON, and with a Content-Type in the options the same under that type: the server gets a file of other bytes with a right header. With
# `bodySerializer: (body) => body` and the type it is right. swagger-typescript-api 13.13.0 sends the first two as well, as text/plain. openapi-client-axios 7.9.1 sends bytes and text as a form, oazapfts 7.5.0 the bytes without a type. orval 8.38.0 puts the
# text in quotes. swagger-client 3.39.0 is right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps typescript@5.9.3 orval@8.38.0 swagger-typescript-api@13.13.0 \
  oazapfts@7.5.0 @oazapfts/runtime@1.1.0 openapi-fetch@0.17.0 swagger-client@3.39.0 openapi-client-axios@7.9.1 axios@1.21.1
npm pkg set type=module > /dev/null
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
let got;
const server = createServer(async (request, response) => {
  got = `${Buffer.concat(await request.toArray()).toString("latin1")} (${request.headers["content-type"] ?? "no type"})`;
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
await once(server.listen(0, "127.0.0.1"), "listening");
const baseUrl = `http://127.0.0.1:${server.address().port}`;
const responses = { 200: { description: "ok", content: { "application/json": { schema: { type: "object" } } } } };
const post = (operationId, type, schema) => ({ post: { operationId, requestBody: { required: true, content: { [type]: { schema } } }, responses } });
const paths = {
  "/bytes": post("sendBytes", "application/octet-stream", { type: "string", format: "binary" }),
  "/text": post("sendText", "text/markdown", { type: "string" }),
};
const spec = { openapi: "3.1.0", info: { title: "t", version: "1" }, servers: [{ url: baseUrl }], paths };
writeFileSync("api.json", JSON.stringify(spec));
const print = console.log;
console.log = () => {};
await generate({ input: "./api.json", output: { target: "./orval.ts", client: "fetch", baseUrl } });
await generateApi({ input: `${process.cwd()}/api.json`, output: process.cwd(), fileName: "swagger.ts", silent: true });
execFileSync("node_modules/.bin/oazapfts", ["api.json", "oazapfts.ts"]);
console.log = print;
const orval = await import("./orval.ts");
const swaggerApi = new (await import("./swagger.ts")).Api();
const oazapfts = await import("./oazapfts.ts");
const axiosClient = await new OpenAPIClientAxios({ definition: spec }).init();
const swagger = await SwaggerClient({ spec });
const fetchClient = createClient({ baseUrl });
const clients = {
  "openapi-fetch": [(body) => fetchClient.POST("/bytes", { body }), (body) => fetchClient.POST("/text", { body })],
  "openapi-fetch, with the type as header": [
    (body) => fetchClient.POST("/bytes", { body, headers: { "content-type": "application/octet-stream" } }),
    (body) => fetchClient.POST("/text", { body, headers: { "content-type": "text/markdown" } }),
  ],
  "openapi-fetch, with the type and a bodySerializer": [
    (body) => fetchClient.POST("/bytes", { body, bodySerializer: (body) => body, headers: { "content-type": "application/octet-stream" } }),
    (body) => fetchClient.POST("/text", { body, bodySerializer: (body) => body, headers: { "content-type": "text/markdown" } }),
  ],
  "swagger-typescript-api": [(body) => swaggerApi.bytes.sendBytes(body), (body) => swaggerApi.text.sendText(body)],
  "openapi-client-axios": [(body) => axiosClient.sendBytes(null, body), (body) => axiosClient.sendText(null, body)],
  oazapfts: [oazapfts.sendBytes, oazapfts.sendText],
  orval: [orval.sendBytes, orval.sendText],
  "swagger-client": [
    (requestBody) => swagger.execute({ operationId: "sendBytes", requestBody }),
    (requestBody) => swagger.execute({ operationId: "sendText", requestBody }),
  ],
};
for (const [name, [sendBytes, sendText]] of Object.entries(clients)) {
  const seen = [];
  for (const send of [() => sendBytes(new TextEncoder().encode("id,")), () => sendBytes(new Blob(["id,"])), () => sendText("# Hi")]) {
    got = "nothing";
    await Promise.resolve(send()).catch(() => {});
    seen.push(got);
  }
  console.log(`${name}: ${seen.join("; ")}`);
}
process.exit();
JS
seen=$(node --no-warnings --experimental-transform-types seen.mjs | grep -v orval!)
echo "$seen"
[ "$seen" = 'openapi-fetch: {"0":105,"1":100,"2":44} (application/json); {} (application/json); "# Hi" (application/json)
openapi-fetch, with the type as header: {"0":105,"1":100,"2":44} (application/octet-stream); {} (application/octet-stream); "# Hi" (text/markdown)
openapi-fetch, with the type and a bodySerializer: id, (application/octet-stream); id, (application/octet-stream); # Hi (text/markdown)
swagger-typescript-api: {"0":105,"1":100,"2":44} (text/plain;charset=UTF-8); {} (text/plain;charset=UTF-8); # Hi (text/plain)
openapi-client-axios: id, (application/x-www-form-urlencoded); id, (application/octet-stream); # Hi (application/x-www-form-urlencoded)
oazapfts: id, (no type); id, (no type); # Hi (text/plain;charset=UTF-8)
orval: id, (application/octet-stream); id, (application/octet-stream); "# Hi" (text/markdown)
swagger-client: id, (application/octet-stream); id, (application/octet-stream); # Hi (text/markdown)' ]
