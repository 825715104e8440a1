#!/usr/bin/env bash
# A list has a second page, which its `Link` header names in forms that RFC 8288 allows: without quotes, as `rel="Next"` (relations have no case), `REL=`, `rel="last next"`, with spaces around the `=`, with a title before. Who finds it?
# Expected: the four readers of the header, and the two clients that go through pages by it.
# Seen on 2026-11-29: parse-link-header 2.0.0, li 1.3.0 and @web3-storage/parse-link-header 3.1.0 do not find `Next`, `REL` and spaces. @octokit/plugin-paginate-rest 16.0.0 finds none of the six, so a list of another server than GitHub's ends
# after its first page without an error. http-link-header 1.1.4 and got 16.1.0 find all.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts parse-link-header@2.0.0 li@1.3.0 @web3-storage/parse-link-header@3.1.0 http-link-header@1.1.4 \
  @octokit/core@7.0.8 @octokit/plugin-paginate-rest@16.0.0 got@16.1.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { Octokit } from "@octokit/core";
import { paginateRest } from "@octokit/plugin-paginate-rest";
import { parseLinkHeader } from "@web3-storage/parse-link-header";
import got from "got";
import httpLinkHeader from "http-link-header";
import li from "li";
import parseLink from "parse-link-header";
let link;
const server = createServer((request, response) => {
  const second = request.url.includes("page=2");
  response.writeHead(200, { "content-type": "application/json", ...(!second && { link }) }).end(second ? "[2]" : "[1]");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const origin = `http://127.0.0.1:${server.address().port}`;
const url = `${origin}/calls?page=2`;
const octokit = new (Octokit.plugin(paginateRest))({ baseUrl: origin });
const readers = {
  "parse-link-header": () => parseLink(link)?.next?.url,
  li: () => li.parse(link).next,
  "@web3-storage/parse-link-header": () => parseLinkHeader(link)?.next?.url,
  "http-link-header": () => httpLinkHeader.parse(link).rel("next")[0]?.uri,
  "@octokit/plugin-paginate-rest": async () => (await octokit.paginate("GET /calls")).length === 2 && url,
  got: async () => (await got.paginate.all(`${origin}/calls`)).length === 2 && url,
};
const forms = ['rel="next"', "rel=next", 'rel="Next"', 'REL="next"', 'rel="last next"', 'rel = "next"', 'title="more"; rel="next"'];
for (const [name, read] of Object.entries(readers)) {
  const missed = [];
  for (const form of forms) {
    link = `<${url}>; ${form}`;
    if ((await read()) !== url) missed.push(form);
  }
  console.log(`${name}: ${missed.length === 0 ? "finds all" : `misses ${missed.join(" and ")}`}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'parse-link-header: misses rel="Next" and REL="next" and rel = "next"
li: misses rel="Next" and REL="next" and rel = "next"
@web3-storage/parse-link-header: misses rel="Next" and REL="next" and rel = "next"
http-link-header: finds all
@octokit/plugin-paginate-rest: misses rel=next and rel="Next" and REL="next" and rel="last next" and rel = "next" and title="more"; rel="next"
got: finds all' ]
