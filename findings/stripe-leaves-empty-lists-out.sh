#!/usr/bin/env bash
# stripe 23.1.0: an update with an empty list or an empty object, to take all tax rates and all metadata away.
# Expected: something is sent that says so, since both types accept it. Seen on 2026-11-29: neither is in the request, and Stripe leaves what
# is not named as it is: the call succeeds, and the tax rates stay. The empty text and `null` clear. And a Date in
# metadata is sent as seconds, as a Date is everywhere, while metadata are texts that come back as sent.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts stripe@23.1.0
cat > seen.mjs <<'JS'
import Stripe from "stripe";
let sent;
const fetchOnce = async (_, { body }) => {
  sent = decodeURIComponent(body ?? "");
  return new Response("{}", { headers: { "content-type": "application/json" } });
};
const stripe = new Stripe("sk_test_x", { httpClient: Stripe.createFetchHttpClient(fetchOnce) });
const updates = [
  { default_tax_rates: [] },
  { metadata: {} },
  { default_tax_rates: [], metadata: {}, description: "new" },
  { default_tax_rates: "", metadata: "" },
  { default_tax_rates: null },
  { metadata: { since: new Date("2026-11-29T00:00:00Z") } },
];
for (const update of updates) {
  await stripe.subscriptions.update("sub_1", update);
  console.log(`${JSON.stringify(update)}: ${sent === "" ? "nothing" : sent}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '{"default_tax_rates":[]}: nothing
{"metadata":{}}: nothing
{"default_tax_rates":[],"metadata":{},"description":"new"}: description=new
{"default_tax_rates":"","metadata":""}: default_tax_rates=&metadata=
{"default_tax_rates":null}: default_tax_rates=
{"metadata":{"since":"2026-11-29T00:00:00.000Z"}}: metadata[since]=1795910400' ]
