/** Payments from begin to end, in process: the real SDK, a fake Stripe, the ledger in memory and purchases in SQLite. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADA, openFixture, START } from "./billing-fixture.ts";

const DAY = 86_400_000;

test("a paid pack is granted once, for its months, with receipt and invoice", async (t) => {
  const { fake, buy, receiveAll, purchase, grants, ledger, balance } = await openFixture(t);
  const { id, session } = await buy();
  assert.equal((await purchase(id)).status, "open");
  fake.pay(session);
  const outcomes = await receiveAll();
  assert.deepEqual(new Set(outcomes), new Set(["settled", "ignored"]));
  assert.deepEqual(await grants(), { grant: "100/100" });
  assert.equal(await balance(), 100);
  const bought = await purchase(id);
  const payment = fake.paymentOf(session);
  assert.deepEqual(bought, {
    ...{ id, account: ADA, createdAt: START, price: 500, currency: "eur", session, payment },
    offer: { id: "small", kind: "pack", name: "Small", credits: 100, months: 1 },
    ...{ status: "paid", paidAt: START, paid: 500, refunded: 0, refundedAt: null },
    ...{ dispute: "none", payUrl: null, trouble: null, voided: 0, spent: 0 },
    ...{ receiptUrl: bought.receiptUrl, invoiceUrl: bought.invoiceUrl },
    ...{ grant: `stripe:${payment}`, updatedAt: bought.updatedAt },
  });
  assert.match(bought.receiptUrl ?? "", /\/receipt\/ch_/);
  assert.match(bought.invoiceUrl ?? "", /\/invoice\/in_/);
  const { grants: all } = await ledger.credits({ account: ADA, now: START });
  // 31 January plus one month.
  assert.equal(all[0]?.expiresAt, Date.UTC(2026, 1, 28, 10));
  assert.equal(all[0]?.kind, "pack");
});

test("a payment for a closed account is reported to the operator, and settled by its refund", async (t) => {
  const { fake, buy, receiveAll, purchase, ledger, billing, grants } = await openFixture(t);
  const { id, session } = await buy();
  await ledger.changeAccount({ account: ADA, now: START, state: "closed" });
  fake.pay(session);
  await receiveAll();
  assert.equal((await purchase(id)).trouble, "account_closed");
  const { inTrouble, settledNow } = await billing.compare({ since: START - DAY });
  assert.deepEqual(settledNow, []);
  assert.equal(inTrouble[0]?.purchase, id);
  assert.match(inTrouble[0]?.todo ?? "", /Refund pi_[0-9a-f]+ /);
  fake.refund(session);
  await receiveAll();
  const after = await purchase(id);
  assert.deepEqual([after.trouble, after.grant, after.refunded], [null, null, 500]);
  assert.deepEqual(await grants(), {});
});

test("a lost row is rebuilt from what Stripe knows", async (t) => {
  const there = await openFixture(t);
  const { id, session } = await there.buy("large");
  there.fake.pay(session);
  const messages = there.fake.take();
  // The same ledger and Stripe, but without any purchases.
  const here = await openFixture(t, { fake: there.fake });
  assert.ok((await here.receiveAll(messages)).includes("settled"));
  const made = await here.purchase(id);
  assert.deepEqual(made.offer, {
    ...{ id: "large", kind: "pack", name: "Large", credits: 1000, months: 12 },
  });
  assert.deepEqual([made.price, made.status, made.account], [3000, "paid", ADA]);
  assert.deepEqual(await here.grants(), { grant: "1000/1000" });
});
