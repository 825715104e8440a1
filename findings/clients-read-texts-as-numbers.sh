#!/usr/bin/env bash
# A service answers with `Content-Type: text/plain`: an id of 20 digits, the amount 1.10, the word true. What do eleven HTTP clients return, with their defaults, to code that wants the body?
# Expected: the text, since it is declared as text.
# Seen on 2026-11-29: axios 1.21.1, up-fetch 2.6.1, @better-fetch/fetch 1.3.3 and xior 0.8.5 read every body as JSON if they can, whatever its type: the id becomes 12345678901234567000, the
# amount 1.1 and the word a boolean. A text that someone sent comes back as another one. gaxios 8.3.3, ofetch 1.5.1, superagent 10.4.2, needle 3.5.0, ky 2.1.0, got 16.1.0
# and wretch 3.0.9 return the text.
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
const server = createServer(({ url }, response) => response.writeHead(200, { "content-type": "text/plain" }).end(url.slice(1)));
server.listen(0, "127.0.0.1");
await once(server, "listening");
const clients = {
  axios: async (url) => (await axios.get(url)).data,
  "up-fetch": (url) => up(fetch)(url),
  "@better-fetch/fetch": async (url) => (await betterFetch(url)).data,
  gaxios: async (url) => (await request({ url })).data,
  xior: async (url) => (await xior.get(url)).data,
  ofetch: (url) => ofetch(url),
  superagent: async (url) => (await superagent.get(url)).text,
  needle: async (url) => (await needle("get", url)).body,
  ky: (url) => ky(url).text(),
  got: (url) => got(url).text(),
  wretch: (url) => wretch(url).get().text(),
};
for (const [name, get] of Object.entries(clients)) {
  const seen = [];
  for (const text of ["12345678901234567890", "1.10", "true"]) seen.push(await get(`http://127.0.0.1:${server.address().port}/${text}`));
  console.log(`${name}: ${seen.map((body) => JSON.stringify(body)).join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'axios: 12345678901234567000, 1.1, true
up-fetch: 12345678901234567000, 1.1, true
@better-fetch/fetch: 12345678901234567000, 1.1, true
gaxios: "12345678901234567890", "1.10", "true"
xior: 12345678901234567000, 1.1, true
ofetch: "12345678901234567890", "1.10", "true"
superagent: "12345678901234567890", "1.10", "true"
needle: "12345678901234567890", "1.10", "true"
ky: "12345678901234567890", "1.10", "true"
got: "12345678901234567890", "1.10", "true"
wretch: "12345678901234567890", "1.10", "true"' ]
