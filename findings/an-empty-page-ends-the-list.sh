#!/usr/bin/env bash
# A list has three pages, of which the second is empty: all that would stand there was deleted or filtered out. It says that there is more, and where. Nine clients go through the list with `for await`.
# Expected: a and c, since `has_more` and the cursor are there to say it.
# Seen on 2026-11-29: openai 7.59.0, @anthropic-ai/sdk 1.14.0, orb-billing 6.11.0, dodopayments 2.52.0 and cloudflare 7.3.0, from one generator (Stainless), end with the empty page, without an error: a sum over invoices or usage lacks the rest. stripe 23.1.0 throws.
# @metronome/sdk 3.10.0, from the same generator, @paddle/paddle-node-sdk 3.10.0 and gocardless-nodejs 10.1.2 go on. An API should not answer with an empty page before the end.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts openai@7.59.0 @anthropic-ai/sdk@1.14.0 orb-billing@6.11.0 dodopayments@2.52.0 \
  cloudflare@7.3.0 @metronome/sdk@3.10.0 @paddle/paddle-node-sdk@3.10.0 gocardless-nodejs@10.1.2 stripe@23.1.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import http, { createServer } from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import Anthropic from "@anthropic-ai/sdk";
import Metronome from "@metronome/sdk";
import { Paddle } from "@paddle/paddle-node-sdk";
import Cloudflare from "cloudflare";
import Dodo from "dodopayments";
import OpenAI from "openai";
import Orb from "orb-billing";
import Stripe from "stripe";
let pages;
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(pages.shift()));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address();
const baseURL = `http://127.0.0.1:${port}`;
https.request = (...args) => {
  const [first, second] = args;
  const { path, method, headers } = first instanceof URL ? { ...second, path: `${first.pathname}${first.search}` } : first;
  return http.request({ host: "127.0.0.1", port, path, method, headers }, args.find((each) => typeof each === "function"));
};
syncBuiltinESMExports();
const { default: gocardless } = await import("gocardless-nodejs");
const { fetch } = globalThis;
globalThis.fetch = (url, init) => fetch(`${baseURL}${new URL(url).pathname}`, init);
const three = (page) => [page([{ id: "a" }], "2"), page([], "3"), page([{ id: "c" }], null)];
const hasMore = three((data, next) => ({ object: "list", data, has_more: next !== null, first_id: data[0]?.id ?? null, last_id: data[0]?.id ?? "b" }));
const clients = {
  openai: [() => new OpenAI({ apiKey: "x", baseURL }).files.list(), hasMore],
  "@anthropic-ai/sdk": [() => new Anthropic({ apiKey: "x", baseURL }).messages.batches.list(), hasMore],
  "orb-billing": [() => new Orb({ apiKey: "x", baseURL }).customers.list(), three((data, next_cursor) => ({ data, pagination_metadata: { has_more: next_cursor !== null, next_cursor } }))],
  dodopayments: [() => new Dodo({ bearerToken: "x", baseURL }).licenseKeys.list(), [...three((items) => ({ items })), { items: [] }]],
  cloudflare: [() => new Cloudflare({ apiToken: "x", baseURL }).zones.list(), [...three((result, page) => ({ success: true, result, result_info: { page, per_page: 1, total_pages: 3, total_count: 2 } })), { result: [] }]],
  "@metronome/sdk": [() => new Metronome({ bearerToken: "x", baseURL }).v1.customers.list(), three((data, next_page) => ({ data, next_page }))],
  "@paddle/paddle-node-sdk": [() => new Paddle("pdl_sdbx_apikey_x").customers.list(), three((data, next) => ({ data, meta: { pagination: { per_page: 1, next: `${baseURL}/customers?after=${next}`, has_more: next !== null, estimated_total: 2 } } }))],
  "gocardless-nodejs": [() => (gocardless.default ?? gocardless)("token", "SANDBOX").payments.all({}), three((payments, after) => ({ payments, meta: { cursors: { after } } }))],
  stripe: [() => new Stripe("sk_test_x", { host: "127.0.0.1", port, protocol: "http" }).invoices.list(), hasMore.map((page) => ({ ...page, url: "/v1/invoices" }))],
};
for (const [name, [list, answers]] of Object.entries(clients)) {
  pages = [...answers];
  const ids = [];
  try {
    for await (const { id } of list()) ids.push(id);
    console.log(`${name}: ${ids.join(", ")}`);
  } catch (error) {
    console.log(`${name}: ${ids.join(", ")}, then ${error.constructor.name}`);
  }
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'openai: a
@anthropic-ai/sdk: a
orb-billing: a
dodopayments: a
cloudflare: a
@metronome/sdk: a, c
@paddle/paddle-node-sdk: a, c
gocardless-nodejs: a, c
stripe: a, then Error' ]
