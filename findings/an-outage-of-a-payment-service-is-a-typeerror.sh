#!/usr/bin/env bash
# A payment is made by nine clients of payment services. What answers is a proxy before the service, 503 with a page of HTML; or the connection breaks.
# Expected: an Error with the status 503, and one that says that the connection broke: a program has to tell "try later" from "refused".
# Seen on 2026-11-29: razorpay 2.9.8 rejects with an object that is no Error and has no message for the 503, and with a TypeError of its own code for the broken connection; @adyen/api-library 32.1.0 with such an object and a status 500 that nobody sent for the
# latter. @paddle/paddle-node-sdk 3.10.0 throws a SyntaxError without a status for the 503, gocardless-nodejs 10.1.2 the HTML as message. recurly 4.81.0, chargebee 3.33.0, svix 2.5.0, dodopayments 2.52.0 and creem 1.13.0 name the status, in
# the message or a member; fetch's own "fetch failed" is what four say of the connection.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps recurly@4.81.0 razorpay@2.9.8 chargebee@3.33.0 @adyen/api-library@32.1.0 \
  @paddle/paddle-node-sdk@3.10.0 gocardless-nodejs@10.1.2 dodopayments@2.52.0 creem@1.13.0 svix@2.5.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import http, { createServer } from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
let closes;
const server = createServer(async (request, response) => {
  await request.toArray();
  if (closes) return request.socket.destroy();
  response.writeHead(503, { "content-type": "text/html" }).end("<h1>503 Service Unavailable</h1>");
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
const { default: adyen } = await import("@adyen/api-library");
const { Paddle } = await import("@paddle/paddle-node-sdk");
const { default: Chargebee } = await import("chargebee");
const { Creem } = await import("creem");
const { default: Dodo } = await import("dodopayments");
const { default: gocardless } = await import("gocardless-nodejs");
const { default: Razorpay } = await import("razorpay");
const { default: recurly } = await import("recurly");
const { Svix } = await import("svix");
const amount = { currency: "EUR", value: 100 };
const clients = {
  recurly: () => new recurly.Client("key").createPurchase({ currency: "EUR", account: { code: "a" } }),
  "@paddle/paddle-node-sdk": () => new Paddle("pdl_sdbx_apikey_x").transactions.create({ items: [{ priceId: "pri_1", quantity: 1 }] }),
  razorpay: () => new Razorpay({ key_id: "k", key_secret: "s" }).orders.create({ amount: 100, currency: "INR" }),
  chargebee: () => new Chargebee({ site: "t", apiKey: "k" }).subscription.createWithItems("c", { subscription_items: [{ item_price_id: "p" }] }),
  "@adyen/api-library": () => new adyen.CheckoutAPI(new adyen.Client({ apiKey: "k", environment: "TEST" })).PaymentsApi.payments({ amount, merchantAccount: "m", reference: "r", paymentMethod: { type: "scheme" }, returnUrl: "https://example.com" }),
  "gocardless-nodejs": () => (gocardless.default ?? gocardless)("token", "SANDBOX").payments.create({ amount: 100, currency: "EUR", links: { mandate: "MD1" } }),
  svix: () => new Svix("testsk_x.eu", { serverUrl: baseURL, numRetries: 0 }).message.create("app", { eventType: "paid", payload: {} }),
  dodopayments: () => new Dodo({ bearerToken: "x", baseURL, maxRetries: 0 }).payments.create({ billing: { country: "DE" }, customer: { customer_id: "c" }, product_cart: [{ product_id: "p", quantity: 1 }] }),
  creem: () => new Creem({ apiKey: "x", serverURL: baseURL }).checkouts.create({ productId: "p" }),
};
for (const [name, create] of Object.entries(clients)) {
  const seen = [];
  for (closes of [false, true]) {
    const error = await Promise.resolve().then(create).then(() => ({ message: "succeeds" }), (error) => error);
    const kind = error instanceof Error ? error.name : "no Error";
    seen.push(`${closes ? "closed" : 503}: ${kind}, ${String(error.message).split("\n")[0].replaceAll("'", "").slice(0, 70)}, status ${error.status ?? error.statusCode ?? error.httpStatusCode ?? error.http_status_code}`);
  }
  console.log(`${name}: ${seen.join("; ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'recurly: 503: RecurlyServiceUnavailableError, Unknown Error. Requrly Request Id: null, status undefined; closed: Error, socket hang up, status undefined
@paddle/paddle-node-sdk: 503: SyntaxError, Unexpected token <, "<h1>503 Se"... is not valid JSON, status undefined; closed: TypeError, fetch failed, status undefined
razorpay: 503: no Error, undefined, status 503; closed: TypeError, Cannot read properties of undefined (reading status), status undefined
chargebee: 503: Error, Sorry, the server is currently unable to handle the request due to a t, status 503; closed: TypeError, fetch failed, status undefined
@adyen/api-library: 503: HttpClientException, HTTP Exception: 503. Error Unexpected token <, "<h1>503 Se"... is not , status 503; closed: no Error, socket hang up, status 500
gocardless-nodejs: 503: Error, <h1>503 Service Unavailable</h1>, status undefined; closed: RequestError, socket hang up, status undefined
svix: 503: Error, HTTP-Code: 503, status undefined; closed: TypeError, fetch failed, status undefined
dodopayments: 503: Error, 503 <h1>503 Service Unavailable</h1>, status 503; closed: Error, Connection error., status undefined
creem: 503: APIError, API error occurred: Status 503 Content-Type text/html. Body: <h1>503 S, status 503; closed: ConnectionError, Unable to make request: TypeError: fetch failed, status undefined' ]
