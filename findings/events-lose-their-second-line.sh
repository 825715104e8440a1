#!/usr/bin/env bash
# A text is sent as a server-sent event by seven libraries and read by eventsource-parser 4.1.3: two lines, a text that ends with a line break, one that begins with a space, an empty one, and one with a carriage return in it.
# Expected: the text, with a carriage return as a line break, since the format has a `data:` line for each line of a text, and a space to leave out.
# Seen on 2026-11-29: better-sse 0.16.1, told to write texts as they are (`serializer: (text) => text`), writes one `data:` line, so all behind the first line break is lost, and so is the space. fastify-sse-v2 4.2.2 loses what stands behind a
# carriage return, and an empty event whole. @fastify/sse 0.6.0 and express-sse 1.0.0 send texts as JSON, in quotes, which the page has to know. hono 4.13.19, h3 2.0.8 and sse-channel 4.0.2 are right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts hono@4.13.19 @hono/node-server@2.1.9 h3@2.0.8 better-sse@0.16.1 fastify@5.12.8 @fastify/sse@0.6.0 \
  fastify-sse-v2@4.2.2 express@5.3.0 express-sse@1.0.0 sse-channel@4.0.2 eventsource-parser@4.1.3
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import fastifySse from "@fastify/sse";
import { serve } from "@hono/node-server";
import { createSession } from "better-sse";
import { createParser } from "eventsource-parser";
import express from "express";
import ExpressSse from "express-sse";
import fastify from "fastify";
import { FastifySSEPlugin } from "fastify-sse-v2";
import { createEventStream, H3, toNodeHandler } from "h3";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import SseChannel from "sse-channel";
const host = "127.0.0.1";
const withExpress = (handle) => express().get("/", handle).listen(0, host);
const withFastify = async (plugin, ...route) => {
  const app = fastify();
  await app.register(plugin);
  app.get("/", ...route);
  await app.listen({ port: 0, host });
  return app.server;
};
const libraries = {
  hono: (data) => serve({ fetch: new Hono().get("/", (context) => streamSSE(context, (stream) => stream.writeSSE({ data }))).fetch, port: 0, hostname: host }),
  h3: (data) => {
    const app = new H3().get("/", (event) => {
      const stream = createEventStream(event);
      stream.push({ data }).then(() => stream.close());
      return stream.send();
    });
    return createServer(toNodeHandler(app)).listen(0, host);
  },
  "sse-channel": (data) => {
    const channel = new SseChannel();
    return withExpress((request, response) => channel.addClient(request, response, () => channel.send({ data })));
  },
  "better-sse": (data) => withExpress(async (request, response) => (await createSession(request, response, { serializer: (text) => text })).push(data)),
  "fastify-sse-v2": (data) =>
    withFastify(FastifySSEPlugin, (request, reply) =>
      reply.sse(
        (async function* () {
          yield { data };
        })(),
      ),
    ),
  "@fastify/sse": (data) => withFastify(fastifySse.default ?? fastifySse, { sse: true }, (request, reply) => reply.sse.send({ data })),
  "express-sse": (data) =>
    withExpress((request, response) => {
      const events = new (ExpressSse.default ?? ExpressSse)();
      response.flush = () => {};
      events.init(request, response);
      events.send(data, "message");
    }),
};
for (const [name, start] of Object.entries(libraries)) {
  const seen = [];
  for (const text of ["one\ntwo", "end\n", " space", "", "one\rtwo"]) {
    const server = await start(text);
    if (!server.listening) await once(server, "listening");
    const received = [];
    const parser = createParser({ onEvent: ({ data }) => received.push(data) });
    const response = await fetch(`http://${host}:${server.address().port}/`, { headers: { accept: "text/event-stream" }, signal: AbortSignal.timeout(500) });
    try {
      for await (const part of response.body.pipeThrough(new TextDecoderStream())) parser.feed(part);
    } catch {}
    if (received.length !== 1 || received[0] !== text.replace("\r", "\n")) seen.push(`${JSON.stringify(text)} as ${received.map((data) => JSON.stringify(data)).join(" ") || "nothing"}`);
  }
  console.log(`${name}: ${seen.join(", ") || "right"}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'hono: right
h3: right
sse-channel: right
better-sse: "one\ntwo" as "one", "end\n" as "end", " space" as "space", "one\rtwo" as "one"
fastify-sse-v2: "" as nothing, "one\rtwo" as "one"
@fastify/sse: "one\ntwo" as "\"one\\ntwo\"", "end\n" as "\"end\\n\"", " space" as "\" space\"", "" as "\"\"", "one\rtwo" as "\"one\\rtwo\""
express-sse: "one\ntwo" as "\"one\\ntwo\"", "end\n" as "\"end\\n\"", " space" as "\" space\"", "" as "\"\"", "one\rtwo" as "\"one\\rtwo\""' ]
