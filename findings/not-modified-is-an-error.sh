#!/usr/bin/env bash
# A program has the description of an API and asks for it again with `If-None-Match`. The server answers 304, as it should. What do eleven HTTP clients make of that, with their defaults?
# Expected: a response with the status 304, since it is what was asked for.
# Seen on 2026-11-29: eight reject: ky 2.1.0, axios 1.21.1, superagent 10.4.2, gaxios 8.3.3, xior 0.8.5, wretch 3.0.9, up-fetch 2.6.1 and @better-fetch/fetch 1.3.3, which take every status outside of 200 to
# 299 for an error. ofetch 1.5.1, needle 3.5.0 and got 16.1.0 return 304. So a program that caches has to catch the error and look at its status.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 up-fetch@2.6.1 @better-fetch/fetch@1.3.3 gaxios@8.3.3 xior@0.8.5 ofetch@1.5.1 \
  superagent@10.4.2 needle@3.5.0 ky@2.1.0 got@16.1.0 wretch@3.0.9
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { betterFetch } from "@better-fetch/fetch";
import axios from "axios";
import { request } from "gaxios";
import got from "got";
import ky from "ky";
import needle from "needle";
import { ofetch } from "ofetch";
import superagent from "superagent";
import { up } from "up-fetch";
import wretch from "wretch";
import xior from "xior";
const server = createServer((_, response) => response.writeHead(304, { etag: '"1"' }).end());
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
const headers = { "if-none-match": '"1"' };
const clients = {
  ky: async () => (await ky(url, { headers })).status,
  axios: async () => (await axios.get(url, { headers })).status,
  superagent: async () => (await superagent.get(url).set(headers)).status,
  gaxios: async () => (await request({ url, headers })).status,
  xior: async () => (await xior.get(url, { headers })).status,
  wretch: async () => (await wretch(url).headers(headers).get().res()).status,
  "up-fetch": async () => (await up(fetch)(url, { headers, parseResponse: (response) => response })).status,
  "@better-fetch/fetch": async () => {
    const { error } = await betterFetch(url, { headers });
    if (error) throw new Error(error.status);
    return 304;
  },
  ofetch: async () => (await ofetch.raw(url, { headers })).status,
  needle: async () => (await needle("get", url, { headers })).statusCode,
  got: async () => (await got(url, { headers })).statusCode,
};
for (const [name, get] of Object.entries(clients)) console.log(`${name}: ${await get().then((status) => status, () => "error")}`);
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'ky: error
axios: error
superagent: error
gaxios: error
xior: error
wretch: error
up-fetch: error
@better-fetch/fetch: error
ofetch: 304
needle: 304
got: 304' ]
