#!/usr/bin/env bash
# A description of OpenAPI has a list in the query, `names`, with `explode: false`, an object with `deepObject`, and a size with a default. Three frameworks read `names=a,b`, `names=a%2Cb`, a single name that has a comma, `filter[min]=5` and `size=5`.
# Expected: ["a","b"], ["a,b"], {"min":5} and 5: commas divide before values are decoded, as RFC 6570 writes them, and each gets the size 10 where none is sent.
# Seen on 2026-11-29: express-openapi-validator 5.6.2 and openapi-backend 5.21.2 divide what is decoded already, so one name is two, and no client can send it otherwise. fastify-openapi-glue 4.11.4 does not divide at all: two names are one; and the filter
# stays a member named `filter[min]` that nobody looks for. openapi-backend does not know the default, express-openapi-validator adds an empty filter.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps express@5.3.0 express-openapi-validator@5.6.2 openapi-backend@5.21.2 \
  fastify@5.12.8 fastify-openapi-glue@4.11.4
cat > seen.mjs <<'JS'
import { once } from "node:events";
import express from "express";
import { middleware } from "express-openapi-validator";
import Fastify from "fastify";
import glue from "fastify-openapi-glue";
import { OpenAPIBackend } from "openapi-backend";
const list = { type: "array", items: { type: "string" } };
const parameters = [
  { name: "names", in: "query", explode: false, schema: list },
  { name: "filter", in: "query", style: "deepObject", schema: { type: "object", properties: { min: { type: "integer" } } } },
  { name: "size", in: "query", schema: { type: "integer", default: 10 } },
];
const describe = () => ({ openapi: "3.0.3", info: { title: "t", version: "1" }, paths: { "/calls": { get: { operationId: "list", parameters, responses: { 200: { description: "ok" } } } } } });
const app = express().set("query parser", "extended").use(middleware({ apiSpec: describe() })).get("/calls", ({ query }, response) => response.json(query));
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const backend = new OpenAPIBackend({ definition: describe(), quick: true, coerceTypes: true });
backend.register({ list: ({ request }) => request.query });
await backend.init();
const fastify = Fastify();
await fastify.register(glue, { specification: describe(), serviceHandlers: { list: async ({ query }) => query } });
const servers = {
  "express-openapi-validator": async (query) => (await fetch(`http://127.0.0.1:${server.address().port}/calls?${query}`)).json(),
  "openapi-backend": (query) => backend.handleRequest({ method: "GET", path: "/calls", query, headers: {} }),
  "fastify-openapi-glue": async (query) => (await fastify.inject({ url: `/calls?${query}` })).json(),
};
for (const [name, ask] of Object.entries(servers)) {
  const seen = [];
  for (const query of ["names=a,b", "names=a%2Cb", "filter[min]=5", "size=5"]) seen.push(`${query}: ${JSON.stringify(await ask(query))}`);
  console.log(`${name}: ${seen.join("; ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'express-openapi-validator: names=a,b: {"names":["a","b"],"filter":{},"size":10}; names=a%2Cb: {"names":["a","b"],"filter":{},"size":10}; filter[min]=5: {"filter":{"min":5},"size":10}; size=5: {"size":5,"filter":{}}
openapi-backend: names=a,b: {"names":["a","b"]}; names=a%2Cb: {"names":["a","b"]}; filter[min]=5: {"filter":{"min":5}}; size=5: {"size":5}
fastify-openapi-glue: names=a,b: {"names":["a,b"],"size":10}; names=a%2Cb: {"names":["a,b"],"size":10}; filter[min]=5: {"filter[min]":"5","size":10}; size=5: {"size":5}' ]
