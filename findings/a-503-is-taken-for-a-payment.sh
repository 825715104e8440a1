#!/usr/bin/env bash
# stripe 23.1.0 makes a payment, a refund and an entry of usage. Something in between, a proxy of the company or the edge of a network, answers 503 or 403 with JSON of its own, which has no member `error`.
# Expected: an error, since the status is one; for HTML and for JSON with `error` there is one.
# Seen on 2026-11-29: the call succeeds. The library looks at `error` in the body and not at the status, so the proxy's JSON is returned as the PaymentIntent, without an id and without a status; a program that writes "paid" or "refunded" when nothing is thrown
# writes it for nothing. With an update of usage nothing is there to look at anyway. `result.lastResponse.statusCode` has the status.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts stripe@23.1.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import Stripe from "stripe";
let answer;
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(answer.status, { "content-type": answer.type ?? "application/json", "stripe-should-retry": "false" }).end(answer.body);
});
await once(server.listen(0, "127.0.0.1"), "listening");
const stripe = new Stripe("sk_test_x", { host: "127.0.0.1", port: server.address().port, protocol: "http" });
const calls = {
  "paymentIntents.create": () => stripe.paymentIntents.create({ amount: 500, currency: "eur" }),
  "refunds.create": () => stripe.refunds.create({ payment_intent: "pi_1" }),
  "billing.meterEvents.create": () => stripe.billing.meterEvents.create({ event_name: "calls", payload: { value: "5", stripe_customer_id: "cus_1" } }),
};
const answers = [
  { status: 503, body: '{"message":"no healthy upstream"}' },
  { status: 403, body: '{"message":"forbidden"}' },
  { status: 503, body: "<h1>503</h1>", type: "text/html" },
  { status: 503, body: '{"error":{"message":"Try again later."}}' },
];
for (const [name, call] of Object.entries(calls)) {
  const seen = [];
  for (answer of answers) seen.push(`${answer.status} ${answer.body}: ${await call().then(({ id, lastResponse }) => `succeeds with id ${id}, lastResponse ${lastResponse.statusCode}`, (error) => error.type)}`);
  console.log(`${name}: ${seen.join("; ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'paymentIntents.create: 503 {"message":"no healthy upstream"}: succeeds with id undefined, lastResponse 503; 403 {"message":"forbidden"}: succeeds with id undefined, lastResponse 403; 503 <h1>503</h1>: StripeAPIError; 503 {"error":{"message":"Try again later."}}: StripeAPIError
refunds.create: 503 {"message":"no healthy upstream"}: succeeds with id undefined, lastResponse 503; 403 {"message":"forbidden"}: succeeds with id undefined, lastResponse 403; 503 <h1>503</h1>: StripeAPIError; 503 {"error":{"message":"Try again later."}}: StripeAPIError
billing.meterEvents.create: 503 {"message":"no healthy upstream"}: succeeds with id undefined, lastResponse 503; 403 {"message":"forbidden"}: succeeds with id undefined, lastResponse 403; 503 <h1>503</h1>: StripeAPIError; 503 {"error":{"message":"Try again later."}}: StripeAPIError' ]
