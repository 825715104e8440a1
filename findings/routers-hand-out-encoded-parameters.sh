#!/usr/bin/env bash
# `GET /tools/:name/price` is asked for the names `a b`, `in/out` and `50%`, percent-encoded as a client has to. What does the handler get as `name`?
# Expected: the name, decoded once, in each of eleven routers.
# Seen on 2026-11-29: h3 2.0.8, itty-router 5.0.24, polka 0.5.2 and rou3 1.0.0 hand out what stands in the address, `a%20b`, so the tool is not found, or a row is stored under a name that nobody gave.
# express 5.3.0, fastify 5.12.8, hono 4.13.19, @koa/router 15.7.0, @hapi/hapi 21.4.10, elysia 1.4.30 and find-my-way 9.10.2 decode. A handler moved from one group to the other has to change:
# whoever decodes again turns `%2525` into `%`, or fails for `50%`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps h3@2.0.8 itty-router@5.0.24 polka@0.5.2 rou3@1.0.0 express@5.3.0 fastify@5.12.8 hono@4.13.19 koa@3.3.0 \
  @koa/router@15.7.0 @hapi/hapi@21.4.10 elysia@1.4.30 @sinclair/typebox@0.34.52 find-my-way@9.10.2
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer, get } from "node:http";
import Hapi from "@hapi/hapi";
import KoaRouter from "@koa/router";
import { Elysia } from "elysia";
import express from "express";
import Fastify from "fastify";
import findMyWay from "find-my-way";
import { H3 } from "h3";
import { Hono } from "hono";
import { AutoRouter } from "itty-router";
import Koa from "koa";
import polka from "polka";
import { addRoute, createRouter, findRoute } from "rou3";
const path = "/tools/:name/price";
const byFetch = (handle) => async (address) => (await handle(new Request(`http://localhost${address}`))).text();
const byServer = (server) => async (address) => {
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
  const [response] = await once(get({ port: server.address().port, host: "127.0.0.1", path: address }), "response");
  return (await response.toArray()).join("");
};
const byInject = (app) => async (address) => (await app.inject(address)).payload;
const hapi = Hapi.server();
hapi.route({ method: "GET", path: "/tools/{name}/price", handler: ({ params }) => params.name });
const router = createRouter();
addRoute(router, "GET", path, "price");
const found = findMyWay();
found.on("GET", path, (_, response, params) => response.end(params.name));
const koaRouter = new KoaRouter().get(path, (context) => {
  context.body = context.params.name;
});
const routers = {
  h3: byFetch((request) => new H3().get(path, (event) => event.context.params.name).fetch(request)),
  "itty-router": byFetch(AutoRouter().get(path, ({ params }) => new Response(params.name)).fetch),
  polka: byServer(createServer(polka().get(path, ({ params }, response) => response.end(params.name)).handler)),
  rou3: async (address) => findRoute(router, "GET", address).params.name,
  express: byServer(createServer(express().get(path, ({ params }, response) => response.send(params.name)))),
  fastify: byInject(Fastify().get(path, async ({ params }) => params.name)),
  hono: byFetch(new Hono().get(path, (context) => context.text(context.req.param("name"))).fetch),
  "@koa/router": byServer(createServer(new Koa().use(koaRouter.routes()).callback())),
  "@hapi/hapi": byInject(hapi),
  elysia: byFetch(new Elysia().get(path, ({ params }) => params.name).handle),
  "find-my-way": byServer(createServer((request, response) => found.lookup(request, response))),
};
for (const [name, ask] of Object.entries(routers)) {
  const seen = [];
  for (const tool of ["a b", "in/out", "50%"]) seen.push(await ask(`/tools/${encodeURIComponent(tool)}/price`));
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'h3: a%20b, in%2Fout, 50%25
itty-router: a%20b, in%2Fout, 50%25
polka: a%20b, in%2Fout, 50%25
rou3: a%20b, in%2Fout, 50%25
express: a b, in/out, 50%
fastify: a b, in/out, 50%
hono: a b, in/out, 50%
@koa/router: a b, in/out, 50%
@hapi/hapi: a b, in/out, 50%
elysia: a b, in/out, 50%
find-my-way: a b, in/out, 50%' ]
