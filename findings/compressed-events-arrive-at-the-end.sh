#!/usr/bin/env bash
# A server compresses its answers with a middleware and sends server-sent events, or lines of JSON. It writes one event and waits. Does the client have it before the answer ends?
# Expected: yes. An event is sent to be read at once; text/event-stream says so, and gzip can be flushed after each write.
# Seen on 2026-11-29: with compression 1.8.2 (express 5.3.0), http-compression 1.1.3 and koa-compress 5.2.2 (koa 3.3.0) the event stays in the buffer of gzip until the answer ends: a live page shows nothing and a client that waits for an
# event of its own runs into its time limit. All three compress text/event-stream because mime-db has it as compressible; http-compression holds application/jsonl back too. @fastify/compress 9.2.0 and
# hono 4.13.19 leave events alone. Lines as application/x-ndjson are compressed by none.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts compression@1.8.2 express@5.3.0 http-compression@1.1.3 koa@3.3.0 koa-compress@5.2.2 fastify@5.12.8 \
  @fastify/compress@9.2.0 hono@4.13.19 @hono/node-server@2.1.9
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { get } from "node:http";
import { PassThrough } from "node:stream";
import { createGunzip } from "node:zlib";
import fastifyCompress from "@fastify/compress";
import { serve } from "@hono/node-server";
import compression from "compression";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { compress } from "hono/compress";
import { stream } from "hono/streaming";
import httpCompression from "http-compression";
import Koa from "koa";
import koaCompress from "koa-compress";
const event = "data: 1\n\n";
let go;
const begin = () => {
  const body = new PassThrough();
  body.write(event);
  go = () => body.end();
  return body;
};
const withExpress = (middleware) => {
  const app = express().use(middleware);
  app.get("/", (request, response) => begin().pipe(response.type(request.query.type)));
  return app.listen(0, "127.0.0.1");
};
const servers = {
  compression: () => withExpress(compression({ threshold: 0 })),
  "http-compression": () => withExpress(httpCompression({ threshold: 1 })),
  "koa-compress": () => {
    const app = new Koa().use(koaCompress({ threshold: 0 })).use((context) => {
      context.type = context.query.type;
      context.body = begin();
    });
    return app.listen(0, "127.0.0.1");
  },
  "@fastify/compress": async () => {
    const app = fastify();
    await app.register(fastifyCompress, { threshold: 0 });
    app.get("/", (request, reply) => reply.type(request.query.type).send(begin()));
    await app.listen({ port: 0, host: "127.0.0.1" });
    return app.server;
  },
  hono: () => {
    const app = new Hono().use(compress({ threshold: 0 }));
    app.get("/", (context) => {
      context.header("content-type", context.req.query("type"));
      return stream(context, async (out) => {
        await out.write(event);
        await new Promise((resolve) => (go = resolve));
      });
    });
    return serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  },
};
for (const [name, start] of Object.entries(servers)) {
  const server = await start();
  if (!server.listening) await once(server, "listening");
  const seen = [];
  for (const type of ["text/event-stream", "application/jsonl", "application/x-ndjson"]) {
    const request = get({ port: server.address().port, path: `/?type=${type}`, headers: { "accept-encoding": "gzip" } });
    let ended = false;
    setTimeout(() => {
      ended = true;
      go();
    }, 1_000);
    const [response] = await once(request, "response");
    const coding = response.headers["content-encoding"];
    let text = "";
    let when;
    for await (const part of coding === "gzip" ? response.pipe(createGunzip()) : response) {
      text += part;
      if (text.includes(event)) when ??= ended ? "at the end" : "at once";
    }
    seen.push(`${type} ${coding === "gzip" ? "compressed" : "plain"} ${when}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'compression: text/event-stream compressed at the end, application/jsonl plain at once, application/x-ndjson plain at once
http-compression: text/event-stream compressed at the end, application/jsonl compressed at the end, application/x-ndjson plain at once
koa-compress: text/event-stream compressed at the end, application/jsonl plain at once, application/x-ndjson plain at once
@fastify/compress: text/event-stream plain at once, application/jsonl plain at once, application/x-ndjson plain at once
hono: text/event-stream plain at once, application/jsonl plain at once, application/x-ndjson plain at once' ]
