#!/usr/bin/env bash
# An address with a query and a fragment of its own, `/search?account=7#top`, is called with one more parameter in the client's options. What is sent?
# Expected: both parameters, `?account=7&page=2`, and no fragment.
# Seen on 2026-11-29: got 16.1.0 drops the query of the address, so the request is made for all accounts. With a fragment up-fetch 2.6.1 and xior 0.8.5 write the new parameter behind it, where
# it is not sent, and @better-fetch/fetch 1.3.3 makes the fragment a part of the value: `account=7#top`. For a name that is in both, ofetch 1.5.1 and
# @better-fetch/fetch replace the value, the others send both. gaxios 8.3.3, superagent 10.4.2, ky 2.1.0 and axios 1.21.1 add to the address.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 up-fetch@2.6.1 @better-fetch/fetch@1.3.3 gaxios@8.3.3 xior@0.8.5 ofetch@1.5.1 \
  superagent@10.4.2 ky@2.1.0 got@16.1.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { betterFetch } from "@better-fetch/fetch";
import axios from "axios";
import { request } from "gaxios";
import got from "got";
import ky from "ky";
import { ofetch } from "ofetch";
import superagent from "superagent";
import { up } from "up-fetch";
import xior from "xior";
let sent;
const server = createServer(({ url }, response) => {
  sent = decodeURIComponent(url);
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const clients = {
  got: (url, query) => got(url, { searchParams: query }),
  "up-fetch": (url, query) => up(fetch)(url, { params: query }),
  "@better-fetch/fetch": (url, query) => betterFetch(url, { query }),
  gaxios: (url, query) => request({ url, params: query }),
  xior: (url, query) => xior.get(url, { params: query }),
  ofetch: (url, query) => ofetch(url, { query }),
  superagent: (url, query) => superagent.get(url).query(query),
  ky: (url, query) => ky(url, { searchParams: query }),
  axios: (url, query) => axios.get(url, { params: query }),
};
for (const [name, get] of Object.entries(clients)) {
  const seen = [];
  for (const [path, query] of [["/?account=7", { page: 2 }], ["/?account=7#top", { page: 2 }], ["/?page=1", { page: 2 }]]) {
    await get(`http://127.0.0.1:${server.address().port}${path}`, query);
    seen.push(sent);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'got: /?page=2, /?page=2, /?page=2
up-fetch: /?account=7&page=2, /?account=7, /?page=1&page=2
@better-fetch/fetch: /?account=7&page=2, /?account=7#top&page=2, /?page=2
gaxios: /?account=7&page=2, /?account=7&page=2, /?page=1&page=2
xior: /?account=7&page=2, /?account=7, /?page=1&page=2
ofetch: /?account=7&page=2, /?account=7&page=2, /?page=2
superagent: /?account=7&page=2, /?account=7&page=2, /?page=1&page=2
ky: /?account=7&page=2, /?account=7&page=2, /?page=1&page=2
axios: /?account=7&page=2, /?account=7&page=2, /?page=1&page=2' ]
