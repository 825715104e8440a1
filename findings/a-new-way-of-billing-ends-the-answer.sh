#!/usr/bin/env bash
# A service adds a status or a way of billing, and a program has the client of before. Eight clients of billing and of keys read an object that has it.
# Expected: the object, with the new word as a text: answers grow, and an if or a switch of the program has its own end.
# Seen on 2026-11-29: creem 1.13.0 throws ResponseValidationError for a product whose `billing_type` it does not know, so the product cannot be read at all, and nor can a list with it. Its generator has an option for open enums, which
# @unkey/api 2.5.1 and autumn-js 1.3.13 use: they return the text, as stripe 23.1.0, @polar-sh/sdk 1.0.1, @paddle/paddle-node-sdk 3.10.0, dodopayments 2.52.0 and orb-billing 6.11.0 do.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts creem@1.13.0 @unkey/api@2.5.1 autumn-js@1.3.13 stripe@23.1.0 @polar-sh/sdk@1.0.1 \
  @paddle/paddle-node-sdk@3.10.0 dodopayments@2.52.0 orb-billing@6.11.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { Paddle } from "@paddle/paddle-node-sdk";
import { createPolar } from "@polar-sh/sdk/2026-10";
import { Unkey } from "@unkey/api";
import { Autumn } from "autumn-js";
import { Creem } from "creem";
import Dodo from "dodopayments";
import Orb from "orb-billing";
import Stripe from "stripe";
let answer;
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address();
const url = `http://127.0.0.1:${port}`;
const time = "2026-11-29T10:00:00Z";
const subscription = { id: "1", object: "subscription", status: "resting" };
const product = { id: "1", mode: "test", object: "product", name: "Credits", description: "Credits", price: 100, currency: "EUR", status: "active" };
Object.assign(product, { billing_period: "every-month", tax_mode: "inclusive", tax_category: "saas", created_at: time, updated_at: time });
const paddle = { ...subscription, customer_id: "1", address_id: "1", currency_code: "EUR", created_at: time, updated_at: time, items: [], billing_cycle: { interval: "month", frequency: 1 } };
const customer = { id: "1", name: null, email: null, created_at: 0, fingerprint: null, stripe_id: null, metadata: {}, send_email_receipts: false, billing_controls: {} };
Object.assign(customer, { subscriptions: [], purchases: [], licenses: [], balances: {}, flags: {} });
const clients = {
  "creem, a known one": [{ ...product, billing_type: "recurring" }, () => new Creem({ apiKey: "key", serverURL: url }).products.get("1"), "billingType"],
  creem: [{ ...product, billing_type: "resting" }, () => new Creem({ apiKey: "key", serverURL: url }).products.get("1"), "billingType"],
  "@unkey/api": [
    { meta: { requestId: "1" }, data: { valid: false, code: "resting" } },
    async () => (await new Unkey({ rootKey: "key", serverURL: url }).keys.verifyKey({ key: "key" })).data,
    "code",
  ],
  "autumn-js": [{ ...customer, env: "resting" }, () => new Autumn({ secretKey: "key", serverURL: url }).customers.getOrCreate({ customerId: "1" }), "env"],
  stripe: [subscription, () => new Stripe("key", { host: "127.0.0.1", port, protocol: "http" }).subscriptions.retrieve("1"), "status"],
  "@polar-sh/sdk": [subscription, () => createPolar({ accessToken: "key", baseUrl: url }).subscriptions.get("1"), "status"],
  "@paddle/paddle-node-sdk": [{ data: paddle }, () => new Paddle("key", { environment: url }).subscriptions.get("1"), "status"],
  dodopayments: [subscription, () => new Dodo({ bearerToken: "key", baseURL: url }).subscriptions.retrieve("1"), "status"],
  "orb-billing": [subscription, () => new Orb({ apiKey: "key", baseURL: url }).subscriptions.fetch("1"), "status"],
};
for (const [name, [object, read, field]] of Object.entries(clients)) {
  answer = object;
  console.log(`${name}: ${await read().then((result) => result[field], (error) => error.name)}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'creem, a known one: recurring
creem: ResponseValidationError
@unkey/api: resting
autumn-js: resting
stripe: resting
@polar-sh/sdk: resting
@paddle/paddle-node-sdk: resting
dodopayments: resting
orb-billing: resting' ]
