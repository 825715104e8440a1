#!/usr/bin/env bash
# A response of 20,000 lines with `Content-Encoding: gzip`, of which half of the bytes arrive before the response is ended properly, as when
# a proxy or a cache in between has kept a cut copy.
# Expected: an error, because gzip ends with a checksum and a length, and both are missing.
# Seen on 2026-11-29 with Node 24.21.0: fetch, axios 1.21.1, node-fetch 3.3.2, superagent 10.4.2 and needle 3.5.0 return the first half as if it were the
# response. got 16.1.0 and undici 8.13.1 with its `decompress` interceptor reject. An export of usage in lines (NDJSON, CSV) is
# then read without its last lines, so whoever adds it up needs a count or a last line to look for.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 got@16.1.0 node-fetch@3.3.2 superagent@10.4.2 needle@3.5.0 undici@8.13.1 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import axios from "axios";
import got from "got";
import needle from "needle";
import nodeFetch from "node-fetch";
import superagent from "superagent";
import { Agent, interceptors, request } from "undici";
const whole = Array.from({ length: 20_000 }, (_, line) => `{"call":${line},"credits":${(line * 7919) % 1013}}`).join("\n");
const packed = gzipSync(whole);
const server = createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
  response.end(packed.subarray(0, packed.length / 2));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
const clients = {
  fetch: async () => (await fetch(url)).text(),
  axios: async () => (await axios.get(url)).data,
  "node-fetch": async () => (await nodeFetch(url)).text(),
  superagent: async () => (await superagent.get(url)).text,
  needle: async () => (await needle("get", url, { compressed: true })).body.toString(),
  got: async () => (await got(url, { retry: { limit: 0 } })).body,
  undici: async () => (await request(url, { dispatcher: new Agent().compose(interceptors.decompress()) })).body.text(),
};
for (const [name, read] of Object.entries(clients)) {
  const seen = await read().then((text) => (text.length < whole.length && whole.startsWith(text) ? "a part, no error" : "whole"), () => "rejects");
  console.log(`${name}: ${seen}`);
}
process.exit();
JS
seen=$("$node" --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'fetch: a part, no error
axios: a part, no error
node-fetch: a part, no error
superagent: a part, no error
needle: a part, no error
got: rejects
undici: rejects' ]
