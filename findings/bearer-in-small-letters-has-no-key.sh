#!/usr/bin/env bash
# A key is sent with `Authorization: bearer …`, as programs do that put together `token_type` and `access_token` of an answer of OAuth, where "bearer" stands in small letters. Five readers of the header, for Hono, Express, Fastify and Koa.
# Expected: 200: names of schemes have no case (RFC 9110, 11.1), nor has the token type (RFC 6749, 5.1).
# Seen on 2026-11-29: @fastify/bearer-auth 10.1.3, express-bearer-token 3.0.0 and koa-bearer-token 2.0.2 answer 401 for the right key, as if it were wrong. hono 4.13.19 and passport-http-bearer 1.0.1 take it. So a service that changes its framework may lock out
# clients that worked for years.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps hono@4.13.19 fastify@5.12.8 @fastify/bearer-auth@10.1.3 express@5.3.0 \
  express-bearer-token@3.0.0 passport@0.7.0 passport-http-bearer@1.0.1 koa@3.3.0 koa-bearer-token@2.0.2
cat > seen.mjs <<'JS'
import { once } from "node:events";
import bearerAuth from "@fastify/bearer-auth";
import express from "express";
import expressToken from "express-bearer-token";
import fastify from "fastify";
import { Hono } from "hono";
import { bearerAuth as honoAuth } from "hono/bearer-auth";
import Koa from "koa";
import * as koaToken from "koa-bearer-token";
import passport from "passport";
import { Strategy } from "passport-http-bearer";
const key = "tb_live_4711";
const listen = async (app) => {
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (authorization) => fetch(`http://127.0.0.1:${server.address().port}/`, { headers: { authorization } });
};
const withHono = new Hono().use(honoAuth({ token: key })).get("/", (context) => context.text("ok"));
const withFastify = fastify();
await withFastify.register(bearerAuth, { keys: new Set([key]) });
withFastify.get("/", () => "ok");
passport.use(new Strategy((token, done) => done(null, token === key ? {} : false)));
const servers = {
  hono: (authorization) => withHono.request("/", { headers: { authorization } }),
  "passport-http-bearer": await listen(express().get("/", passport.authenticate("bearer", { session: false }), (_, response) => response.send("ok"))),
  "@fastify/bearer-auth": async (authorization) => ({ status: (await withFastify.inject({ url: "/", headers: { authorization } })).statusCode }),
  "express-bearer-token": await listen(express().use(expressToken()).get("/", ({ token }, response) => response.sendStatus(token === key ? 200 : 401))),
  "koa-bearer-token": await listen(
    new Koa().use((koaToken.bearerToken ?? koaToken.default)()).use((context) => {
      context.status = context.request.token === key ? 200 : 401;
    }),
  ),
};
for (const [name, ask] of Object.entries(servers)) {
  const seen = [];
  for (const scheme of ["Bearer", "bearer", "BEARER"]) seen.push(`${scheme} ${(await ask(`${scheme} ${key}`)).status}`);
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'hono: Bearer 200, bearer 200, BEARER 200
passport-http-bearer: Bearer 200, bearer 200, BEARER 200
@fastify/bearer-auth: Bearer 200, bearer 401, BEARER 401
express-bearer-token: Bearer 200, bearer 401, BEARER 401
koa-bearer-token: Bearer 200, bearer 401, BEARER 401' ]
