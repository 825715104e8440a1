#!/usr/bin/env bash
# A webhook whose type the library does not know yet arrives with a right signature, as when the service has added an event since the last update.
# Expected: the four libraries return the event, since services add types at any time and a receiver leaves out what it does not handle.
# Seen on 2026-11-29: `validateEvent` of @polar-sh/sdk 1.0.1 throws PolarWebhookUnknownTypeError. A receiver that answers every error with 4xx or 5xx, as one does for a bad
# signature, has the event sent again and again. @paddle/paddle-node-sdk 3.10.0 returns a generic event, stripe 23.1.0 and standardwebhooks 1.1.1 what came.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @polar-sh/sdk@1.0.1 @paddle/paddle-node-sdk@3.10.0 stripe@23.1.0 standardwebhooks@1.1.1
cat > seen.mjs <<'JS'
import { createHmac } from "node:crypto";
import { Paddle } from "@paddle/paddle-node-sdk";
import { webhooks as polar } from "@polar-sh/sdk/2026-10";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
const secret = "a-secret-of-the-endpoint";
const encoded = Buffer.from(secret).toString("base64");
const now = new Date();
const seconds = Math.floor(now / 1_000);
const signed = (text) => createHmac("sha256", secret).update(text).digest("hex");
const standard = (body) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(seconds),
  "webhook-signature": new Webhook(encoded).sign("msg_1", now, body),
});
const stripe = new Stripe("sk_test_1");
const receivers = {
  polar: (body) => polar.validateEvent(body, standard(body), secret),
  paddle: (body) => new Paddle("key").webhooks.unmarshal(body, secret, `ts=${seconds};h1=${signed(`${seconds}:${body}`)}`),
  stripe: (body) => stripe.webhooks.constructEvent(body, stripe.webhooks.generateTestHeaderString({ payload: body, secret }), secret),
  standardwebhooks: (body) => new Webhook(encoded).verify(body, standard(body)),
};
for (const [name, receive] of Object.entries(receivers)) {
  const seen = [];
  for (const type of name === "polar" ? ["order.paid", "credits.granted"] : ["credits.granted"]) {
    const body = JSON.stringify({ id: "evt_1", object: "event", type, event_id: "evt_1", event_type: type, timestamp: now.toISOString(), data: { object: {} } });
    const event = await (async () => receive(body))().catch((error) => ({ type: error.name }));
    seen.push(`${type} gives ${event.type ?? event.eventType}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'polar: order.paid gives order.paid, credits.granted gives PolarWebhookUnknownTypeError
paddle: credits.granted gives credits.granted
stripe: credits.granted gives credits.granted
standardwebhooks: credits.granted gives credits.granted' ]
