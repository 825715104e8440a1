#!/usr/bin/env bash
# A webhook with a right signature arrives 10 seconds, 1 minute or 4 minutes after it was signed, as after a queue, a cold start or a clock that goes a little fast; or it was signed 10 minutes ahead. Seven libraries check it with their defaults.
# Expected: accepted up to five minutes in both directions, as Standard Webhooks and Stripe's docs have it, and refused ahead of that.
# Seen on 2026-11-30: @paddle/paddle-node-sdk 3.10.0 accepts five seconds and has no option for more in `unmarshal`; a clock that is six seconds fast refuses all events of payments. @workos-inc/node 11.0.0 accepts three minutes. stripe
# 23.1.0, standardwebhooks 1.1.1, svix 2.5.0, openai 7.59.0 and resend 6.38.0 accept five. stripe and the first two take a time of any distance ahead.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @paddle/paddle-node-sdk@3.10.0 @workos-inc/node@11.0.0 stripe@23.1.0 standardwebhooks@1.1.1 svix@2.5.0 openai@7.59.0 resend@6.38.0
cat > seen.mjs <<'JS'
import { createHmac } from "node:crypto";
import { Paddle } from "@paddle/paddle-node-sdk";
import { WorkOS } from "@workos-inc/node";
import OpenAI from "openai";
import { Resend } from "resend";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as Svix } from "svix";
const body = JSON.stringify({ id: "evt_1", object: "event", event: "x", event_type: "x", type: "x", data: {}, created_at: "2026-11-30T00:00:00Z" });
const secret = `whsec_${btoa("k".repeat(32))}`;
const hex = (text) => createHmac("sha256", "secret").update(text).digest("hex");
const standard = (at) => `v1,${createHmac("sha256", "k".repeat(32)).update(`m_1.${at}.${body}`).digest("base64")}`;
const headers = (prefix, at) => ({ [`${prefix}-id`]: "m_1", [`${prefix}-timestamp`]: `${at}`, [`${prefix}-signature`]: standard(at) });
const libraries = {
  "@paddle/paddle-node-sdk": (at) => new Paddle("key").webhooks.unmarshal(body, "secret", `ts=${at};h1=${hex(`${at}:${body}`)}`),
  "@workos-inc/node": (at) => new WorkOS("key").webhooks.constructEvent({ payload: JSON.parse(body), sigHeader: `t=${at}000, v1=${hex(`${at}000.${body}`)}`, secret: "secret" }),
  stripe: (at) => new Stripe("key").webhooks.constructEvent(body, `t=${at},v1=${hex(`${at}.${body}`)}`, "secret"),
  standardwebhooks: (at) => new Webhook(secret).verify(body, headers("webhook", at)),
  svix: (at) => new Svix(secret).verify(body, headers("svix", at)),
  openai: (at) => new OpenAI({ apiKey: "key" }).webhooks.unwrap(body, headers("webhook", at), secret),
  resend: (at) => new Resend("key").webhooks.verify({ payload: body, headers: { id: "m_1", timestamp: `${at}`, signature: standard(at) }, webhookSecret: secret }),
};
const times = { now: 0, "10 s ago": -10, "1 min ago": -60, "4 min ago": -240, "10 min ahead": 600 };
for (const [name, check] of Object.entries(libraries)) {
  const refused = [];
  for (const [words, seconds] of Object.entries(times)) {
    try {
      await check(Math.floor(Date.now() / 1000) + seconds);
    } catch {
      refused.push(words);
    }
  }
  console.log(`${name} refuses: ${refused.join(", ") || "none"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '@paddle/paddle-node-sdk refuses: 10 s ago, 1 min ago, 4 min ago
@workos-inc/node refuses: 4 min ago
stripe refuses: none
standardwebhooks refuses: 10 min ahead
svix refuses: 10 min ahead
openai refuses: 10 min ahead
resend refuses: 10 min ahead' ]
