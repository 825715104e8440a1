#!/usr/bin/env bash
# stripe 23.1.0: `unit_amount_decimal` of a price, read with `retrieve()`, in a list of tiers and of currencies, and in an event from `constructEvent()`.
# Expected: one type everywhere, since one function of a program often handles both: TypeScript says Decimal.
# Seen on 2026-11-29: `retrieve()` makes a Decimal, in tiers too, but leaves texts in `currency_options`; an event has texts everywhere. So `price.unit_amount_decimal.mul(2)`
# fails for prices that come by event, and `+` joins texts in all cases: "0.5" and 1 become "0.51".
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts stripe@23.1.0
cat > seen.mjs <<'JS'
import Stripe from "stripe";
const unit_amount_decimal = "0.5";
const object = { id: "price_1", object: "price", unit_amount_decimal, tiers: [{ unit_amount_decimal }], currency_options: { eur: { unit_amount_decimal } } };
const fetchOnce = async () => new Response(JSON.stringify(object), { headers: { "content-type": "application/json" } });
const stripe = new Stripe("sk_test_x", { httpClient: Stripe.createFetchHttpClient(fetchOnce) });
const payload = JSON.stringify({ id: "evt_1", object: "event", type: "price.updated", data: { object } });
const header = stripe.webhooks.generateTestHeaderString({ payload, secret: "whsec_x" });
const prices = { retrieve: await stripe.prices.retrieve("price_1"), event: stripe.webhooks.constructEvent(payload, header, "whsec_x").data.object };
const kind = (value) => (typeof value === "string" ? "text" : typeof value.mul === "function" ? "Decimal" : typeof value);
for (const [name, price] of Object.entries(prices)) {
  const values = [price, price.tiers[0], price.currency_options.eur].map((part) => part.unit_amount_decimal);
  console.log(`${name}: ${values.map(kind).join(", ")}; with 1 added: ${values[0] + 1}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'retrieve: Decimal, Decimal, text; with 1 added: 0.51
event: text, text, text; with 1 added: 0.51' ]
