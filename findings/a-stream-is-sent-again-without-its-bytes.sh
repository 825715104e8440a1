#!/usr/bin/env bash
# A file is posted as a stream. The server answers 503 once, and the client is set to try again. What arrives with the second try?
# Expected: the file once more, or no second try and an error: a stream can be read once.
# Seen on 2026-11-29: axios 1.21.1 with axios-retry 4.5.0 and gaxios 8.3.3 with `retryConfig` send a second request with no bytes at all, and report its answer as a success: a tool has worked on an empty file, and was paid for it. got 16.1.0, undici 8.13.1
# RetryAgent, and fetch-retry 6.0.0, ofetch 1.5.1, wretch 3.0.9 and @better-fetch/fetch 1.3.3 fail instead; ky 2.1.0 keeps a copy and sends the whole again. A `FormData` of the web is sent whole by all that were asked.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ky@2.1.0 got@16.1.0 axios@1.21.1 axios-retry@4.5.0 ofetch@1.5.1 wretch@3.0.9 \
  @better-fetch/fetch@1.3.3 gaxios@8.3.3 undici@8.13.1 fetch-retry@6.0.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { betterFetch } from "@better-fetch/fetch";
import axios from "axios";
import axiosRetry from "axios-retry";
import fetchRetry from "fetch-retry";
import { request as gaxios } from "gaxios";
import got from "got";
import ky from "ky";
import { ofetch } from "ofetch";
import { Agent, RetryAgent, request as undici } from "undici";
import wretch from "wretch";
import { retry } from "wretch/middlewares";
let seen = [];
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  seen.push(body.includes("price list") ? "whole" : "empty");
  response.writeHead(seen.length === 1 ? 503 : 200, { "content-type": "application/json" }).end("{}");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
const method = "POST";
const web = () => new Blob(["price list"]).stream();
const node = () => Readable.from([Buffer.from("price list")]);
const webForm = () => {
  const form = new FormData();
  form.append("file", new Blob(["price list"]), "a.txt");
  return form;
};
const withRetry = axios.create();
axiosRetry(withRetry, { retries: 1, retryCondition: (error) => error.response?.status === 503 });
const duplex = "half";
const clients = {
  "got, a stream": () => got.post(url, { body: node(), retry: { limit: 1, methods: [method] } }),
  "got, FormData": () => got.post(url, { body: webForm(), retry: { limit: 1, methods: [method] } }),
  "ky, a stream": () => ky.post(url, { body: web(), duplex, retry: { limit: 1, methods: ["post"] } }),
  "ky, FormData": () => ky.post(url, { body: webForm(), retry: { limit: 1, methods: ["post"] } }),
  "axios-retry, a stream": () => withRetry.post(url, node()),
  "axios-retry, FormData": () => withRetry.post(url, webForm()),
  "undici, a stream": () => undici(url, { method, body: node(), dispatcher: new RetryAgent(new Agent(), { maxRetries: 1, methods: [method], minTimeout: 1 }) }),
  "fetch-retry, a stream": () => fetchRetry(fetch, { retries: 1, retryDelay: 1, retryOn: [503] })(url, { method, body: web(), duplex }),
  "fetch-retry, FormData": () => fetchRetry(fetch, { retries: 1, retryDelay: 1, retryOn: [503] })(url, { method, body: webForm() }),
  "gaxios, a stream": () => gaxios({ url, method, data: node(), retryConfig: { retry: 1, httpMethodsToRetry: [method], retryDelay: 1 } }),
  "ofetch, a stream": () => ofetch(url, { method, body: web(), duplex, retry: 1 }),
  "wretch, a stream": () => wretch(url).options({ duplex }).middlewares([retry({ maxAttempts: 1, delayTimer: 1, until: (response) => response?.ok })]).body(web()).post().res(),
  "@better-fetch/fetch, a stream": () => betterFetch(url, { method, body: web(), duplex, retry: 1, throw: true }),
};
for (const [name, post] of Object.entries(clients)) {
  seen = [];
  const end = await Promise.resolve().then(post).then(() => "succeeds", () => "fails");
  console.log(`${name}: ${seen.join(", ")}, ${end}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'got, a stream: whole, fails
got, FormData: whole, whole, succeeds
ky, a stream: whole, whole, succeeds
ky, FormData: whole, whole, succeeds
axios-retry, a stream: whole, empty, succeeds
axios-retry, FormData: whole, whole, succeeds
undici, a stream: whole, fails
fetch-retry, a stream: whole, fails
fetch-retry, FormData: whole, whole, succeeds
gaxios, a stream: whole, empty, succeeds
ofetch, a stream: whole, fails
wretch, a stream: whole, fails
@better-fetch/fetch, a stream: whole, fails' ]
