#!/usr/bin/env bash
# A client posts JSON with `Content-Encoding: gzip`, as senders of telemetry and of usage in batches do. The handler reads the body as JSON, in seven frameworks.
# Expected: the body is unpacked, or the answer is 415, which RFC 9110 has for a coding that a server does not read.
# Seen on 2026-11-29: express 5.3.0, @koa/bodyparser 6.1.0, @hapi/hapi 21.4.10 and fastify 5.12.8 with @fastify/compress 9.2.0 unpack. The others read the bytes as JSON: hono 4.13.19 and itty-router 5.0.24
# answer as if they had failed themselves (500), h3 2.0.8, elysia 1.4.30 and fastify alone as if the JSON were wrong (400). Clients try again after a 500, with the same body, or look for a
# mistake in JSON that is right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps express@5.3.0 koa@3.3.0 @koa/bodyparser@6.1.0 @hapi/hapi@21.4.10 fastify@5.12.8 @fastify/compress@9.2.0 \
  hono@4.13.19 itty-router@5.0.24 elysia@1.4.30 @sinclair/typebox@0.34.52 h3@2.0.8
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import fastifyCompress from "@fastify/compress";
import Hapi from "@hapi/hapi";
import { bodyParser } from "@koa/bodyparser";
import { Elysia } from "elysia";
import express from "express";
import Fastify from "fastify";
import { H3, readBody } from "h3";
import { Hono } from "hono";
import { AutoRouter } from "itty-router";
import Koa from "koa";
const body = gzipSync('{"credits":5}');
const headers = { "content-type": "application/json", "content-encoding": "gzip" };
const byFetch = (handle) => async () => handle(new Request("http://localhost/", { method: "POST", headers, body }));
const byServer = (handler) => async () => {
  const server = createServer(handler);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return fetch(`http://127.0.0.1:${server.address().port}/`, { method: "POST", headers, body });
};
const byInject = (app) => async () => {
  const { statusCode, payload } = await app.inject({ method: "POST", url: "/", headers, payload: body });
  return new Response(payload, { status: statusCode });
};
const fastify = (plugin) => {
  const app = Fastify();
  if (plugin !== undefined) app.register(plugin);
  return app.register(async (routes) => routes.post("/", async (request) => request.body));
};
const hapi = Hapi.server();
hapi.route({ method: "POST", path: "/", handler: ({ payload }) => payload });
const koa = new Koa().use(bodyParser()).use((context) => {
  context.body = context.request.body;
});
const frameworks = {
  express: byServer(express().use(express.json()).post("/", (request, response) => response.json(request.body))),
  "@koa/bodyparser": byServer(koa.callback()),
  "@hapi/hapi": byInject(hapi),
  "fastify with @fastify/compress": byInject(fastify(fastifyCompress)),
  fastify: byInject(fastify()),
  hono: byFetch(new Hono().post("/", async (context) => context.json(await context.req.json())).fetch),
  "itty-router": byFetch(AutoRouter().post("/", async (request) => request.json()).fetch),
  elysia: byFetch(new Elysia().post("/", (context) => context.body).handle),
  h3: byFetch(new H3().post("/", (event) => readBody(event)).fetch),
};
console.error = () => {};
for (const [name, send] of Object.entries(frameworks)) {
  const response = await send();
  console.log(`${name}: ${response.status}${response.ok ? ` ${await response.text()}` : ""}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'express: 200 {"credits":5}
@koa/bodyparser: 200 {"credits":5}
@hapi/hapi: 200 {"credits":5}
fastify with @fastify/compress: 200 {"credits":5}
fastify: 400
hono: 500
itty-router: 500
elysia: 400
h3: 400' ]
