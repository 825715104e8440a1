#!/usr/bin/env bash
# A server answers 429 with `Retry-After: 3600`. Three clients from one generator (Stainless), with a time limit of one second.
# Expected: all behave alike: they throw, since the wait is longer than what the caller gives the call.
# Seen on 2026-11-29: openai 7.59.0 takes waits of more than a minute for none and sends all its three requests within three seconds.
# @anthropic-ai/sdk 1.14.0 and orb-billing 6.11.0 wait for the hour: the time limit counts for each request and not for the waits
# between them, so the call is pending with no request under way. Only a signal of the caller's ends it.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts openai@7.59.0 @anthropic-ai/sdk@1.14.0 orb-billing@6.11.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import Orb from "orb-billing";
const requests = {};
const server = createServer((request, response) => {
  const client = request.url.split("/")[1];
  requests[client] = (requests[client] ?? 0) + 1;
  request.resume();
  response.writeHead(429, { "content-type": "application/json", "retry-after": "3600" }).end("{}");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const options = (client) => ({ apiKey: "x", baseURL: `http://127.0.0.1:${server.address().port}/${client}`, timeout: 1_000, maxRetries: 2 });
const calls = {
  openai: new OpenAI(options("openai")).models.list(),
  anthropic: new Anthropic(options("anthropic")).models.list(),
  orb: new Orb(options("orb")).plans.list(),
};
const states = {};
for (const [client, call] of Object.entries(calls)) {
  states[client] = "pending";
  call.then(() => {}, (error) => (states[client] = String(error.status)));
}
await new Promise((resolve) => setTimeout(resolve, 8_000));
for (const client of Object.keys(calls)) console.log(`${client}: ${requests[client]} requests, ${states[client]}`);
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'openai: 3 requests, 429
anthropic: 1 requests, pending
orb: 1 requests, pending' ]
