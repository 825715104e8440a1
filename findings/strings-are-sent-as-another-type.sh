#!/usr/bin/env bash
# A string, the Markdown text `# Hi`, is posted without a Content-Type by eleven HTTP clients. Which type does the request say?
# Expected: text/plain, as the standard of fetch has it for strings, or none.
# Seen on 2026-11-29: ofetch 1.5.1, @better-fetch/fetch 1.3.3 and xior 0.8.5 send it as application/json, which it is not, so a strict server answers 400. axios 1.21.1, superagent 10.4.2
# and needle 3.5.0 send it as a form, in which it is a field named `# Hi` without a value. got 16.1.0 names no type. ky 2.1.0, up-fetch 2.6.1, gaxios 8.3.3 and
# wretch 3.0.9 send text/plain.
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
let type;
const server = createServer(({ headers }, response) => {
  type = headers["content-type"];
  response.end();
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
const text = "# Hi";
const clients = {
  ofetch: () => ofetch(url, { method: "POST", body: text }),
  "@better-fetch/fetch": () => betterFetch(url, { method: "POST", body: text }),
  xior: () => xior.post(url, text),
  axios: () => axios.post(url, text),
  superagent: () => superagent.post(url).send(text),
  needle: () => needle("post", url, text),
  got: () => got.post(url, { body: text }),
  ky: () => ky.post(url, { body: text }),
  "up-fetch": () => up(fetch)(url, { method: "POST", body: text }),
  gaxios: () => request({ url, method: "POST", data: text }),
  wretch: () => wretch(url).post(text).res(),
};
for (const [name, post] of Object.entries(clients)) {
  await post();
  console.log(`${name}: ${type ?? "no type"}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'ofetch: application/json
@better-fetch/fetch: application/json
xior: application/json
axios: application/x-www-form-urlencoded
superagent: application/x-www-form-urlencoded
needle: application/x-www-form-urlencoded
got: no type
ky: text/plain;charset=UTF-8
up-fetch: text/plain;charset=UTF-8
gaxios: text/plain;charset=UTF-8
wretch: text/plain;charset=UTF-8' ]
