#!/usr/bin/env bash
# A webhook signed as Standard Webhooks has it is checked in a handler for fetch: the headers are the request's `Headers`, the body is what `arrayBuffer()` or `bytes()` returns. Or Node's lists of values. Four libraries.
# Expected: it is accepted, or the error says that the type is wrong, as it does for a body that has been parsed.
# Seen on 2026-11-29: svix 2.5.0, standardwebhooks 1.1.1 and dodopayments 2.52.0, built on the latter, answer for `Headers` and for a Map "Missing required headers", though they are there; `Object.fromEntries(headers)` is what they
# want. They refuse bytes that are no Buffer with an error that says so. openai 7.59.0 takes every form of headers, and says for bytes and for a parsed body that the signature does not match, which sends one looking for the wrong secret.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts svix@2.5.0 standardwebhooks@1.1.1 dodopayments@2.52.0 openai@7.59.0
cat > seen.mjs <<'JS'
import { createHmac } from "node:crypto";
import Dodo from "dodopayments";
import OpenAI from "openai";
import { Webhook } from "standardwebhooks";
import { Webhook as Svix } from "svix";
const key = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const secret = `whsec_${key}`;
const body = JSON.stringify({ type: "order.created", data: {} });
const timestamp = String(Math.floor(Date.now() / 1_000));
const signature = createHmac("sha256", Buffer.from(key, "base64")).update(`message.${timestamp}.${body}`).digest("base64");
const headers = { "webhook-id": "message", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
const libraries = {
  svix: (...request) => new Svix(secret).verify(...request),
  standardwebhooks: (...request) => new Webhook(secret).verify(...request),
  dodopayments: (content, values) => new Dodo({ bearerToken: "token", webhookKey: secret }).webhooks.unwrap(content, { headers: values }),
  openai: (...request) => new OpenAI({ apiKey: "key", webhookSecret: secret }).webhooks.unwrap(...request),
};
const requests = {
  object: [body, headers],
  Headers: [body, new Headers(headers)],
  Map: [body, new Map(Object.entries(headers))],
  lists: [body, Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
  Buffer: [Buffer.from(body), headers],
  bytes: [new Uint8Array(Buffer.from(body)), headers],
  parsed: [JSON.parse(body), headers],
};
for (const [name, check] of Object.entries(libraries)) {
  const seen = [];
  for (const [kind, request] of Object.entries(requests)) {
    try {
      await check(...request);
      seen.push(`${kind} accepted`);
    } catch (error) {
      seen.push(`${kind} "${error.message}"`);
    }
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'svix: object accepted, Headers "Missing required headers", Map "Missing required headers", lists "msgSignature.split is not a function", Buffer accepted, bytes "Expected payload to be of type string or Buffer.", parsed "Expected payload to be of type string or Buffer."
standardwebhooks: object accepted, Headers "Missing required headers", Map "Missing required headers", lists "msgSignature.split is not a function", Buffer accepted, bytes "Expected payload to be of type string or Buffer.", parsed "Expected payload to be of type string or Buffer."
dodopayments: object accepted, Headers "Missing required headers", Map "Missing required headers", lists "msgSignature.split is not a function", Buffer accepted, bytes "Expected payload to be of type string or Buffer.", parsed "Expected payload to be of type string or Buffer."
openai: object accepted, Headers accepted, Map accepted, lists accepted, Buffer accepted, bytes "The given webhook signature does not match the expected signature", parsed "The given webhook signature does not match the expected signature"' ]
