#!/usr/bin/env bash
# The quota of the month is used up: 429 with `Retry-After: 2592000`, thirty days. Seven clients that read the header, with their defaults; axios-retry is told to try again after 429.
# Expected: an error, or a wait; not another request at once, which is the one thing that the header asks not to do.
# Seen on 2026-11-30: @anthropic-ai/sdk 1.14.0, orb-billing 6.11.0, @metronome/sdk 3.10.0, dodopayments 2.52.0 and cloudflare 7.3.0 (all from Stainless) and axios-retry 4.5.0 hand the time to a timer of Node, which takes at most 24.8 days
# and fires after a millisecond when it gets more: all their tries are used up within a moment, against a service that asked for a month of rest. With an hour the first two wait for it. got 16.1.0, ky 2.1.0 and undici 8.13.1 RetryAgent send one request.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @anthropic-ai/sdk@1.14.0 orb-billing@6.11.0 @metronome/sdk@3.10.0 dodopayments@2.52.0 cloudflare@7.3.0 axios@1.21.1 axios-retry@4.5.0 got@16.1.0 ky@2.1.0 undici@8.13.1
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import Metronome from "@metronome/sdk";
import axios from "axios";
import axiosRetry from "axios-retry";
import Cloudflare from "cloudflare";
import DodoPayments from "dodopayments";
import got from "got";
import ky from "ky";
import Orb from "orb-billing";
import { Agent, RetryAgent, request } from "undici";
const retrying = axios.create();
axiosRetry(retrying, { retryCondition: ({ response }) => response?.status === 429 });
const clients = {
  "@anthropic-ai/sdk": (url) => new Anthropic({ apiKey: "key", baseURL: url }).models.list(),
  "orb-billing": (url) => new Orb({ apiKey: "key", baseURL: url }).plans.list(),
  "@metronome/sdk": (url) => new Metronome({ bearerToken: "key", baseURL: url }).v1.customers.list(),
  dodopayments: (url) => new DodoPayments({ bearerToken: "key", baseURL: url }).payments.list(),
  cloudflare: (url) => new Cloudflare({ apiToken: "key", baseURL: url }).zones.list(),
  "axios-retry": (url) => retrying.get(url),
  got: (url) => got(url),
  ky: (url) => ky(url),
  undici: (url) => request(url, { dispatcher: new RetryAgent(new Agent()) }),
};
for (const [name, ask] of Object.entries(clients)) {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(429, { "retry-after": "2592000", "content-type": "application/json" }).end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  await Promise.race([ask(`http://127.0.0.1:${server.address().port}`).then(() => {}, () => {}), wait(3000)]);
  console.log(`${name}: ${requests} requests`);
}
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = '@anthropic-ai/sdk: 3 requests
orb-billing: 3 requests
@metronome/sdk: 3 requests
dodopayments: 3 requests
cloudflare: 3 requests
axios-retry: 4 requests
got: 1 requests
ky: 1 requests
undici: 1 requests' ]
