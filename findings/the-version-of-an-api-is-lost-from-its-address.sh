#!/usr/bin/env bash
# The address of an API is `/v1` or `/v1/`, and `/tools` or `tools` is asked for below it, through ten HTTP clients that have an option for the first.
# Expected: `/v1/tools` each time, or an error, since the option is there for that.
# Seen on 2026-11-29: `baseUrl` of ky 2.1.0 and `baseURL` of gaxios 8.3.3 work as `new URL` does: the version is lost in three of the four, and another page answers, perhaps with 200. ky has `prefix` beside it, which joins. openapi-fetch 0.17.0 asks for `/v1tools`
# where the path has no slash, wretch 3.0.9 for `/v1tools` and `/v1//tools`. got 16.1.0 refuses a slash at the start. axios 1.21.1, ofetch 1.5.1, up-fetch 2.6.1, @better-fetch/fetch 1.3.3 and xior 0.8.5 are right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ky@2.1.0 got@16.1.0 axios@1.21.1 ofetch@1.5.1 wretch@3.0.9 up-fetch@2.6.1 \
  @better-fetch/fetch@1.3.3 xior@0.8.5 gaxios@8.3.3 openapi-fetch@0.17.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { createFetch } from "@better-fetch/fetch";
import axios from "axios";
import { Gaxios } from "gaxios";
import got from "got";
import ky from "ky";
import { ofetch } from "ofetch";
import createClient from "openapi-fetch";
import { up } from "up-fetch";
import wretch from "wretch";
import xior from "xior";
let sent;
const server = createServer(({ url }, response) => {
  sent = url;
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
await once(server.listen(0, "127.0.0.1"), "listening");
const origin = `http://127.0.0.1:${server.address().port}`;
const clients = {
  "new URL": (base, path) => fetch(new URL(path, base)),
  "ky baseUrl": (baseUrl, path) => ky(path, { baseUrl }),
  "ky prefix": (prefix, path) => ky(path, { prefix }),
  gaxios: (baseURL, url) => new Gaxios({ baseURL }).request({ url }),
  "openapi-fetch": (baseUrl, path) => createClient({ baseUrl }).GET(path),
  wretch: (base, path) => wretch(base).get(path).res(),
  got: (prefixUrl, path) => got(path, { prefixUrl }),
  axios: (baseURL, path) => axios.create({ baseURL }).get(path),
  ofetch: (baseURL, path) => ofetch(path, { baseURL }),
  "up-fetch": (baseUrl, path) => up(fetch, () => ({ baseUrl }))(path),
  "@better-fetch/fetch": (baseURL, path) => createFetch({ baseURL, throw: true })(path),
  xior: (baseURL, path) => xior.create({ baseURL }).get(path),
};
for (const [name, get] of Object.entries(clients)) {
  const seen = [];
  for (const [base, path] of [["/v1", "/tools"], ["/v1", "tools"], ["/v1/", "/tools"], ["/v1/", "tools"]]) {
    sent = "an error";
    await Promise.resolve().then(() => get(`${origin}${base}`, path)).catch(() => {});
    seen.push(`${base} and ${path}: ${sent}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'new URL: /v1 and /tools: /tools, /v1 and tools: /tools, /v1/ and /tools: /tools, /v1/ and tools: /v1/tools
ky baseUrl: /v1 and /tools: /tools, /v1 and tools: /tools, /v1/ and /tools: /tools, /v1/ and tools: /v1/tools
ky prefix: /v1 and /tools: /v1/tools, /v1 and tools: /v1/tools, /v1/ and /tools: /v1/tools, /v1/ and tools: /v1/tools
gaxios: /v1 and /tools: /tools, /v1 and tools: /tools, /v1/ and /tools: /tools, /v1/ and tools: /v1/tools
openapi-fetch: /v1 and /tools: /v1/tools, /v1 and tools: /v1tools, /v1/ and /tools: /v1/tools, /v1/ and tools: /v1tools
wretch: /v1 and /tools: /v1/tools, /v1 and tools: /v1tools, /v1/ and /tools: /v1//tools, /v1/ and tools: /v1/tools
got: /v1 and /tools: an error, /v1 and tools: /v1/tools, /v1/ and /tools: an error, /v1/ and tools: /v1/tools
axios: /v1 and /tools: /v1/tools, /v1 and tools: /v1/tools, /v1/ and /tools: /v1/tools, /v1/ and tools: /v1/tools
ofetch: /v1 and /tools: /v1/tools, /v1 and tools: /v1/tools, /v1/ and /tools: /v1/tools, /v1/ and tools: /v1/tools
up-fetch: /v1 and /tools: /v1/tools, /v1 and tools: /v1/tools, /v1/ and /tools: /v1/tools, /v1/ and tools: /v1/tools
@better-fetch/fetch: /v1 and /tools: /v1/tools, /v1 and tools: /v1/tools, /v1/ and /tools: /v1/tools, /v1/ and tools: /v1/tools
xior: /v1 and /tools: /v1/tools, /v1 and tools: /v1/tools, /v1/ and /tools: /v1/tools, /v1/ and tools: /v1/tools' ]
