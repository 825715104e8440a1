#!/usr/bin/env bash
# A part of a payment is refunded, and its amount comes out of a calculation that went wrong: NaN, null or undefined. What do five clients of payment services send?
# Expected: an error before anything is sent, for NaN at least: for most of these services an amount that is not there means the whole payment.
# Seen on 2026-11-30: razorpay 2.9.8, dodopayments 2.52.0 and @paddle/paddle-node-sdk 3.10.0 write JSON, in which NaN is null, so the service cannot tell it from no amount. stripe 23.1.0 sends `amount=NaN`, which Stripe refuses, and
# for null an empty `amount=`. undefined is left out by all. square 46.0.0, which wants a bigint, throws for NaN and takes null and undefined. Whoever refunds has to check the number himself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps razorpay@2.9.8 dodopayments@2.52.0 @paddle/paddle-node-sdk@3.10.0 stripe@23.1.0 square@46.0.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { Paddle } from "@paddle/paddle-node-sdk";
import DodoPayments from "dodopayments";
import Razorpay from "razorpay";
import { SquareClient } from "square";
import Stripe from "stripe";
let sent;
const server = createServer(async (request, response) => {
  sent = "";
  for await (const chunk of request) sent += chunk;
  response.writeHead(200, { "content-type": "application/json" }).end('{"id":"re_1","data":{}}');
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address();
const url = `http://127.0.0.1:${port}`;
const razorpay = new Razorpay({ key_id: "key", key_secret: "secret" });
razorpay.api.rq.defaults.baseURL = url;
const clients = {
  razorpay: (amount) => razorpay.payments.refund("pay_1", { amount }),
  dodopayments: (amount) => new DodoPayments({ bearerToken: "key", baseURL: url }).refunds.create({ payment_id: "pay_1", items: [{ item_id: "item_1", amount }] }),
  "@paddle/paddle-node-sdk": (amount) => new Paddle("key", { environment: url }).adjustments.create({ action: "refund", transactionId: "txn_1", reason: "error", items: [{ itemId: "item_1", type: "partial", amount }] }),
  stripe: (amount) => new Stripe("key", { host: "127.0.0.1", port, protocol: "http" }).refunds.create({ payment_intent: "pi_1", amount }),
  square: (amount) => new SquareClient({ token: "key", environment: url }).refunds.refundPayment({ idempotencyKey: "key", paymentId: "pay_1", amountMoney: { amount, currency: "USD" } }),
};
for (const [name, refund] of Object.entries(clients)) {
  const seen = [];
  for (const amount of [Number.NaN, null, undefined]) {
    sent = undefined;
    await Promise.resolve().then(() => refund(amount)).catch(() => {});
    seen.push(`${amount}: ${sent?.match(/"amount":[^,}]*|amount=[^&]*/)?.[0] ?? (sent === undefined ? "an error" : "no amount")}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'razorpay: NaN: "amount":null, null: "amount":null, undefined: no amount
dodopayments: NaN: "amount":null, null: "amount":null, undefined: no amount
@paddle/paddle-node-sdk: NaN: "amount":null, null: "amount":null, undefined: no amount
stripe: NaN: amount=NaN, null: amount=, undefined: no amount
square: NaN: an error, null: "amount":null, undefined: no amount' ]
