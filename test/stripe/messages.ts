import { createHmac } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { StripeObject } from "./objects.ts";

/** An event as it is sent: the exact bytes that are signed. */
export type Message = { id: string; type: string; body: Uint8Array };

export function messageOf(
  type: string,
  object: StripeObject,
  { id, created, version }: { id: string; created: number; version: string },
): Message {
  const event = {
    ...{ id, object: "event", api_version: version, created, livemode: false },
    ...{ pending_webhooks: 1, request: { id: null, idempotency_key: null }, type },
    data: { object },
  };
  // Formatted as Stripe does it: parsing and writing it again would change the bytes.
  return { id, type, body: new TextEncoder().encode(JSON.stringify(event, null, 2)) };
}

/** The header `Stripe-Signature` (docs.stripe.com/webhooks/signature); `v0` is what test mode adds. */
export function sign(body: Uint8Array, secret: string, atMs: number): string {
  const at = Math.floor(atMs / 1000);
  const hmac = (key: string) =>
    createHmac("sha256", key).update(`${at}.`).update(body).digest("hex");
  return `t=${at},v1=${hmac(secret)},v0=${hmac("test mode")}`;
}

/** Sends a webhook once and returns the status of the response; null where there is none. */
export async function send(url: string, message: Message, signature: string) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Stripe-Signature": signature,
        "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
      },
      body: message.body as Uint8Array<ArrayBuffer>,
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

const TRIES_MAX = 40;

/** Sends webhooks as events happen, each until it is accepted. Stripe's hours between attempts are milliseconds here. */
export function createSender(signatureOf: (message: Message) => string) {
  let ended = false;
  const underWay = new Set<Promise<void>>();
  async function carry(url: string, message: Message): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX && !ended; tries += 1) {
      const status = await send(url, message, signatureOf(message));
      if (status !== null && status >= 200 && status < 300) return;
      await wait(50 + 50 * tries);
    }
  }
  return {
    begin(url: string, message: Message): void {
      const sending = carry(url, message).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    end: async () => {
      ended = true;
      await Promise.all(underWay);
    },
  };
}
