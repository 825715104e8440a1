#!/usr/bin/env bash
# `X-RateLimit-Reset` of four rate limiters, set to two calls a minute, in the answer to the third call.
# Expected: one meaning, the time in seconds since 1970, as at GitHub and in older services.
# Seen on 2026-11-30: express-rate-limit 8.7.5 (legacy headers) sends the time in whole seconds, koa-ratelimit 6.0.0 in seconds with a fraction, hapi-rate-limit 8.0.0
# (`X-RateLimit-UserReset`) in milliseconds, and @fastify/rate-limit 11.2.0 the seconds to wait. A client that takes one for another waits for decades or not at all. hapi-rate-limit
# says that -1 calls remain.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts express@5.3.0 express-rate-limit@8.7.5 fastify@5.12.8 @fastify/rate-limit@11.2.0 koa@3.3.0 koa-ratelimit@6.0.0 @hapi/hapi@21.4.10 hapi-rate-limit@8.0.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import rateLimitOfFastify from "@fastify/rate-limit";
import Hapi from "@hapi/hapi";
import express from "express";
import { rateLimit } from "express-rate-limit";
import fastify from "fastify";
import hapiRateLimit from "hapi-rate-limit";
import Koa from "koa";
import koaRateLimit from "koa-ratelimit";
const portOf = async (server) => {
  if (!server.listening) await once(server, "listening");
  return server.address().port;
};
const duration = 60_000;
const server = fastify();
await server.register(rateLimitOfFastify, { max: 2, timeWindow: duration });
server.get("/", () => "done");
const hapi = Hapi.server({ port: 0 });
await hapi.register({ plugin: hapiRateLimit, options: { userLimit: 2, userCache: { expiresIn: duration } } });
hapi.route({ method: "GET", path: "/", handler: () => "done" });
await hapi.start();
const limits = rateLimit({ windowMs: duration, limit: 2, legacyHeaders: true, standardHeaders: false, validate: false });
const koa = new Koa().use(koaRateLimit({ driver: "memory", db: new Map(), duration, max: 2 })).use((context) => { context.body = "done"; });
const ports = {
  "express-rate-limit": await portOf(express().use(limits).get("/", (_request, response) => response.send("done")).listen(0)),
  "@fastify/rate-limit": Number(new URL(await server.listen({ port: 0 })).port),
  "koa-ratelimit": await portOf(koa.listen(0)), "hapi-rate-limit": hapi.info.port,
};
for (const [name, port] of Object.entries(ports)) {
  let headers;
  for (let call = 0; call < 3; call++) ({ headers } = await fetch(`http://localhost:${port}/`));
  const header = (part) => headers.get(`x-ratelimit-${part}`) ?? headers.get(`x-ratelimit-user${part}`);
  const reset = header("reset");
  const unit = reset < 100 ? "seconds to wait" : reset > 1e12 ? "milliseconds since 1970" : "seconds since 1970";
  console.log(`${name}: ${unit}${reset.includes(".") ? " with a fraction" : ""}, remaining ${header("remaining")}`);
}
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'express-rate-limit: seconds since 1970, remaining 0
@fastify/rate-limit: seconds to wait, remaining 0
koa-ratelimit: seconds since 1970 with a fraction, remaining 0
hapi-rate-limit: milliseconds since 1970, remaining -1' ]
