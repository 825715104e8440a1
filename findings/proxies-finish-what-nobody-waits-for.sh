#!/usr/bin/env bash
# Five reverse proxies for Node: the client of a slow POST leaves after a fifth of a second, long before the upstream answers.
# Expected: each ends its own request, so that the upstream can stop work that nobody waits for.
# Seen on 2026-11-29 with Node 24.21.0: http-proxy 1.18.1 and @fastify/http-proxy 11.6.3 let it run to its end. http-proxy listens for `aborted`
# of the request, which Node emits no more once the request was read to its end. http-proxy-3 2.0.1, httpxy 0.5.6 and
# hono 4.13.19 `proxy` with @hono/node-server 2.1.8 end it. Behind the first two, a model or a report runs, and is
# charged, for each client that gave up.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts http-proxy@1.18.1 http-proxy-3@2.0.1 httpxy@0.5.6 \
  @fastify/http-proxy@11.6.3 fastify@5.12.8 hono@4.13.19 @hono/node-server@2.1.8 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import fastifyProxy from "@fastify/http-proxy";
import { getRequestListener } from "@hono/node-server";
import Fastify from "fastify";
import { proxy as honoProxy } from "hono/proxy";
import httpProxy from "http-proxy";
import { createProxyServer as proxy3 } from "http-proxy-3";
import { createProxyServer as httpxy } from "httpxy";
const listen = async (server) => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server.address().port;
};
const ended = new Set();
const upstream = createServer((message, response) => {
  message.resume();
  const answer = setTimeout(() => response.end("ok"), 20_000);
  response.on("close", () => {
    clearTimeout(answer);
    ended.add(message.url.slice(1));
  });
});
const target = `http://127.0.0.1:${await listen(upstream)}`;
const [old, third, fourth] = [httpProxy.createProxyServer({ target }), proxy3({ target }), httpxy({ target })];
old.on("error", () => {});
third.on("error", () => {});
const fastify = Fastify();
await fastify.register(fastifyProxy, { upstream: target });
await fastify.ready();
const servers = {
  "http-proxy": createServer((message, response) => old.web(message, response)),
  "@fastify/http-proxy": fastify.server,
  "http-proxy-3": createServer((message, response) => third.web(message, response)),
  httpxy: createServer((message, response) => void fourth.web(message, response).catch(() => {})),
  hono: createServer(getRequestListener((incoming) => honoProxy(target + new URL(incoming.url).pathname, { raw: incoming }))),
};
for (const [name, server] of Object.entries(servers)) {
  const path = name.replaceAll("/", "-");
  const client = request({ port: await listen(server), host: "127.0.0.1", path: `/${path}`, method: "POST" });
  client.on("error", () => {});
  client.end("work");
  await sleep(200);
  client.destroy();
  for (let waited = 0; waited < 3_000 && !ended.has(path); waited += 50) await sleep(50);
  console.log(`${name}: ${ended.has(path) ? "ended" : "still running"}`);
}
process.exit();
JS
seen=$("$node" --no-deprecation seen.mjs)
echo "$seen"
[ "$seen" = 'http-proxy: still running
@fastify/http-proxy: still running
http-proxy-3: ended
httpxy: ended
hono: ended' ]
