#!/usr/bin/env bash
# A balance is asked for twice through a client with a cache: `max-age=60` and a POST to the same address in between, as for a payment; `no-store`; no Cache-Control at all; and in another language, with
# `Vary: Accept-Language`. Is the server asked the second time?
# Expected: each time. RFC 9111 (4.4) drops what is kept for an address when it is written to; `no-store` and `Vary` are plain, and what has no lifetime is not kept without an option that says so.
# Seen on 2026-11-29: undici 8.13.1 `interceptors.cache` and make-fetch-happen 16.0.1 ask each time. axios-cache-interceptor 1.12.3 and got 16.1.0 go on showing the balance of before the POST, and the first
# keeps what has no header for five minutes. alova 3.5.5, by its default, node-fetch-cache 5.1.0 and the cache plugin of xior 0.8.5 read no header at all and keep what says `no-store`, the last also
# for another language.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts undici@8.13.1 make-fetch-happen@16.0.1 axios@1.21.1 axios-cache-interceptor@1.12.3 got@16.1.0 alova@3.5.5 node-fetch-cache@5.1.0 xior@0.8.5
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { createAlova } from "alova";
import alovaFetch from "alova/fetch";
import axios from "axios";
import { setupCache } from "axios-cache-interceptor";
import got from "got";
import makeFetchHappen from "make-fetch-happen";
import nodeFetch from "node-fetch-cache";
import { Agent, interceptors, fetch as undiciFetch } from "undici";
import xior from "xior";
import xiorCache from "xior/plugins/cache";
let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  const headers = Object.fromEntries(new URL(request.url, "http://localhost").searchParams);
  response.writeHead(200, { "content-type": "text/plain", ...headers }).end(`balance ${asked}`);
});
await once(server.listen(0, "127.0.0.1"), "listening");
const baseURL = `http://127.0.0.1:${server.address().port}`;
const dispatcher = new Agent().compose(interceptors.cache());
const cached = setupCache(axios.create({ baseURL }));
const alova = createAlova({ requestAdapter: alovaFetch(), baseURL, cacheLogger: null, responded: (response) => response.text() });
const plugged = xior.create({ baseURL });
plugged.plugins.use((xiorCache.default ?? xiorCache)());
const cache = new Map();
const text = (response) => response.text();
const clients = {
  undici: (path, init) => undiciFetch(baseURL + path, { dispatcher, ...init }).then(text),
  "make-fetch-happen": (path, init) => makeFetchHappen(baseURL + path, { cachePath: "./kept", ...init }).then(text),
  "axios-cache-interceptor": (url, init) => cached.request({ url, ...init }),
  got: (path, init) => got(baseURL + path, { cache, ...init }),
  alova: (path, { method, headers }) => (method === "POST" ? alova.Post(path, {}) : alova.Get(path, { headers })).send(),
  "node-fetch-cache": (path, init) => nodeFetch(baseURL + path, init).then(text),
  xior: (url, init) => plugged.request({ url, ...init }),
};
const cases = {
  "after a POST": [{ "cache-control": "max-age=60" }, "de", "de", true],
  "no-store": [{ "cache-control": "no-store" }, "de", "de", false],
  "no header": [{}, "de", "de", false],
  "other language": [{ "cache-control": "max-age=60", vary: "accept-language" }, "de", "en", false],
};
for (const [name, call] of Object.entries(clients)) {
  const seen = [];
  for (const [kind, [headers, first, second, write]] of Object.entries(cases)) {
    const path = `/${name}?${new URLSearchParams(headers)}`;
    await call(path, { method: "GET", headers: { "accept-language": first } });
    if (write) await call(path, { method: "POST", headers: {} });
    const before = asked;
    await call(path, { method: "GET", headers: { "accept-language": second } });
    seen.push(`${kind} ${asked > before ? "asked" : "kept"}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'undici: after a POST asked, no-store asked, no header asked, other language asked
make-fetch-happen: after a POST asked, no-store asked, no header asked, other language asked
axios-cache-interceptor: after a POST kept, no-store asked, no header kept, other language asked
got: after a POST kept, no-store asked, no header asked, other language asked
alova: after a POST kept, no-store kept, no header kept, other language asked
node-fetch-cache: after a POST kept, no-store kept, no header kept, other language asked
xior: after a POST kept, no-store kept, no header kept, other language kept' ]
