#!/usr/bin/env bash
# A program pays for some services by x402 or L402, which answer 402 with terms of payment. It calls one that sells credits instead: 402 with a problem (RFC 9457) that says so.
# Expected: the answer, or the error that the client has for a status, since 402 is older than both protocols and says nothing about them; the program then reads the code and buys credits.
# Seen on 2026-11-29: x402-fetch 1.2.0 and x402-axios 0.7.2 throw a TypeError of their own code, @x402/fetch 2.27.0 and @x402/axios 2.11.0 an Error that the terms cannot be read. In all four the answer is gone, its status and its body too: "no credits"
# cannot be told from a fault. `fetchWithL402` of @getalby/lightning-tools 9.0.1 returns the answer. So such a wrapper belongs around the calls to services that take it, not around every fetch.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps x402-fetch@1.2.0 x402-axios@0.7.2 @x402/fetch@2.27.0 @x402/axios@2.11.0 \
  @x402/evm@2.27.0 @getalby/lightning-tools@9.0.1 viem@2.57.20 axios@1.21.1
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { fetchWithL402 } from "@getalby/lightning-tools";
import { wrapAxiosWithPaymentFromConfig } from "@x402/axios";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import axios from "axios";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { withPaymentInterceptor } from "x402-axios";
import { wrapFetchWithPayment } from "x402-fetch";
const problem = { title: "No credits", status: 402, code: "insufficient_credits", detail: "The call costs 5 credits, the account has 2." };
const server = createServer((_, response) => response.writeHead(402, { "content-type": "application/problem+json" }).end(JSON.stringify(problem)));
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
const account = privateKeyToAccount(generatePrivateKey());
const schemes = [{ network: "eip155:8453", client: new ExactEvmScheme(account) }];
const options = { method: "POST", body: "{}" };
const wallet = { payInvoice: () => Promise.reject(new Error("asked to pay")) };
const clients = {
  "x402-fetch": () => wrapFetchWithPayment(fetch, account)(url, options),
  "x402-axios": () => withPaymentInterceptor(axios.create(), account).post(url, "{}"),
  "@x402/fetch": () => wrapFetchWithPaymentFromConfig(fetch, { schemes })(url, options),
  "@x402/axios": () => wrapAxiosWithPaymentFromConfig(axios.create(), { schemes }).post(url, "{}"),
  "@getalby/lightning-tools": () => fetchWithL402(url, options, { wallet }),
};
for (const [name, post] of Object.entries(clients)) {
  const seen = await post().then(
    async (response) => `${response.status}, ${(await response.json()).code}`,
    (error) => `${error.name}: ${error.message.replaceAll("'", "")}, status ${error.response?.status ?? error.status}, body ${error.response?.data?.code}`,
  );
  console.log(`${name}: ${seen}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'x402-fetch: TypeError: Cannot read properties of undefined (reading map), status undefined, body undefined
x402-axios: TypeError: Cannot read properties of undefined (reading map), status undefined, body undefined
@x402/fetch: Error: Failed to parse payment requirements: Invalid payment required response, status undefined, body undefined
@x402/axios: Error: Failed to parse payment requirements: Invalid payment required response, status undefined, body undefined
@getalby/lightning-tools: 402, insufficient_credits' ]
