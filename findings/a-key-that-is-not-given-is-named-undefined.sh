#!/usr/bin/env bash
# A function passes on an optional `Idempotency-Key`: its value is undefined, or null, when the caller has none. What do eighteen ways to send a POST make of it?
# Expected: no header, or an error; a key that is not given is no key.
# Seen on 2026-11-29: fetch of Node 24, ofetch 1.5.1, wretch 3.0.9, xior 0.8.5, gaxios 8.3.3, node-fetch 3.3.2 and make-fetch-happen 16.0.1 send the text "undefined" for undefined. So all calls without a key have one key: the second gets the
# answer of the first, or an error since its body is another. They, ky 2.1.0, superagent 10.4.2 and needle 3.5.0 send "null" for null; undici 8.13.1 and urllib 4.9.1 send an empty header. axios 1.21.1, up-fetch 2.6.1, @better-fetch/fetch 1.3.3,
# phin 4.0.0 and openapi-fetch 0.17.0 leave it out both times.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ky@2.1.0 got@16.1.0 axios@1.21.1 ofetch@1.5.1 wretch@3.0.9 up-fetch@2.6.1 \
  @better-fetch/fetch@1.3.3 xior@0.8.5 superagent@10.4.2 needle@3.5.0 gaxios@8.3.3 undici@8.13.1 node-fetch@3.3.2 make-fetch-happen@16.0.1 phin@4.0.0 \
  openapi-fetch@0.17.0 urllib@4.9.1
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { betterFetch } from "@better-fetch/fetch";
import axios from "axios";
import { request as gaxios } from "gaxios";
import got from "got";
import ky from "ky";
import makeFetchHappen from "make-fetch-happen";
import needle from "needle";
import nodeFetch from "node-fetch";
import { ofetch } from "ofetch";
import createClient from "openapi-fetch";
import phin from "phin";
import superagent from "superagent";
import { request as undici } from "undici";
import { up } from "up-fetch";
import { request as urllib } from "urllib";
import wretch from "wretch";
import xior from "xior";
let sent;
const server = createServer(async (request, response) => {
  sent = request.headers["idempotency-key"];
  await request.toArray();
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
const clients = {
  fetch: (headers) => fetch(url, { method: "POST", headers }),
  ky: (headers) => ky.post(url, { headers }),
  got: (headers) => got.post(url, { headers }),
  axios: (headers) => axios.post(url, {}, { headers }),
  ofetch: (headers) => ofetch(url, { method: "POST", headers }),
  wretch: (headers) => wretch(url).headers(headers).post().res(),
  "up-fetch": (headers) => up(fetch)(url, { method: "POST", headers }),
  "@better-fetch/fetch": (headers) => betterFetch(url, { method: "POST", headers, throw: true }),
  xior: (headers) => xior.post(url, {}, { headers }),
  superagent: (headers) => superagent.post(url).set(headers),
  needle: (headers) => needle("post", url, {}, { headers }),
  gaxios: (headers) => gaxios({ url, method: "POST", headers }),
  undici: (headers) => undici(url, { method: "POST", headers }),
  "node-fetch": (headers) => nodeFetch(url, { method: "POST", headers }),
  "make-fetch-happen": (headers) => makeFetchHappen(url, { method: "POST", headers }),
  phin: (headers) => phin({ url, method: "POST", headers }),
  urllib: (headers) => urllib(url, { method: "POST", headers }),
  "openapi-fetch": (headers) => createClient({ baseUrl: url }).POST("/", { headers }),
};
for (const [name, post] of Object.entries(clients)) {
  const seen = [];
  for (const value of [undefined, null]) {
    sent = "no request";
    const error = await Promise.resolve().then(() => post({ "idempotency-key": value })).then(() => undefined, (error) => error);
    seen.push(error ? "an error" : sent === undefined ? "no header" : JSON.stringify(sent));
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'fetch: "undefined", "null"
ky: no header, "null"
got: no header, an error
axios: no header, no header
ofetch: "undefined", "null"
wretch: "undefined", "null"
up-fetch: no header, no header
@better-fetch/fetch: no header, no header
xior: "undefined", "null"
superagent: an error, "null"
needle: an error, "null"
gaxios: "undefined", "null"
undici: no header, ""
node-fetch: "undefined", "null"
make-fetch-happen: "undefined", "null"
phin: no header, no header
urllib: no header, ""
openapi-fetch: no header, no header' ]
