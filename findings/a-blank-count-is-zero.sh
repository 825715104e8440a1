#!/usr/bin/env bash
# `GET /codes?count=…` declares an integer, required, and three frameworks read the text: `5`, nothing, a space (`%20`), `0x10`, `1e1`, `Infinity`.
# Expected: 5 alone is a number as OpenAPI and JSON write one, perhaps 1e1; an empty or blank value is refused, since a form sends it where nothing was entered.
# Seen on 2026-11-30: a space is 0 in all three, fastify 5.12.8, hono 4.13.19 with `z.coerce.number().int()` of zod 4.6.7 and express-openapi-validator 5.6.2; with zod so is an empty
# value. `0x10` is 16 in all. fastify and express-openapi-validator take Infinity for an integer, which JSON then writes as null.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts fastify@5.12.8 hono@4.13.19 @hono/zod-validator@0.9.1 zod@4.6.7 express@5.3.0 express-openapi-validator@5.6.2
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { zValidator } from "@hono/zod-validator";
import express from "express";
import { middleware } from "express-openapi-validator";
import fastify from "fastify";
import { Hono } from "hono";
import { z } from "zod";
const show = ({ count }) => JSON.stringify(count);
const server = fastify();
server.get("/codes", { schema: { querystring: { type: "object", required: ["count"], properties: { count: { type: "integer" } } } } }, (request, reply) => reply.type("text/plain").send(show(request.query)));
const hono = new Hono().get("/codes", zValidator("query", z.object({ count: z.coerce.number().int() })), (context) => context.text(show(context.req.valid("query"))));
const get = { parameters: [{ name: "count", in: "query", required: true, schema: { type: "integer" } }], responses: { 200: { description: "done" } } };
const checked = express().use(middleware({ apiSpec: { openapi: "3.0.3", info: { title: "t", version: "1" }, paths: { "/codes": { get } } } }));
checked.get("/codes", (request, response) => response.send(show(request.query))).use((error, _request, response, _next) => response.sendStatus(error.status));
const listener = checked.listen(0);
await once(listener, "listening");
const frameworks = {
  fastify: async (path) => {
    const { statusCode, body } = await server.inject(path);
    return statusCode === 200 ? body : statusCode;
  },
  "hono with zod": async (path) => {
    const response = await hono.request(path);
    return response.ok ? response.text() : response.status;
  },
  "express-openapi-validator": async (path) => {
    const response = await fetch(`http://localhost:${listener.address().port}${path}`);
    return response.ok ? response.text() : response.status;
  },
};
for (const [name, get] of Object.entries(frameworks)) {
  const seen = [];
  for (const text of ["5", "", "%20", "0x10", "1e1", "Infinity"]) seen.push(`"${text}" ${await get(`/codes?count=${text}`)}`);
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'fastify: "5" 5, "" 400, "%20" 0, "0x10" 16, "1e1" 10, "Infinity" null
hono with zod: "5" 5, "" 0, "%20" 0, "0x10" 16, "1e1" 10, "Infinity" 400
express-openapi-validator: "5" 5, "" 400, "%20" 0, "0x10" 16, "1e1" 10, "Infinity" null' ]
