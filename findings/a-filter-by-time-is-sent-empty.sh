#!/usr/bin/env bash
# A list of calls is asked for with `{ since: <a Date> }`, and with `{ page: null }` and `{ page: undefined }`, by thirteen HTTP clients that take the query as an object. What is sent?
# Expected: the time as toISOString() writes it, or an error; and nothing for undefined.
# Seen on 2026-11-29: `query` of undici 8.13.1 and `data` of urllib 4.9.1 send `since=`, so the filter is lost and the answer is the whole list. ofetch 1.5.1 and @better-fetch/fetch 1.3.3 send the time in quotes; ky 2.1.0, gaxios 8.3.3 and wretch 3.0.9 as
# "Sun Nov 01 2026 …" in the words and the zone of the process. axios 1.21.1, superagent 10.4.2, xior 0.8.5 and up-fetch 2.6.1 send ISO, got 16.1.0 throws. null is nothing, an empty text, a name alone or the word null; for
# undefined undici, urllib and wretch send `page=`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ky@2.1.0 got@16.1.0 axios@1.21.1 ofetch@1.5.1 superagent@10.4.2 gaxios@8.3.3 xior@0.8.5 \
  up-fetch@2.6.1 @better-fetch/fetch@1.3.3 undici@8.13.1 wretch@3.0.9 urllib@4.9.1
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { betterFetch } from "@better-fetch/fetch";
import axios from "axios";
import { request as gaxios } from "gaxios";
import got from "got";
import ky from "ky";
import { ofetch } from "ofetch";
import superagent from "superagent";
import { request as undici } from "undici";
import { up } from "up-fetch";
import { request as urllib } from "urllib";
import wretch from "wretch";
import QueryStringAddon from "wretch/addons/queryString";
import xior from "xior";
let sent;
const server = createServer(({ url }, response) => {
  sent = decodeURIComponent(url).slice(1);
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
const clients = {
  ky: (query) => ky(url, { searchParams: query }),
  got: (query) => got(url, { searchParams: query }),
  axios: (query) => axios.get(url, { params: query }),
  ofetch: (query) => ofetch(url, { query }),
  superagent: (query) => superagent.get(url).query(query),
  gaxios: (query) => gaxios({ url, params: query }),
  xior: (query) => xior.get(url, { params: query }),
  "up-fetch": (query) => up(fetch)(url, { params: query }),
  "@better-fetch/fetch": (query) => betterFetch(url, { query }),
  undici: (query) => undici(url, { query }),
  wretch: (query) => wretch(url).addon(QueryStringAddon).query(query).get().res(),
  urllib: (query) => urllib(url, { data: query, method: "GET" }),
};
const since = new Date("2026-11-01T00:00:00Z");
for (const [name, get] of Object.entries(clients)) {
  const seen = [];
  for (const query of [{ since }, { page: null }, { page: undefined }]) {
    sent = "no request";
    const error = await Promise.resolve().then(() => get(query)).then(() => undefined, (error) => error);
    seen.push(error ? "an error" : sent.replace(/=Sun\+Nov.*/, "=Sun Nov …").replace(/^\?$/, "") || "nothing");
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'ky: ?since=Sun Nov …, ?page=null, nothing
got: an error, ?page=, nothing
axios: ?since=2026-11-01T00:00:00.000Z, nothing, nothing
ofetch: ?since="2026-11-01T00:00:00.000Z", ?page, nothing
superagent: ?since=2026-11-01T00:00:00.000Z, ?page, nothing
gaxios: ?since=Sun Nov …, ?page=null, nothing
xior: ?since=2026-11-01T00:00:00.000Z, nothing, nothing
up-fetch: ?since=2026-11-01T00:00:00.000Z, ?page=null, nothing
@better-fetch/fetch: ?since="2026-11-01T00:00:00.000Z", nothing, nothing
undici: ?since=, ?page=, ?page=
wretch: ?since=Sun Nov …, ?page=, ?page=
urllib: ?since=, ?page=, ?page=' ]
