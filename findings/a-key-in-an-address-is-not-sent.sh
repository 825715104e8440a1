#!/usr/bin/env bash
# The address of a service has its credentials, `https://sk%2Blive:a%3Ab@host`, as connection strings and settings of webhooks have them; the key is `sk+live`, the password `a:b`. What do fifteen HTTP clients send as Authorization?
# Expected: Basic with `sk+live:a:b`, as browsers and curl do it, or an error as from fetch.
# Seen on 2026-11-30: undici 8.13.1 `request`, urllib 4.9.1 and centra 2.7.0 send the request without credentials and without an error, so the answer is 401 for a right key. superagent 10.4.2 and make-fetch-happen 16.0.1 send them
# encoded as they stand, `sk%2Blive:a%3Ab`, which is another key; needle 3.5.0 cuts the password at its colon. axios 1.21.1, got 16.1.0, phin 4.0.0 and simple-get 4.0.1 are right; fetch of Node 24, ky 2.1.0, ofetch 1.5.1, node-fetch
# 3.3.2 and gaxios 8.3.3 throw.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts undici@8.13.1 urllib@4.9.1 centra@2.7.0 superagent@10.4.2 make-fetch-happen@16.0.1 needle@3.5.0 axios@1.21.1 got@16.1.0 phin@4.0.0 simple-get@4.0.1 ky@2.1.0 ofetch@1.5.1 \
  node-fetch@3.3.2 gaxios@8.3.3
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { promisify } from "node:util";
import axios from "axios";
import centra from "centra";
import { request as gaxios } from "gaxios";
import got from "got";
import ky from "ky";
import makeFetchHappen from "make-fetch-happen";
import needle from "needle";
import nodeFetch from "node-fetch";
import { ofetch } from "ofetch";
import * as phin from "phin";
import simpleGet from "simple-get";
import superagent from "superagent";
import { request } from "undici";
import { request as urllib } from "urllib";
let authorization;
const server = createServer((incoming, response) => {
  authorization = incoming.headers.authorization;
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://sk%2Blive:a%3Ab@127.0.0.1:${server.address().port}/`;
const clients = {
  undici: () => request(url),
  urllib: () => urllib(url),
  centra: () => centra(url).send(),
  superagent: () => superagent.get(url),
  "make-fetch-happen": () => makeFetchHappen(url),
  needle: () => needle("get", url),
  axios: () => axios.get(url),
  got: () => got(url),
  phin: () => (phin.phin ?? phin.default)({ url }),
  "simple-get": () => promisify(simpleGet)(url),
  fetch: () => fetch(url),
  ky: () => ky(url),
  ofetch: () => ofetch(url, { retry: 0 }),
  "node-fetch": () => nodeFetch(url),
  gaxios: () => gaxios({ url }),
};
for (const [name, get] of Object.entries(clients)) {
  authorization = undefined;
  const seen = await Promise.resolve().then(get).then(() => (authorization ? atob(authorization.slice(6)) : "no credentials"), () => "an error");
  console.log(`${name}: ${seen}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'undici: no credentials
urllib: no credentials
centra: no credentials
superagent: sk%2Blive:a%3Ab
make-fetch-happen: sk%2Blive:a%3Ab
needle: sk+live:a
axios: sk+live:a:b
got: sk+live:a:b
phin: sk+live:a:b
simple-get: sk+live:a:b
fetch: an error
ky: an error
ofetch: an error
node-fetch: an error
gaxios: an error' ]
