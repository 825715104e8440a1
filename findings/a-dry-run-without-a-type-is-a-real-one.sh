#!/usr/bin/env bash
# A POST asks for a dry run, `{"dry":true}`, and the member is optional. The program forgot the Content-Type, or sends `text/json`, or `application/merge-patch+json`. Seven ways to read the body.
# Expected: the body is read, or the request is refused with 415 or 400.
# Seen on 2026-11-30: hono 4.13.19 with its validator and a schema of zod finds a valid empty object without a type and for text/json, and so does koa-bodyparser 4.4.1
# for all three: the call is made in earnest. express 5.3.0 hands out no body at all, with 200. fastify 5.12.8 and express-openapi-validator 5.6.2
# answer 415. h3 2.0.8 reads all, @hapi/hapi 21.4.10 too, except that text/json is a text.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts fastify@5.12.8 hono@4.13.19 @hono/node-server@2.1.9 @hono/zod-validator@0.9.1 zod@4.6.7 express@5.3.0 express-openapi-validator@5.6.2 @hapi/hapi@21.4.10 koa@3.3.0 koa-bodyparser@4.4.1 h3@2.0.8
cat > seen.mjs <<'JS'
import { once } from "node:events";
import Hapi from "@hapi/hapi";
import { serve } from "@hono/node-server";
import { zValidator } from "@hono/zod-validator";
import express from "express";
import { middleware } from "express-openapi-validator";
import fastify from "fastify";
import { H3, readBody, serve as serveH3 } from "h3";
import { Hono } from "hono";
import Koa from "koa";
import bodyParser from "koa-bodyparser";
import { z } from "zod";
const schema = { type: "object", properties: { dry: { type: "boolean" } } };
const show = (body) => JSON.stringify(body) ?? "no body";
const portOf = async (server) => {
  if (!server.listening) await once(server, "listening");
  return server.address().port;
};
const ports = {};
const hono = new Hono().post("/", zValidator("json", z.object({ dry: z.boolean().optional() })), (context) => context.text(show(context.req.valid("json"))));
ports.hono = await portOf(serve({ fetch: hono.fetch, port: 0 }));
ports.koa = await portOf(new Koa().use(bodyParser()).use((context) => { context.body = show(context.request.body); }).listen(0));
ports.express = await portOf(express().use(express.json()).post("/", (request, response) => response.send(show(request.body))).listen(0));
const server = fastify();
server.post("/", { schema: { body: schema } }, async (request, reply) => reply.type("text/plain").send(show(request.body)));
ports.fastify = Number(new URL(await server.listen({ port: 0 })).port);
const post = { requestBody: { content: { "application/json": { schema } } }, responses: { 200: { description: "done" } } };
const checked = express().use(express.json()).use(middleware({ apiSpec: { openapi: "3.0.3", info: { title: "t", version: "1" }, paths: { "/": { post } } } }));
checked.post("/", (request, response) => response.send(show(request.body))).use((error, _request, response, _next) => response.sendStatus(error.status));
ports["express-openapi-validator"] = await portOf(checked.listen(0));
const h3 = serveH3(new H3().post("/", async (event) => show(await readBody(event))), { port: 0, silent: true });
await h3.ready();
ports.h3 = new URL(h3.url).port;
const hapi = Hapi.server({ port: 0 });
hapi.route({ method: "POST", path: "/", handler: (request) => show(request.payload) });
await hapi.start();
ports.hapi = hapi.info.port;
for (const [name, port] of Object.entries(ports)) {
  const seen = [];
  for (const type of ["application/json", undefined, "text/json", "application/merge-patch+json"]) {
    const response = await fetch(`http://localhost:${port}/`, { method: "POST", headers: type ? { "content-type": type } : {}, body: Buffer.from('{"dry":true}') });
    const text = await response.text();
    seen.push(response.ok ? text : response.status);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'hono: {"dry":true}, {}, {}, {"dry":true}
koa: {"dry":true}, {}, {}, {}
express: {"dry":true}, no body, no body, no body
fastify: {"dry":true}, 415, 415, 415
express-openapi-validator: {"dry":true}, 415, 415, 415
h3: {"dry":true}, {"dry":true}, {"dry":true}, {"dry":true}
hapi: {"dry":true}, {"dry":true}, "{\"dry\":true}", {"dry":true}' ]
