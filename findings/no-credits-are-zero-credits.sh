#!/usr/bin/env bash
# A body in JSON has `credits`, a required integer, which eight libraries read that also take it as a text: what becomes of null, "", true, [5], "0x10", "1e2" and 1.5? As a form leaves a field empty, and a program sends null for what it
# does not know.
# Expected: "5" is 5, perhaps "1e2" is 100, and the others are refused: none of them is a number of credits.
# Seen on 2026-11-29: fastify 5.12.8 takes null for 0, true for 1, [5] for 5 and "0x10" for 16, with its defaults. zod 4.6.7 `z.coerce.number()` and typebox 1.4.3 `Value.Convert` take null and "" for 0 and true for 1, class-transformer 0.5.1
# with `enableImplicitConversion` "" and true; typebox makes 1 of 1.5 as well. yup 1.7.1 takes [5] and "0x10". joi 18.3.2, arktype 2.2.10 and express-openapi-validator 5.6.2, which reads no texts in a body, refuse them.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts fastify@5.12.8 zod@4.6.7 typebox@1.4.3 class-transformer@0.5.1 reflect-metadata@0.2.2 yup@1.7.1 joi@18.3.2 \
  arktype@2.2.10 express@5.3.0 express-openapi-validator@5.6.2
cat > seen.mjs <<'JS'
import "reflect-metadata";
import { once } from "node:events";
import { type } from "arktype";
import { plainToInstance, Type } from "class-transformer";
import express from "express";
import openapiValidator from "express-openapi-validator";
import fastify from "fastify";
import joi from "joi";
import { Object as ObjectOf, Integer } from "typebox";
import { Value } from "typebox/value";
import * as yup from "yup";
import { z } from "zod";
const schema = { type: "object", required: ["credits"], properties: { credits: { type: "integer" } } };
const withFastify = fastify();
withFastify.post("/", { schema: { body: schema } }, async ({ body }) => body);
const operation = { requestBody: { required: true, content: { "application/json": { schema } } }, responses: { 200: { description: "taken" } } };
const apiSpec = { openapi: "3.0.3", info: { title: "Credits", version: "1" }, paths: { "/credits": { post: operation } } };
const withExpress = express().use(express.json(), openapiValidator.middleware({ apiSpec }), ({ body }, response) => response.json(body));
withExpress.use((error, _request, response, _next) => response.status(error.status).end());
const server = withExpress.listen(0, "127.0.0.1");
await once(server, "listening");
class Body {}
Reflect.defineMetadata("design:type", Number, Body.prototype, "credits");
Type(() => Number)(Body.prototype, "credits");
const typeboxSchema = ObjectOf({ credits: Integer() });
const libraries = {
  fastify: async (payload) => (await withFastify.inject({ method: "POST", url: "/", payload })).json(),
  "zod, coerce": (body) => z.object({ credits: z.coerce.number().int() }).parse(body),
  "typebox, Convert": (body) => Value.Parse(typeboxSchema, Value.Convert(typeboxSchema, body)),
  "class-transformer": (body) => plainToInstance(Body, body, { enableImplicitConversion: true }),
  yup: (body) => yup.object({ credits: yup.number().integer().required() }).validateSync(body),
  joi: (body) => joi.attempt(body, joi.object({ credits: joi.number().integer().required() })),
  arktype: (body) => type({ credits: "string.integer.parse" }).assert(body),
  "express-openapi-validator": async (body) => {
    const headers = { "content-type": "application/json" };
    return (await fetch(`http://127.0.0.1:${server.address().port}/credits`, { method: "POST", headers, body: JSON.stringify(body) })).json();
  },
};
const values = ["5", null, "", true, [5], "0x10", "1e2", 1.5];
for (const [name, read] of Object.entries(libraries)) {
  const seen = [];
  for (const value of values) {
    let credits;
    try {
      ({ credits } = await read({ credits: value }));
    } catch {}
    if (Number.isInteger(credits)) seen.push(`${JSON.stringify(value)} as ${credits}`);
  }
  console.log(`${name}: ${seen.join(", ") || "none"}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'fastify: "5" as 5, null as 0, true as 1, [5] as 5, "0x10" as 16, "1e2" as 100
zod, coerce: "5" as 5, null as 0, "" as 0, true as 1, [5] as 5, "0x10" as 16, "1e2" as 100
typebox, Convert: "5" as 5, null as 0, "" as 0, true as 1, "0x10" as 16, "1e2" as 100, 1.5 as 1
class-transformer: "5" as 5, "" as 0, true as 1, "0x10" as 16, "1e2" as 100
yup: "5" as 5, [5] as 5, "0x10" as 16, "1e2" as 100
joi: "5" as 5, "1e2" as 100
arktype: "5" as 5
express-openapi-validator: none' ]
