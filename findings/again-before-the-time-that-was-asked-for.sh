#!/usr/bin/env bash
# A GET is answered 503 with `Retry-After: 10`, and fourteen clients for Node are set to try once more. When do they?
# Expected: after ten seconds: it is what the header is for (RFC 9110, 10.2.3), and a server that is overloaded names the time at which it can take more.
# Seen on 2026-11-29: ofetch 1.5.1, wretch 3.0.9, @better-fetch/fetch 1.3.3, up-fetch 2.6.1, superagent 10.4.2, gaxios 8.3.3, fetch-retry 6.0.0, make-fetch-happen 16.0.1 and xior 0.8.5 do not read the header: they ask again at once or after a few seconds, and use up
# their tries while the server still refuses. ky 2.1.0, got 16.1.0, axios-retry 4.5.0, retry-axios 4.0.3 and undici 8.13.1 RetryAgent wait.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ky@2.1.0 got@16.1.0 axios@1.21.1 axios-retry@4.5.0 retry-axios@4.0.3 ofetch@1.5.1 \
  wretch@3.0.9 @better-fetch/fetch@1.3.3 xior@0.8.5 superagent@10.4.2 gaxios@8.3.3 undici@8.13.1 fetch-retry@6.0.0 make-fetch-happen@16.0.1 \
  up-fetch@2.6.1
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
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
import wretch from "wretch";
import { retry } from "wretch/middlewares";
import xior from "xior";
import xiorRetry from "xior/plugins/error-retry";
const times = {};
const server = createServer(({ url }, response) => {
  (times[url.slice(1)] ??= []).push(performance.now());
  response.writeHead(503, { "retry-after": "10", "content-type": "application/json" }).end("{}");
});
await once(server.listen(0, "127.0.0.1"), "listening");
const withRetry = axios.create();
axiosRetry(withRetry, { retries: 1 });
const withRax = axios.create();
rax.attach(withRax);
const xiorClient = xior.create();
xiorClient.plugins.use(xiorRetry({ retryTimes: 1 }));
const clients = {
  ky: (url) => ky(url, { retry: 1 }),
  got: (url) => got(url, { retry: { limit: 1 } }),
  "axios-retry": (url) => withRetry.get(url),
  "retry-axios": (url) => withRax.get(url, { raxConfig: { retry: 1 } }),
  xior: (url) => xiorClient.get(url),
  undici: (url) => undici(url, { dispatcher: new RetryAgent(new Agent(), { maxRetries: 1 }) }),
  ofetch: (url) => ofetch(url, { retry: 1 }),
  wretch: (url) => wretch(url).middlewares([retry({ maxAttempts: 1 })]).get().res(),
  "better-fetch": (url) => betterFetch(url, { retry: 1, throw: true }),
  "up-fetch": (url) => up(fetch)(url, { retry: { attempts: 1 } }),
  superagent: (url) => superagent.get(url).retry(1),
  gaxios: (url) => gaxios({ url, retryConfig: { retry: 1 } }),
  "fetch-retry": (url) => fetchRetry(fetch, { retries: 1, retryOn: [503] })(url),
  "make-fetch-happen": (url) => makeFetchHappen(url, { retry: 1 }),
};
const ends = Object.entries(clients).map(([name, get]) => Promise.resolve().then(() => get(`http://127.0.0.1:${server.address().port}/${name}`)).catch(() => {}));
await Promise.race([Promise.all(ends), setTimeout(40_000)]);
for (const name of Object.keys(clients)) console.log(`${name}: ${times[name].length === 2 ? (times[name][1] - times[name][0] < 9_500 ? "before the time" : "waits") : `${times[name].length} requests`}`);
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'ky: waits
got: waits
axios-retry: waits
retry-axios: waits
xior: before the time
undici: waits
ofetch: before the time
wretch: before the time
better-fetch: before the time
up-fetch: before the time
superagent: before the time
gaxios: before the time
fetch-retry: before the time
make-fetch-happen: before the time' ]
