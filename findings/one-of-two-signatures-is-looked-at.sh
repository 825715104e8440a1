#!/usr/bin/env bash
# While a secret is changed, a webhook carries two signatures, one by the old secret and one by the new. Five libraries that check with the new one, in either order.
# Expected: accepted, and the event is returned: the headers are made for several signatures (Paddle's docs: "at least one `h1`"; Standard Webhooks: a list; Stripe: several `v1`).
# Seen on 2026-11-29: stripe 23.1.0, standardwebhooks 1.1.1 and svix 2.5.0 accept both orders. @paddle/paddle-node-sdk 3.10.0 looks at the last `h1` alone and @workos-inc/node 11.0.0 at the first `v1` alone, so
# by the order all deliveries fail during the change. And svix returns nothing, where version 1.99.1 returned the event as standardwebhooks does: code that goes on with the result has undefined.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts stripe@23.1.0 standardwebhooks@1.1.1 svix@2.5.0 svix-1@npm:svix@1.99.1 @paddle/paddle-node-sdk@3.10.0 @workos-inc/node@11.0.0
cat > seen.mjs <<'JS'
import { createHmac } from "node:crypto";
import { Paddle } from "@paddle/paddle-node-sdk";
import { WorkOS } from "@workos-inc/node";
import { Webhook as Standard } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as Svix } from "svix";
import { Webhook as Svix1 } from "svix-1";
const body = JSON.stringify({ id: "evt_1", object: "event", event: "user.created", event_type: "customer.created", type: "customer.created", data: {} });
const seconds = Math.floor(Date.now() / 1000);
const secrets = { old: `whsec_${Buffer.alloc(24, 1).toString("base64")}`, new: `whsec_${Buffer.alloc(24, 2).toString("base64")}` };
const hex = (secret, text) => createHmac("sha256", secrets[secret]).update(text).digest("hex");
const base64 = (secret) => createHmac("sha256", Buffer.from(secrets[secret].slice(6), "base64")).update(`msg_1.${seconds}.${body}`).digest("base64");
const headers = (prefix, order) => ({ [`${prefix}-id`]: "msg_1", [`${prefix}-timestamp`]: String(seconds), [`${prefix}-signature`]: order.map((secret) => `v1,${base64(secret)}`).join(" ") });
const libraries = {
  stripe: (order) => new Stripe("sk_test_1").webhooks.constructEvent(body, [`t=${seconds}`, ...order.map((secret) => `v1=${hex(secret, `${seconds}.${body}`)}`)].join(","), secrets.new),
  standardwebhooks: (order) => new Standard(secrets.new).verify(body, headers("webhook", order)),
  svix: (order) => new Svix(secrets.new).verify(body, headers("svix", order)),
  "svix 1": (order) => new Svix1(secrets.new).verify(body, headers("svix", order)),
  "@paddle/paddle-node-sdk": (order) => new Paddle("key").webhooks.unmarshal(body, secrets.new, [`ts=${seconds}`, ...order.map((secret) => `h1=${hex(secret, `${seconds}:${body}`)}`)].join(";")),
  "@workos-inc/node": (order) => {
    const sigHeader = [`t=${seconds * 1000}`, ...order.map((secret) => `v1=${hex(secret, `${seconds * 1000}.${body}`)}`)].join(", ");
    return new WorkOS("sk_test_1", { clientId: "client_1" }).webhooks.constructEvent({ payload: JSON.parse(body), sigHeader, secret: secrets.new });
  },
};
for (const [name, check] of Object.entries(libraries)) {
  const seen = [];
  for (const order of [["new", "old"], ["old", "new"]]) {
    const end = await Promise.resolve(order).then(check).then((event) => (event === undefined ? "accepted, returns nothing" : "accepted"), () => "refused");
    seen.push(`${order.join(" and ")} ${end}`);
  }
  console.log(`${name}: ${seen.join("; ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'stripe: new and old accepted; old and new accepted
standardwebhooks: new and old accepted; old and new accepted
svix: new and old accepted, returns nothing; old and new accepted, returns nothing
svix 1: new and old accepted; old and new accepted
@paddle/paddle-node-sdk: new and old refused; old and new accepted
@workos-inc/node: new and old accepted; old and new refused' ]
