#!/usr/bin/env bash
# An upstream that is overloaded answers a GET with 503 and `Retry-After: 1`, through @fastify/http-proxy 11.6.3 with its defaults.
# Expected: the proxy passes the answer on after one request; if it tries again, then after the second that the header asks for.
# Seen on 2026-11-29: it sends eleven requests, all within a fraction of the second, and then passes the 503 on (@fastify/reply-from 12.6.5 has the option
# `maxRetriesOn503`, which is 10). So an upstream that asks for a pause gets eleven times the load. The same without
# Retry-After; a POST is passed on after one request.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @fastify/http-proxy@11.6.3 @fastify/reply-from@12.6.5 fastify@5.12.8
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import fastifyProxy from "@fastify/http-proxy";
import Fastify from "fastify";
let times = [];
const upstream = createServer((request, response) => {
  request.resume();
  times.push(performance.now());
  response.writeHead(503, request.url === "/asks" ? { "retry-after": "1" } : {}).end("busy");
});
upstream.listen(0, "127.0.0.1");
await once(upstream, "listening");
const proxy = Fastify();
await proxy.register(fastifyProxy, { upstream: `http://127.0.0.1:${upstream.address().port}` });
for (const [method, path] of [["GET", "/asks"], ["POST", "/asks"], ["GET", "/plain"]]) {
  times = [];
  const { statusCode } = await proxy.inject({ method, url: path });
  const pauses = times.slice(1).map((time, index) => time - times[index]);
  const asked = pauses.length === 0 ? "" : `, pauses of a second: ${pauses.filter((pause) => pause > 900).length}`;
  console.log(`${method} ${path}: ${statusCode} after ${times.length} requests${asked}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'GET /asks: 503 after 11 requests, pauses of a second: 0
POST /asks: 503 after 1 requests
GET /plain: 503 after 11 requests, pauses of a second: 0' ]
