#!/usr/bin/env bash
# A POST that costs credits is read to its end by the server, and the connection breaks before the answer. Sixteen clients for Node, with two retries where they have an option for it, and no methods named. How often is the call made?
# Expected: once: nobody knows whether it was carried out, and POST is not idempotent (RFC 9110, 9.2.2).
# Seen on 2026-11-29: axios-retry 4.5.0, ofetch 1.5.1, wretch 3.0.9 (`retryOnNetworkError`), superagent 10.4.2 and fetch-retry 6.0.0 make it three times, urllib 4.9.1 twice. axios-retry does not repeat a POST after 503, so a test with a status shows nothing.
# ky 2.1.0, got 16.1.0, retry-axios 4.0.3, @better-fetch/fetch 1.3.3, up-fetch 2.6.1, xior 0.8.5, gaxios 8.3.3, undici 8.13.1 RetryAgent, make-fetch-happen 16.0.1 and fetch make it once. Whoever turns retries on for calls that
# cost needs an Idempotency-Key that is the same for all tries.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ky@2.1.0 got@16.1.0 axios@1.21.1 axios-retry@4.5.0 retry-axios@4.0.3 ofetch@1.5.1 \
  wretch@3.0.9 @better-fetch/fetch@1.3.3 xior@0.8.5 superagent@10.4.2 gaxios@8.3.3 undici@8.13.1 fetch-retry@6.0.0 make-fetch-happen@16.0.1 \
  up-fetch@2.6.1 urllib@4.9.1
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { betterFetch } from "@better-fetch/fetch";
import axios from "axios";
import axiosRetry from "axios-retry";
import fetchRetry from "fetch-retry";
import { request as gaxios } from "gaxios";
import got from "got";
import ky from "ky";
import makeFetchHappen from "make-fetch-happen";
import { ofetch } from "ofetch";
import * as rax from "retry-axios";
import superagent from "superagent";
import { Agent, RetryAgent, request as undici } from "undici";
import { up } from "up-fetch";
import { request as urllib } from "urllib";
import wretch from "wretch";
import { retry } from "wretch/middlewares";
import xior from "xior";
import xiorRetry from "xior/plugins/error-retry";
let posts = 0;
const server = createServer(async (request) => {
  posts += 1;
  await request.toArray();
  request.socket.destroy();
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
const body = '{"credits":1}';
const headers = { "content-type": "application/json" };
const options = { method: "POST", headers, body };
const withRetry = axios.create();
axiosRetry(withRetry, { retries: 2 });
const withRax = axios.create();
rax.attach(withRax);
const xiorClient = xior.create();
xiorClient.plugins.use(xiorRetry({ retryTimes: 2, retryInterval: 1 }));
const clients = {
  fetch: () => fetch(url, options),
  ky: () => ky.post(url, { headers, body, retry: 2 }),
  got: () => got.post(url, { headers, body, retry: { limit: 2 } }),
  "axios-retry": () => withRetry.post(url, body, { headers }),
  "retry-axios": () => withRax.post(url, body, { headers, raxConfig: { retry: 2, noResponseRetries: 2, retryDelay: 1, backoffType: "static" } }),
  ofetch: () => ofetch(url, { ...options, retry: 2 }),
  wretch: () => wretch(url).middlewares([retry({ maxAttempts: 2, delayTimer: 1, retryOnNetworkError: true })]).headers(headers).body(body).post().res(),
  "@better-fetch/fetch": () => betterFetch(url, { ...options, retry: 2, throw: true }),
  "up-fetch": () => up(fetch)(url, { ...options, retry: { attempts: 2, delay: 1 } }),
  xior: () => xiorClient.post(url, body, { headers }),
  superagent: () => superagent.post(url).set(headers).send(body).retry(2),
  gaxios: () => gaxios({ url, ...options, retry: true }),
  undici: () => undici(url, { ...options, dispatcher: new RetryAgent(new Agent(), { maxRetries: 2, minTimeout: 1 }) }),
  "fetch-retry": () => fetchRetry(fetch, { retries: 2, retryDelay: 1 })(url, options),
  "make-fetch-happen": () => makeFetchHappen(url, { ...options, retry: 2 }),
  urllib: () => urllib(url, { method: "POST", content: body, headers, retry: 2 }),
};
for (const [name, post] of Object.entries(clients)) {
  posts = 0;
  await Promise.resolve().then(post).catch(() => {});
  console.log(`${name}: ${posts}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'fetch: 1
ky: 1
got: 1
axios-retry: 3
retry-axios: 1
ofetch: 3
wretch: 3
@better-fetch/fetch: 1
up-fetch: 1
xior: 1
superagent: 3
gaxios: 1
undici: 1
fetch-retry: 3
make-fetch-happen: 1
urllib: 2' ]
