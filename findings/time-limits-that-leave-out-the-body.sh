#!/usr/bin/env bash
# Nine HTTP clients with a time limit of one second. The head of the response comes at once, its body in pieces over three seconds.
# Expected: each call ends with an error after a second, since the caller waits for the body, not for the head.
# Seen on 2026-11-29: axios 1.21.1 (outside of its fetch adapter), ofetch 1.5.1, needle 3.5.0, undici 8.13.1 (with both its limits) and @anthropic-ai/sdk 1.14.0 return the
# whole body after three seconds: their limit is for the head, or for the pause between two pieces. got 16.1.0, ky 2.1.0, superagent
# 10.4.2 and openai 7.59.0 reject. So two clients of one generator, openai and @anthropic-ai/sdk, mean different things by `timeout`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 got@16.1.0 ky@2.1.0 ofetch@1.5.1 superagent@10.4.2 needle@3.5.0 \
  openai@7.59.0 @anthropic-ai/sdk@1.14.0 undici@8.13.1
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import axios from "axios";
import got from "got";
import ky from "ky";
import needle from "needle";
import { ofetch } from "ofetch";
import OpenAI from "openai";
import superagent from "superagent";
import { request } from "undici";
const server = createServer((_, response) => {
  response.writeHead(200, { "content-type": "application/json" }).write("[0");
  let pieces = 0;
  const timer = setInterval(() => {
    pieces += 1;
    if (pieces <= 15) return response.write(`,${pieces}`);
    clearInterval(timer);
    response.end("]");
  }, 200);
  response.on("close", () => clearInterval(timer));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
const limits = { timeout: 1_000, maxRetries: 0, apiKey: "k", baseURL: url };
const calls = {
  axios: () => axios.get(url, { timeout: 1_000 }),
  ofetch: () => ofetch(url, { timeout: 1_000, retry: 0 }),
  needle: () => needle("get", url, { timeout: 1_000 }),
  undici: async () => (await request(url, { headersTimeout: 1_000, bodyTimeout: 1_000 })).body.text(),
  "@anthropic-ai/sdk": () => new Anthropic(limits).models.list(),
  openai: () => new OpenAI(limits).models.list(),
  got: () => got(url, { timeout: { request: 1_000 }, retry: { limit: 0 } }).json(),
  ky: () => ky(url, { timeout: 1_000, retry: 0 }).json(),
  superagent: () => superagent.get(url).timeout(1_000),
};
const seen = Object.entries(calls).map(async ([name, call]) => `${name}: ${await call().then(() => "the whole body", () => "rejects")}`);
console.log((await Promise.all(seen)).join("\n"));
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'axios: the whole body
ofetch: the whole body
needle: the whole body
undici: the whole body
@anthropic-ai/sdk: the whole body
openai: rejects
got: rejects
ky: rejects
superagent: rejects' ]
