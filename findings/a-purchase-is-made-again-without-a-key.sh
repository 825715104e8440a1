#!/usr/bin/env bash
# A payment, a contract, a subscription or a message is made by eleven clients of payment services and of queues, with their defaults. The service answers 503, or the connection breaks when it has read the request. How often is it made?
# Expected: once, or several times with one Idempotency-Key for all, since nobody knows whether the first was carried out.
# Seen on 2026-11-29: dodopayments 2.52.0 makes a payment three times and @metronome/sdk 3.10.0 a contract, after either, with no key of any kind. After a broken connection recurly 4.81.0 makes a purchase twice and @upstash/qstash 2.12.0 publishes a message
# six times, with none either. svix 2.5.0 and stripe 23.1.0 send three, with one key. gocardless-nodejs 10.1.2, creem 1.13.0, @paddle/paddle-node-sdk 3.10.0, razorpay 2.9.8 and chargebee 3.33.0 send one. `maxRetries: 0` stops
# the first two.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps dodopayments@2.52.0 @metronome/sdk@3.10.0 recurly@4.81.0 \
  @upstash/qstash@2.12.0 svix@2.5.0 stripe@23.1.0 gocardless-nodejs@10.1.2 creem@1.13.0 @paddle/paddle-node-sdk@3.10.0 razorpay@2.9.8 chargebee@3.33.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import http, { createServer } from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { Paddle } from "@paddle/paddle-node-sdk";
import Metronome from "@metronome/sdk";
import { Client } from "@upstash/qstash";
import { Creem } from "creem";
import Dodo from "dodopayments";
import Stripe from "stripe";
import { Svix } from "svix";
let closes;
let requests = [];
const server = createServer(async (request, response) => {
  const { headers } = request;
  requests.push(headers["idempotency-key"] ?? headers["chargebee-idempotency-key"]);
  await request.toArray();
  if (closes) return request.socket.destroy();
  response.writeHead(503, { "content-type": "application/json" }).end('{"error":{"code":"unavailable","message":"Try again later."}}');
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address();
const baseURL = `http://127.0.0.1:${port}`;
// clients without an option for the address reach the server too
const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  return fetch(`${baseURL}${url.pathname}`, input instanceof Request ? { method: input.method, headers: input.headers, body: "{}" } : init);
};
https.request = (...args) => {
  const [first, second] = args;
  const { path, method, headers } = first instanceof URL ? { ...second, path: `${first.pathname}${first.search}` } : first;
  return http.request({ host: "127.0.0.1", port, path, method, headers }, args.find((each) => typeof each === "function"));
};
syncBuiltinESMExports();
const { default: Chargebee } = await import("chargebee");
const { default: gocardless } = await import("gocardless-nodejs");
const { default: Razorpay } = await import("razorpay");
const { default: recurly } = await import("recurly");
const clients = {
  "dodopayments payments.create": () => new Dodo({ bearerToken: "x", baseURL }).payments.create({ billing: { country: "DE" }, customer: { customer_id: "c" }, product_cart: [{ product_id: "p", quantity: 1 }] }),
  "@metronome/sdk contracts.create": () => new Metronome({ bearerToken: "x", baseURL }).v1.contracts.create({ customer_id: "c", starting_at: "2026-01-01T00:00:00Z" }),
  "recurly createPurchase": () => new recurly.Client("key").createPurchase({ currency: "EUR", account: { code: "a" } }),
  "@upstash/qstash publishJSON": () => new Client({ token: "x", baseUrl: baseURL }).publishJSON({ url: "https://example.com", body: {} }),
  "svix message.create": () => new Svix("testsk_x.eu", { serverUrl: baseURL }).message.create("app", { eventType: "paid", payload: {} }),
  "stripe paymentIntents.create": () => new Stripe("sk_test_x", { host: "127.0.0.1", port, protocol: "http" }).paymentIntents.create({ amount: 100, currency: "eur" }),
  "gocardless-nodejs payments.create": () => (gocardless.default ?? gocardless)("token", "SANDBOX").payments.create({ amount: 100, currency: "EUR", links: { mandate: "MD1" } }),
  "creem checkouts.create": () => new Creem({ apiKey: "x", serverURL: baseURL }).checkouts.create({ productId: "p" }),
  "@paddle/paddle-node-sdk transactions.create": () => new Paddle("pdl_sdbx_apikey_x").transactions.create({ items: [{ priceId: "pri_1", quantity: 1 }] }),
  "razorpay orders.create": () => new Razorpay({ key_id: "k", key_secret: "s" }).orders.create({ amount: 100, currency: "INR" }),
  "chargebee subscription.create": () => new Chargebee({ site: "t", apiKey: "k" }).subscription.createWithItems("c", { subscription_items: [{ item_price_id: "p" }] }),
};
for (const [name, make] of Object.entries(clients)) {
  const seen = [];
  for (closes of [false, true]) {
    requests = [];
    await Promise.resolve().then(make).catch(() => {});
    const keys = new Set(requests);
    seen.push(`${closes ? "closed" : 503}: ${requests.length === 1 ? "once" : `${requests.length} times`}${requests.length > 1 ? (keys.size > 1 ? ", other keys" : keys.has(undefined) ? ", no key" : ", one key") : ""}`);
  }
  console.log(`${name}: ${seen.join("; ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'dodopayments payments.create: 503: 3 times, no key; closed: 3 times, no key
@metronome/sdk contracts.create: 503: 3 times, no key; closed: 3 times, no key
recurly createPurchase: 503: once; closed: 2 times, no key
@upstash/qstash publishJSON: 503: once; closed: 6 times, no key
svix message.create: 503: 3 times, one key; closed: 3 times, one key
stripe paymentIntents.create: 503: 3 times, one key; closed: 3 times, one key
gocardless-nodejs payments.create: 503: once; closed: once
creem checkouts.create: 503: once; closed: once
@paddle/paddle-node-sdk transactions.create: 503: once; closed: once
razorpay orders.create: 503: once; closed: once
chargebee subscription.create: 503: once; closed: once' ]
