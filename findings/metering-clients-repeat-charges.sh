#!/usr/bin/env bash
# A POST that spends credits or starts a paid run is answered with 503. Do the official clients send it again by themselves?
# Expected: not without an idempotency key, since the first request may have been carried out before the answer was lost.
# Seen on 2026-11-28, with the clients' default options, in six seconds: @unkey/api 2.5.1 `keys.verifyKey` with a cost of one credit sends the same
# request at least three times, apify-client 2.25.0 `actor.start()` too (it announces nine attempts), both without a key of any
# kind. orb-billing 6.11.0 sends three, all with one Idempotency-Key; openmeter and lago send one and throw.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @unkey/api@2.5.1 apify-client@2.25.0 orb-billing@6.11.0 \
  @openmeter/sdk@1.0.0-beta.232 lago-javascript-client@1.53.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { OpenMeter } from "@openmeter/sdk";
import { Unkey } from "@unkey/api";
import { ApifyClient } from "apify-client";
import { Client } from "lago-javascript-client";
import Orb from "orb-billing";
const requests = {};
const server = createServer((request, response) => {
  const client = request.url.split("/")[1];
  (requests[client] ??= []).push(request.headers["idempotency-key"] ?? null);
  request.resume();
  response.writeHead(503, { "content-type": "application/json" }).end('{"message":"unavailable"}');
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const at = (client) => `http://127.0.0.1:${server.address().port}/${client}`;
const event = { event_name: "call", idempotency_key: "1", timestamp: new Date().toISOString(), external_customer_id: "c", properties: {} };
const clients = {
  unkey: () => new Unkey({ rootKey: "x", serverURL: at("unkey") }).keys.verifyKey({ key: "k", credits: { cost: 1 } }),
  apify: () => new ApifyClient({ token: "x", baseUrl: at("apify") }).actor("me/x").start({ a: 1 }),
  orb: () => new Orb({ apiKey: "x", baseURL: at("orb") }).events.ingest({ events: [event] }),
  openmeter: () => new OpenMeter({ baseUrl: at("openmeter"), apiKey: "x" }).events.ingest({ type: "call", subject: "c", data: {} }),
  lago: () => Client("x", { baseUrl: at("lago") }).events.createEvent({ event: { transaction_id: "1", external_subscription_id: "s", code: "c" } }),
};
for (const call of Object.values(clients)) call().catch(() => {});
await new Promise((resolve) => setTimeout(resolve, 6_000));
for (const client of Object.keys(clients)) {
  const sent = requests[client] ?? [];
  const keys = new Set(sent);
  const key = keys.has(null) ? "no key" : `${keys.size} key`;
  console.log(`${client}: ${sent.length > 2 ? "three or more" : sent.length}, ${key}`);
}
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null | grep -E '^(unkey|apify|orb|openmeter|lago): ')
echo "$seen"
[ "$seen" = 'unkey: three or more, no key
apify: three or more, no key
orb: three or more, 1 key
openmeter: 1, no key
lago: 1, no key' ]
