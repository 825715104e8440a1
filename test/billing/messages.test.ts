/** Requests to the endpoint for Stripe's webhooks, accepted or rejected. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidWebhook } from "#billing/payment-provider.ts";
import { FAKE_WEBHOOK_SECRET } from "../stripe/fake-stripe.ts";
import { sign } from "../stripe/messages.ts";
import { openFixture } from "./billing-fixture.ts";

for (const fetchClient of [false, true]) {
  const signer = fetchClient ? "with SubtleCrypto" : "with Node's crypto";

  test(`a webhook is accepted as it was signed, ${signer}, and rejected with one bit changed`, async (t) => {
    const { fake, billing, buy, clock, grants } = await openFixture(t, { stripe: { fetchClient } });
    const { session } = await buy();
    fake.pay(session);
    const [message] = fake.take();
    assert.ok(message);
    const { body } = message;
    const good = fake.signatureOf(message);
    const at = Math.floor(clock.at / 1000);
    const v1 = /v1=([0-9a-f]+)/.exec(good)?.[1] ?? "";
    const spaced = new TextEncoder().encode(
      JSON.stringify(JSON.parse(new TextDecoder().decode(body))),
    );
    const flipped = body.map((byte, place) => (place === 40 ? byte ^ 1 : byte));
    const bad: [Uint8Array, string | null][] = [
      [flipped, good],
      [spaced, good],
      [body.slice(0, -1), good],
      [new Uint8Array(0), good],
      [body, null],
      [body, ""],
      [body, "nonsense"],
      [body, `t=${at},v1=${v1.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))}`],
      [body, `t=${at + 1},v1=${v1}`],
      [body, `t=${at},v0=${v1}`],
      [body, `v1=${v1}`],
      [body, sign(body, "whsec_another", clock.at)],
      [body, sign(body, FAKE_WEBHOOK_SECRET, clock.at - 301_000)],
      [
        new TextEncoder().encode("not JSON"),
        sign(new TextEncoder().encode("not JSON"), FAKE_WEBHOOK_SECRET, clock.at),
      ],
    ];
    for (const [bytes, signature] of bad) {
      await assert.rejects(billing.receive(bytes, signature), InvalidWebhook);
    }
    assert.deepEqual(await grants(), {});
    const { outcome } = await billing.receive(body, good);
    assert.equal(outcome, "settled");
    assert.deepEqual(await grants(), { grant: "100/100" });
  });
}

test("webhooks about other things are ignored without asking Stripe", async (t) => {
  const { fake, receive } = await openFixture(t);
  const encode = (event: object) => new TextEncoder().encode(JSON.stringify(event));
  const bodies = [
    { object: "event", type: "payout.paid", data: { object: { id: "po_1", object: "payout" } } },
    {
      object: "event",
      type: "charge.refunded",
      data: { object: { id: "ch_1", object: "charge", payment_intent: null } },
    },
    { object: "event", type: "x", data: {} },
    { object: "event", type: "x" },
  ];
  for (const body of bodies.map(encode)) {
    assert.deepEqual(await receive({ id: "evt_1", type: "x", body }), { outcome: "ignored" });
  }
  assert.deepEqual(fake.requests, []);
});

test("every type of event that we subscribe to leads to its purchase", async (t) => {
  const { fake, buy, receive } = await openFixture(t);
  const [one, two, three] = [await buy(), await buy(), await buy()];
  fake.pay(one.session);
  fake.failRefund(fake.refund(one.session, 100));
  fake.refund(one.session, 100);
  fake.dispute(one.session, "needs_response");
  fake.dispute(one.session, "under_review");
  fake.dispute(one.session, "won");
  fake.payLater(two.session);
  fake.arrive(two.session);
  fake.expire(three.session);
  const four = await buy();
  fake.payLater(four.session);
  fake.failLater(four.session);
  const led = new Map<string, Set<string>>();
  for (const message of fake.take()) {
    const settled = await receive(message);
    const to = settled.outcome === "settled" ? settled.purchase.id : settled.outcome;
    led.set(message.type, (led.get(message.type) ?? new Set()).add(to));
  }
  const ids = new Set([one.id, two.id, three.id, four.id]);
  for (const type of ASKED_FOR) {
    const to = led.get(type);
    assert.ok(to, `${type} was not sent`);
    assert.ok(
      [...to].every((id) => ids.has(id)),
      `${type} led to ${[...to]}`,
    );
  }
});

/** The events that docs/payments.md names. */
const ASKED_FOR = [
  ...["completed", "async_payment_succeeded", "async_payment_failed", "expired"].map(
    (event) => `checkout.session.${event}`,
  ),
  ...["charge.refunded", "refund.updated", "refund.failed"],
  ...["created", "updated", "closed", "funds_withdrawn", "funds_reinstated"].map(
    (event) => `charge.dispute.${event}`,
  ),
];
