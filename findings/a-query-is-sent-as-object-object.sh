#!/usr/bin/env bash
# The method QUERY, a GET with a body, which Node 24 and express, fastify, hono and koa know, is sent with an object as JSON by nine clients; and once in small letters, `query`.
# Expected: the JSON, as with POST. A method in small letters is QUERY, as `post` is POST.
# Seen on 2026-11-30: ofetch 1.5.1 sends the text `[object Object]`, since it writes JSON for the methods alone that it knows; with POST it sends JSON. fetch of Node 24 and, with it, wretch
# 3.0.9 write GET, POST, PUT and DELETE in capitals and leave `query` as it is, which the server answers with 400. The others send both.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ofetch@1.5.1 ky@2.1.0 wretch@3.0.9 got@16.1.0 axios@1.21.1 superagent@10.4.2 needle@3.5.0 xior@0.8.5 @better-fetch/fetch@1.3.3
cat > seen.mjs <<'JS'
import { createServer } from "node:http";
import { createFetch } from "@better-fetch/fetch";
import axios from "axios";
import got from "got";
import ky from "ky";
import needle from "needle";
import { ofetch } from "ofetch";
import { Request as SuperagentRequest } from "superagent";
import wretch from "wretch";
import xior from "xior";
let seen;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  seen = `${request.method} ${body}`;
  response.end("{}");
});
await new Promise((resolve) => server.listen(0, resolve));
const url = `http://localhost:${server.address().port}/`;
const body = { a: 1 };
const clients = {
  ofetch: (method) => ofetch(url, { method, body, retry: 0 }), ky: (method) => ky(url, { method, json: body, retry: 0 }),
  wretch: (method) => wretch(url).json(body).fetch(method).res(), got: (method) => got(url, { method, json: body, retry: { limit: 0 } }),
  axios: (method) => axios({ url, method, data: body }), superagent: (method) => new SuperagentRequest(method, url).send(body),
  needle: (method) => needle(method, url, body, { json: true }), xior: (method) => xior.create().request({ url, method, data: body }),
  "@better-fetch/fetch": (method) => createFetch()(url, { method, body }),
};
for (const [name, send] of Object.entries(clients)) {
  const line = [];
  for (const method of ["POST", "QUERY", "query"]) {
    seen = "nothing";
    await Promise.resolve().then(() => send(method)).catch(() => {});
    line.push(seen);
  }
  console.log(`${name}: ${line.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'ofetch: POST {"a":1}, QUERY [object Object], QUERY [object Object]
ky: POST {"a":1}, QUERY {"a":1}, QUERY {"a":1}
wretch: POST {"a":1}, QUERY {"a":1}, nothing
got: POST {"a":1}, QUERY {"a":1}, QUERY {"a":1}
axios: POST {"a":1}, QUERY {"a":1}, QUERY {"a":1}
superagent: POST {"a":1}, QUERY {"a":1}, QUERY {"a":1}
needle: POST {"a":1}, QUERY {"a":1}, QUERY {"a":1}
xior: POST {"a":1}, QUERY {"a":1}, QUERY {"a":1}
@better-fetch/fetch: POST {"a":1}, QUERY {"a":1}, QUERY {"a":1}' ]
