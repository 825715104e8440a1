#!/usr/bin/env bash
# Two calls in 30 days, the quota of a free plan, counted in memory by nine libraries with a window of 2,592,000,000 ms. Four calls, 50 ms apart.
# Expected: two are let in and two refused, or an error at the start for a window that is not possible.
# Seen on 2026-11-30: hono-rate-limiter 0.5.4 and `RateLimiterMemory` of rate-limiter-flexible 11.4.0 let all in, since a timer of Node takes at most 24.8 days and fires at once when it gets more, and the timer takes the count away. So do
# express-rate-limit 8.7.5 and express-slow-down 3.1.1, which write an error about the window and go on without a limit. A `blockDuration` of 30 days in rate-limiter-flexible ends at once too. koa-ratelimit 6.0.0, koa2-ratelimit
# 1.1.3, express-brute 1.0.1, limiter 4.1.0 and @fastify/rate-limit 11.2.0 look at the time instead and are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts express@5.3.0 express-rate-limit@8.7.5 express-slow-down@3.1.1 rate-limiter-flexible@11.4.0 hono@4.13.19 hono-rate-limiter@0.5.4 koa@3.3.0 koa-ratelimit@6.0.0 \
  koa2-ratelimit@1.1.3 express-brute@1.0.1 limiter@4.1.0 fastify@5.12.8 @fastify/rate-limit@11.2.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import fastifyRateLimit from "@fastify/rate-limit";
import express from "express";
import ExpressBrute from "express-brute";
import { rateLimit } from "express-rate-limit";
import { slowDown } from "express-slow-down";
import fastify from "fastify";
import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";
import Koa from "koa";
import koaRateLimit from "koa-ratelimit";
import { RateLimit } from "koa2-ratelimit";
import { RateLimiter } from "limiter";
import { RateLimiterMemory } from "rate-limiter-flexible";
const month = 30 * 24 * 3_600_000;
const over = async (handler) => {
  const server = createServer(handler);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return async () => (await fetch(`http://127.0.0.1:${server.address().port}/`)).ok;
};
const onExpress = (middleware) => over(express().use(middleware).get("/", (request, response) => response.status(request.slowDown?.used > 2 ? 429 : 200).end()));
const onKoa = (middleware) => over(new Koa().use(middleware).use((context) => { context.body = "done"; }).callback());
const memory = (options) => {
  const limiter = new RateLimiterMemory(options);
  return () => limiter.consume("a").then(() => true, () => false);
};
const limits = {
  "express-rate-limit": () => onExpress(rateLimit({ windowMs: month, limit: 2 })),
  "express-slow-down, slowed": () => onExpress(slowDown({ windowMs: month, delayAfter: 2, delayMs: () => 1 })),
  "rate-limiter-flexible": () => memory({ points: 2, duration: month / 1000 }),
  "rate-limiter-flexible, a block": () => memory({ points: 2, duration: 600, blockDuration: month / 1000 }),
  "hono-rate-limiter": () => {
    const app = new Hono().use(rateLimiter({ windowMs: month, limit: 2, keyGenerator: () => "a" })).get("/", (context) => context.text("done"));
    return async () => (await app.request("/")).ok;
  },
  "koa-ratelimit": () => onKoa(koaRateLimit({ driver: "memory", db: new Map(), duration: month, max: 2, id: () => "a" })),
  "koa2-ratelimit": () => onKoa(RateLimit.middleware({ interval: month, max: 2 })),
  "express-brute": () => onExpress(new ExpressBrute(new ExpressBrute.MemoryStore(), { freeRetries: 1, minWait: month, maxWait: month, lifetime: month / 1000 }).prevent),
  limiter: () => {
    const limiter = new RateLimiter({ tokensPerInterval: 2, interval: month });
    return () => limiter.tryRemoveTokens(1);
  },
  "@fastify/rate-limit": async () => {
    const app = fastify();
    await app.register(fastifyRateLimit, { max: 2, timeWindow: month });
    app.get("/", () => "done");
    return async () => (await app.inject("/")).statusCode === 200;
  },
};
for (const [name, make] of Object.entries(limits)) {
  const call = await make();
  const seen = [];
  for (let made = 0; made < 4; made += 1) {
    seen.push((await call()) ? "in" : "refused");
    await wait(50);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'express-rate-limit: in, in, in, in
express-slow-down, slowed: in, in, in, in
rate-limiter-flexible: in, in, in, in
rate-limiter-flexible, a block: in, in, refused, in
hono-rate-limiter: in, in, in, in
koa-ratelimit: in, in, refused, refused
koa2-ratelimit: in, in, refused, refused
express-brute: in, in, refused, refused
limiter: in, in, refused, refused
@fastify/rate-limit: in, in, refused, refused' ]
