#!/usr/bin/env bash
# An error with a body of type application/problem+json (RFC 9457) and a member `code`. Can ten HTTP clients, with their defaults, tell the code?
# Expected: yes: each reads application/json by itself, and the suffix +json says that this is JSON too.
# Seen on 2026-11-29: gaxios 8.3.3 returns a Blob, undici 8.13.1 `responseError` has an empty text instead of the body, and needle
# 3.5.0 has it as text: they look for "application/json" alone. ky 2.1.0, ofetch 1.5.1, axios 1.21.1, superagent 10.4.2, @better-fetch/fetch 1.3.3, up-fetch 2.6.1
# and xior 0.8.5 read it. With application/json as type all ten do.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts gaxios@8.3.3 undici@8.13.1 needle@3.5.0 ky@2.1.0 ofetch@1.5.1 axios@1.21.1 superagent@10.4.2 \
  @better-fetch/fetch@1.3.3 up-fetch@2.6.1 xior@0.8.5
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { betterFetch } from "@better-fetch/fetch";
import axios from "axios";
import { request as gaxios } from "gaxios";
import ky from "ky";
import needle from "needle";
import { ofetch } from "ofetch";
import superagent from "superagent";
import { Agent, interceptors, request } from "undici";
import { up } from "up-fetch";
import xior from "xior";
const server = createServer(({ url }, response) => {
  response.writeHead(402, { "content-type": `application/${url.slice(1)}` });
  response.end(JSON.stringify({ title: "Payment required", code: "insufficient_credits" }));
});
await once(server.listen(0), "listening");
const dispatcher = new Agent().compose(interceptors.responseError());
const bodies = {
  gaxios: (url) => gaxios({ url, retry: false }).catch(({ response }) => response.data),
  undici: (url) => request(url, { dispatcher }).catch(({ body }) => body),
  needle: async (url) => (await needle("get", url)).body,
  ky: (url) => ky(url, { retry: 0 }).json().catch(({ data }) => data),
  ofetch: (url) => ofetch(url, { retry: 0 }).catch(({ data }) => data),
  axios: (url) => axios(url).catch(({ response }) => response.data),
  superagent: (url) => superagent.get(url).catch(({ response }) => response.body),
  "better-fetch": async (url) => (await betterFetch(url)).error,
  "up-fetch": (url) => up(fetch)(url).catch(({ data }) => data),
  xior: (url) => xior.create().get(url).catch(({ response }) => response.data),
};
const kind = (body) => (typeof body === "string" ? (body === "" ? "empty text" : "text") : (body?.constructor.name ?? "undefined"));
for (const [name, read] of Object.entries(bodies)) {
  const seen = [];
  for (const type of ["json", "problem+json"]) {
    const body = await read(`http://localhost:${server.address().port}/${type}`);
    seen.push(`${type} ${body?.code ?? kind(body)}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'gaxios: json insufficient_credits, problem+json Blob
undici: json insufficient_credits, problem+json empty text
needle: json insufficient_credits, problem+json text
ky: json insufficient_credits, problem+json insufficient_credits
ofetch: json insufficient_credits, problem+json insufficient_credits
axios: json insufficient_credits, problem+json insufficient_credits
superagent: json insufficient_credits, problem+json insufficient_credits
better-fetch: json insufficient_credits, problem+json insufficient_credits
up-fetch: json insufficient_credits, problem+json insufficient_credits
xior: json insufficient_credits, problem+json insufficient_credits' ]
