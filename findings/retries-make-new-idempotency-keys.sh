#!/usr/bin/env bash
# Five HTTP clients give each POST a new Idempotency-Key in the hook that runs before a request. The server answers twice with 503.
# Expected: the hook runs once for a call, so that the retries carry the key of the first try, which is what the key is for.
# Seen on 2026-11-29: with got 16.1.0 `beforeRequest`, axios 1.21.1 interceptors and axios-retry 4.5.0, and ofetch 1.5.1 `onRequest` the hook runs for
# each try: three requests, three keys, and a server that carried out the first one charges again. ky 2.1.0 `beforeRequest` and
# got's `init` run once.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts got@16.1.0 ky@2.1.0 axios@1.21.1 axios-retry@4.5.0 ofetch@1.5.1
cat > seen.mjs <<'JS'
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import axios from "axios";
import axiosRetry from "axios-retry";
import got from "got";
import ky from "ky";
import { ofetch } from "ofetch";
const keys = {};
const server = createServer((request, response) => {
  const sent = (keys[request.url.slice(1)] ??= []);
  sent.push(request.headers["idempotency-key"]);
  request.resume();
  response.writeHead(sent.length < 3 ? 503 : 200, { "content-type": "application/json" }).end("{}");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const at = (client) => `http://127.0.0.1:${server.address().port}/${client}`;
const newKey = (headers) => headers.set("idempotency-key", randomUUID());
const gotWith = (hooks) => got.extend({ retry: { limit: 2, methods: ["POST"], calculateDelay: ({ computedValue }) => (computedValue ? 10 : 0) }, hooks });
const addKey = (options) => {
  options.headers["idempotency-key"] = randomUUID();
};
const axiosClient = axios.create();
axiosRetry(axiosClient, { retries: 2, retryCondition: () => true });
axiosClient.interceptors.request.use((config) => {
  newKey(config.headers);
  return config;
});
const calls = {
  got: (url) => gotWith({ beforeRequest: [addKey] }).post(url, { json: {} }),
  "got-init": (url) => gotWith({ init: [(_raw, options) => addKey(options)] }).post(url, { json: {} }),
  axios: (url) => axiosClient.post(url, {}),
  ofetch: (url) => ofetch(url, { method: "POST", body: {}, retry: 2, onRequest: ({ options }) => void newKey(options.headers) }),
  ky: (url) =>
    ky.post(url, {
      json: {},
      retry: { limit: 2, methods: ["post"], delay: () => 10 },
      hooks: { beforeRequest: [({ request }) => void newKey(request.headers)] },
    }),
};
for (const [client, call] of Object.entries(calls)) {
  await call(at(client));
  console.log(`${client}: ${keys[client].length} requests, keys: ${new Set(keys[client]).size}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'got: 3 requests, keys: 3
got-init: 3 requests, keys: 1
axios: 3 requests, keys: 3
ofetch: 3 requests, keys: 3
ky: 3 requests, keys: 1' ]
