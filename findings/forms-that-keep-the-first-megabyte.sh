#!/usr/bin/env bash
# A form (multipart/form-data) has a text field of 2 MiB, a document that was pasted, and a small file. What do seven readers hand to the handler, with their defaults?
# Expected: the text, or an error above a limit, so that nobody works on half a document.
# Seen on 2026-11-29: @fastify/multipart 10.1.9 with `attachFieldsToBody: "keyValues"` and express-fileupload 1.5.2 hand on the first 1,048,576 characters as if they were all: busboy below them cuts there and says so
# in a member that they do not pass on. multer 2.5.0, on a reader of the same kind, throws. formidable 3.5.4, koa-body 8.0.1, @hapi/hapi 21.4.10 and hono 4.13.19 `parseBody` hand on the whole.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps fastify@5.12.8 @fastify/multipart@10.1.9 express@5.3.0 express-fileupload@1.5.2 multer@2.5.0 formidable@3.5.4 \
  koa@3.3.0 koa-body@8.0.1 @hapi/hapi@21.4.10 hono@4.13.19
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import multipart from "@fastify/multipart";
import Hapi from "@hapi/hapi";
import express from "express";
import fileUpload from "express-fileupload";
import Fastify from "fastify";
import formidable from "formidable";
import { Hono } from "hono";
import Koa from "koa";
import { koaBody } from "koa-body";
import multer from "multer";
const say = (text) => String(text?.length);
const byServer = async (handler) => {
  const server = createServer(handler);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server.address().port;
};
const readers = {
  "@fastify/multipart": async () => {
    const app = Fastify({ bodyLimit: 1e8 });
    await app.register(multipart, { attachFieldsToBody: "keyValues" });
    app.post("/", async ({ body }) => say(body.note));
    await app.listen({ port: 0, host: "127.0.0.1" });
    return app.server.address().port;
  },
  "express-fileupload": () => byServer(express().use(fileUpload()).post("/", ({ body }, response) => response.send(say(body.note)))),
  multer: () => {
    const failed = (error, _request, response, _next) => response.send(`an error, ${error.message}`);
    return byServer(express().post("/", multer().any(), ({ body }, response) => response.send(say(body.note))).use(failed));
  },
  formidable: () => byServer(async (request, response) => response.end(say((await formidable({}).parse(request))[0].note[0]))),
  "koa-body": () => {
    const app = new Koa().use(koaBody({ multipart: true })).use((context) => {
      context.body = say(context.request.body.note);
    });
    return byServer(app.callback());
  },
  "@hapi/hapi": async () => {
    const server = Hapi.server({ port: 0, host: "127.0.0.1" });
    server.route({ method: "POST", path: "/", options: { payload: { multipart: true, maxBytes: 1e8 } }, handler: ({ payload }) => say(payload.note) });
    await server.start();
    return server.info.port;
  },
  hono: async () => new Hono().post("/", async (context) => context.text(say((await context.req.parseBody()).note))),
};
for (const [name, start] of Object.entries(readers)) {
  const reader = await start();
  const seen = [];
  for (const size of [1_000, 2 * 1024 * 1024]) {
    const body = new FormData();
    body.set("note", "a".repeat(size));
    body.set("file", new Blob(["x"]), "x.txt");
    const init = { method: "POST", body };
    const response = typeof reader === "number" ? await fetch(`http://127.0.0.1:${reader}/`, init) : await reader.request("/", init);
    seen.push(`${size}: ${await response.text()}`);
  }
  console.log(`${name}: ${seen.join("; ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '@fastify/multipart: 1000: 1000; 2097152: 1048576
express-fileupload: 1000: 1000; 2097152: 1048576
multer: 1000: 1000; 2097152: an error, Field value too long
formidable: 1000: 1000; 2097152: 2097152
koa-body: 1000: 1000; 2097152: 2097152
@hapi/hapi: 1000: 1000; 2097152: 2097152
hono: 1000: 1000; 2097152: 2097152' ]
