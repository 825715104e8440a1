#!/usr/bin/env bash
# A table as CSV comes with `Content-Encoding: GZIP`, `x-gzip`, or `gzip, br`, two codings one after the other. What do thirteen HTTP clients hand out as text?
# Expected: the table, or an error: RFC 9110 (8.4.1) has names of codings in any case, x-gzip as another name of gzip, and several codings undone from the last to the first.
# Seen on 2026-11-29: only fetch of Node 24, undici 8.13.1 with its interceptor and got 16.1.0 do all of it. The others hand out bytes of gzip as text, with status 200 and no error: needle 3.5.0 and make-fetch-happen 16.0.1 for GZIP, superagent 10.4.2 and
# simple-get 4.0.1 for x-gzip, centra 2.7.0 and urllib 4.9.1 for both, and all ten for two codings.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts got@16.1.0 axios@1.21.1 superagent@10.4.2 needle@3.5.0 gaxios@8.3.3 undici@8.13.1 \
  node-fetch@3.3.2 make-fetch-happen@16.0.1 phin@4.0.0 simple-get@4.0.1 centra@2.7.0 urllib@4.9.1
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import axios from "axios";
import centra from "centra";
import { request as gaxios } from "gaxios";
import got from "got";
import makeFetchHappen from "make-fetch-happen";
import needle from "needle";
import nodeFetch from "node-fetch";
import phin from "phin";
import simpleGet from "simple-get";
import superagent from "superagent";
import { Agent, interceptors, request as undici } from "undici";
import { request as urllib } from "urllib";
const text = "id,credits\n1,5\n";
const bodies = { gzip: gzipSync(text), GZIP: gzipSync(text), "x-gzip": gzipSync(text), "gzip, br": brotliCompressSync(gzipSync(text)) };
const server = createServer((request, response) => {
  const coding = decodeURIComponent(request.url.slice(1));
  response.writeHead(200, { "content-type": "text/csv", "content-encoding": coding }).end(bodies[coding]);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const clients = {
  fetch: async (url) => (await fetch(url)).text(),
  got: async (url) => got(url).text(),
  axios: async (url) => (await axios.get(url, { responseType: "text" })).data,
  superagent: async (url) => (await superagent.get(url)).text,
  needle: async (url) => String((await needle("get", url)).body),
  gaxios: async (url) => (await gaxios({ url, responseType: "text" })).data,
  "node-fetch": async (url) => (await nodeFetch(url)).text(),
  "make-fetch-happen": async (url) => (await makeFetchHappen(url)).text(),
  phin: async (url) => String((await phin({ url })).body),
  centra: async (url) => (await centra(url).compress().send()).text(),
  "simple-get": (url) => new Promise((resolve, reject) => simpleGet.concat(url, (error, _, data) => (error ? reject(error) : resolve(String(data))))),
  urllib: async (url) => String((await urllib(url, { compressed: true, dataType: "text" })).data),
  undici: async (url) => (await undici(url, { dispatcher: new Agent().compose(interceptors.decompress()) })).body.text(),
};
for (const [name, get] of Object.entries(clients)) {
  const seen = [];
  for (const coding of Object.keys(bodies)) {
    const result = await get(`http://127.0.0.1:${server.address().port}/${encodeURIComponent(coding)}`).then((body) => (body === text ? "text" : "bytes"), () => "an error");
    seen.push(`${coding}: ${result}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'fetch: gzip: text, GZIP: text, x-gzip: text, gzip, br: text
got: gzip: text, GZIP: text, x-gzip: text, gzip, br: text
axios: gzip: text, GZIP: text, x-gzip: text, gzip, br: bytes
superagent: gzip: text, GZIP: text, x-gzip: bytes, gzip, br: bytes
needle: gzip: text, GZIP: bytes, x-gzip: text, gzip, br: bytes
gaxios: gzip: text, GZIP: text, x-gzip: text, gzip, br: bytes
node-fetch: gzip: text, GZIP: text, x-gzip: text, gzip, br: bytes
make-fetch-happen: gzip: text, GZIP: bytes, x-gzip: text, gzip, br: bytes
phin: gzip: text, GZIP: text, x-gzip: text, gzip, br: bytes
centra: gzip: text, GZIP: bytes, x-gzip: bytes, gzip, br: bytes
simple-get: gzip: text, GZIP: text, x-gzip: bytes, gzip, br: bytes
urllib: gzip: text, GZIP: bytes, x-gzip: bytes, gzip, br: bytes
undici: gzip: text, GZIP: text, x-gzip: text, gzip, br: text' ]
