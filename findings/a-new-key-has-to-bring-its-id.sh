#!/usr/bin/env bash
# An OpenAPI description has one schema for a key: `id` is required and readOnly, since the server makes it, `secret` is required and writeOnly. Five libraries check a request that makes a key, without `id`; one with the `id` that was read
# before;
# and, where they check answers, the answer without `secret`.
# Expected: both requests and the answer are taken: OpenAPI has `required` count for the answer alone where a property is readOnly, and for the request where it is writeOnly; and what was read may be sent back, as with PUT.
# Seen on 2026-11-29: openapi-backend 5.21.2 and fastify-openapi-glue 4.11.4 want the `id` that does not exist yet, and openapi-backend the secret in the answer. express-openapi-validator 5.6.2 and openapi-request-validator 12.1.3 refuse
# an `id` that was sent back, which the specification says should not be sent. exegesis-express 4.0.0 takes both.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts express@5.3.0 express-openapi-validator@5.6.2 openapi-backend@5.21.2 openapi-request-validator@12.1.3 \
  exegesis-express@4.0.0 fastify@5.12.8 fastify-openapi-glue@4.11.4
cat > seen.mjs <<'JS'
import { once } from "node:events";
import exegesis from "exegesis-express";
import express from "express";
import openapiValidator from "express-openapi-validator";
import fastify from "fastify";
import glue from "fastify-openapi-glue";
import { OpenAPIBackend } from "openapi-backend";
import RequestValidator from "openapi-request-validator";
const properties = { id: { type: "string", readOnly: true }, name: { type: "string" }, secret: { type: "string", writeOnly: true } };
const content = { "application/json": { schema: { type: "object", required: ["id", "name", "secret"], properties } } };
const requestBody = { required: true, content };
const operation = { operationId: "make", "x-exegesis-controller": "keys", requestBody, responses: { 200: { description: "made", content } } };
const description = () => structuredClone({ openapi: "3.0.3", info: { title: "Keys", version: "1" }, paths: { "/keys": { post: operation } } });
const answer = { id: "1", name: "gold" };
const headers = { "content-type": "application/json" };
const send = async (server, body) => {
  if (!server.listening) await once(server, "listening");
  const response = await fetch(`http://127.0.0.1:${server.address().port}/keys`, { method: "POST", headers, body: JSON.stringify(body) });
  return response.ok ? "taken" : `refused (${response.status})`;
};
const withExpress = (...middleware) => express().use(...middleware).listen(0, "127.0.0.1");
const failed = (error, _request, response, _next) => response.status(error.status).end();
const libraries = {
  "express-openapi-validator": async () => {
    const server = withExpress(express.json(), openapiValidator.middleware({ apiSpec: description(), validateResponses: true }), (_request, response) => response.json(answer), failed);
    return (body) => send(server, body);
  },
  "openapi-request-validator": async () => {
    const validator = new (RequestValidator.default ?? RequestValidator)({ requestBody });
    return (body) => (validator.validateRequest({ headers, body }) ? "refused (400)" : "taken");
  },
  "exegesis-express": async () => {
    const server = withExpress(await exegesis.middleware(description(), { controllers: { keys: { make: () => answer } } }));
    return (body) => send(server, body);
  },
  "fastify-openapi-glue": async () => {
    const app = fastify();
    await app.register(glue, { specification: description(), serviceHandlers: { make: async () => answer } });
    await app.listen({ port: 0, host: "127.0.0.1" });
    return (body) => send(app.server, body);
  },
  "openapi-backend": async () => {
    const make = ({ api, operation }) => `taken, answer ${api.validateResponse(answer, operation).valid ? "taken" : "refused"}`;
    const api = await new OpenAPIBackend({ definition: description(), handlers: { make, validationFail: () => "refused (400)" } }).init();
    return (body) => api.handleRequest({ method: "POST", path: "/keys", body, headers, query: {} });
  },
};
for (const [name, start] of Object.entries(libraries)) {
  const check = await start();
  console.log(`${name}: without id ${await check({ name: "gold", secret: "s" })}, with id ${await check({ id: "1", name: "gold", secret: "s" })}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'express-openapi-validator: without id taken, with id refused (400)
openapi-request-validator: without id taken, with id refused (400)
exegesis-express: without id taken, with id taken
fastify-openapi-glue: without id refused (400), with id refused (500)
openapi-backend: without id refused (400), with id taken, answer refused' ]
