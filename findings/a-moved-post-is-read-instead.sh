#!/usr/bin/env bash
# A POST with JSON and an Idempotency-Key goes to an address that has moved: 301, 302, 303, 307 or 308. What do twelve HTTP clients of Node send to the new one?
# Expected: what fetch does: GET without a body after 301, 302 and 303, the POST with its body after 307 and 308, as RFC 9110 asks for; and no Content-Type where there is no content.
# Seen on 2026-11-29: needle 3.5.0 makes a GET of 307 and 308 too, so the call is never made and the answer is 200. got 16.1.0 repeats the POST after 301 and 302, so the new address gets a call that the others only read.
# gaxios 8.3.3, make-fetch-happen 16.0.1, node-fetch 3.3.2 and needle keep `Content-Type: application/json` on the GET. fetch of Node 24, ky 2.1.0, axios 1.21.1, superagent 10.4.2, phin 4.0.0, undici 8.13.1, ofetch 1.5.1 and xior 0.8.5 agree.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts needle@3.5.0 got@16.1.0 gaxios@8.3.3 make-fetch-happen@16.0.1 node-fetch@3.3.2 ky@2.1.0 axios@1.21.1 \
  superagent@10.4.2 phin@4.0.0 undici@8.13.1 ofetch@1.5.1 xior@0.8.5
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import axios from "axios";
import { request as gaxios } from "gaxios";
import got from "got";
import ky from "ky";
import makeFetchHappen from "make-fetch-happen";
import needle from "needle";
import nodeFetch from "node-fetch";
import { ofetch } from "ofetch";
import phin from "phin";
import superagent from "superagent";
import { Agent, interceptors, request as undici } from "undici";
import xior from "xior";
let seen;
const server = createServer(async (request, response) => {
  const body = (await request.toArray()).join("");
  const [, status] = /^\/moved-(\d+)$/.exec(request.url) ?? [];
  if (status) return response.writeHead(Number(status), { location: "/new" }).end();
  seen = `${request.method}${body && " with the body"}${!body && request.headers["content-type"] ? " with a type" : ""}`;
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const body = '{"credits":1}';
const headers = { "content-type": "application/json", "idempotency-key": "1" };
const options = { method: "POST", headers, body };
const clients = {
  fetch: (url) => fetch(url, options),
  ky: (url) => ky.post(url, { headers, body }),
  axios: (url) => axios.post(url, body, { headers }),
  superagent: (url) => superagent.post(url).set(headers).send(body),
  phin: (url) => phin({ url, method: "POST", headers, data: body, followRedirects: true }),
  undici: (url) => undici(url, { ...options, dispatcher: new Agent().compose(interceptors.redirect({ maxRedirections: 3 })) }),
  ofetch: (url) => ofetch(url, options),
  xior: (url) => xior.post(url, body, { headers }),
  gaxios: (url) => gaxios({ url, ...options }),
  "make-fetch-happen": (url) => makeFetchHappen(url, options),
  "node-fetch": (url) => nodeFetch(url, options),
  got: (url) => got.post(url, { headers, body }),
  needle: (url) => needle("post", url, body, { headers, follow_max: 3 }),
};
for (const [name, post] of Object.entries(clients)) {
  const results = [];
  for (const status of [301, 302, 303, 307, 308]) {
    seen = "nothing";
    await post(`http://127.0.0.1:${server.address().port}/moved-${status}`);
    results.push(`${status} ${seen}`);
  }
  console.log(`${name}: ${results.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'fetch: 301 GET, 302 GET, 303 GET, 307 POST with the body, 308 POST with the body
ky: 301 GET, 302 GET, 303 GET, 307 POST with the body, 308 POST with the body
axios: 301 GET, 302 GET, 303 GET, 307 POST with the body, 308 POST with the body
superagent: 301 GET, 302 GET, 303 GET, 307 POST with the body, 308 POST with the body
phin: 301 GET, 302 GET, 303 GET, 307 POST with the body, 308 POST with the body
undici: 301 GET, 302 GET, 303 GET, 307 POST with the body, 308 POST with the body
ofetch: 301 GET, 302 GET, 303 GET, 307 POST with the body, 308 POST with the body
xior: 301 GET, 302 GET, 303 GET, 307 POST with the body, 308 POST with the body
gaxios: 301 GET with a type, 302 GET with a type, 303 GET with a type, 307 POST with the body, 308 POST with the body
make-fetch-happen: 301 GET with a type, 302 GET with a type, 303 GET with a type, 307 POST with the body, 308 POST with the body
node-fetch: 301 GET with a type, 302 GET with a type, 303 GET with a type, 307 POST with the body, 308 POST with the body
got: 301 POST with the body, 302 POST with the body, 303 GET, 307 POST with the body, 308 POST with the body
needle: 301 GET with a type, 302 GET with a type, 303 GET with a type, 307 GET with a type, 308 GET with a type' ]
