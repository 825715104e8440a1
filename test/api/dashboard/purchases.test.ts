/** Purchases as the pages see them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PricesView, PurchaseView } from "#api/dashboard/shapes.ts";
import { pricesOf } from "../../billing/billing-fixture.ts";
import { clock, HOUR } from "./clock.ts";
import { openFixture, openMember } from "./dashboard-fixture.ts";
import { CONTACT, openSales } from "./purchases-fixture.ts";

const NOTHING = {
  packs: [],
  lifetime: null,
  payable: false,
  taxesAdded: false,
  contact: null,
  recommended: null,
};

test("everyone sees the prices, formatted in their currency", async (t) => {
  const { fixture } = await openSales(t);
  const { status, body } = await fixture.browser().get("/dashboard/prices");
  assert.equal(status, 200);
  const { packs, lifetime, payable, contact } = body as PricesView;
  assert.deepEqual(packs[0], {
    ...{ id: "small", kind: "pack", name: "Small", credits: 100, price: 500, currency: "eur" },
    ...{ months: 1, priceText: "€5.00" },
  });
  assert.deepEqual([lifetime?.priceText, lifetime?.months], ["€199.00", null]);
  assert.deepEqual([payable, contact], [true, CONTACT]);
});

test("if payments are off, buyers learn whom to ask, and everything else works", async () => {
  for (const contact of [CONTACT, null]) {
    const fixture = openFixture({ sales: { prices: pricesOf({ contact }), provider: null } });
    const { browser } = await openMember(fixture);
    const prices = (await browser.get("/dashboard/prices")).body as PricesView;
    assert.deepEqual([prices.packs.length, prices.payable], [2, false]);
    const refused = await browser.post("/dashboard/purchases", { offer: "small" });
    assert.deepEqual([refused.status, refused.code], [403, "not_payable"]);
    assert.match(
      refused.text,
      contact === null ? /ask the operator of this service/ : /sales@example/,
    );
    const empty = { purchases: [], next: null };
    assert.deepEqual((await browser.get("/dashboard/purchases")).body, empty);
    assert.equal((await browser.post("/webhooks/stripe")).status, 404);
    assert.equal((await browser.get("/dashboard/home")).status, 200);
  }
});

test("if nothing is sold, the price list is empty", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  assert.deepEqual((await browser.get("/dashboard/prices")).body, NOTHING);
  assert.equal(
    (await browser.post("/dashboard/purchases", { offer: "small" })).code,
    "not_payable",
  );
});

test("a buyer who returns from paying sees the credits before any webhook arrives", async (t) => {
  const { fake, buy, look, list, balance, credits, buyer, receiveAll } = await openSales(t);
  const { id, url, session } = await buy();
  assert.ok(url.startsWith(fake.api));
  const asked = fake.session(session);
  assert.equal(asked["success_url"], `http://127.0.0.1:8787/credits?purchase=${id}`);
  assert.equal(asked["cancel_url"], `http://127.0.0.1:8787/credits?cancelled=${id}`);
  assert.equal(asked["customer_email"], buyer.email);
  const [open] = await list();
  assert.deepEqual(
    [open?.state, open?.amountText, open?.payUrl, open?.paidAt],
    ["open", "€5.00", url, null],
  );

  fake.pay(session);
  const paid = await look(id);
  assert.deepEqual(
    [paid.state, paid.name, paid.credits, paid.amountText, paid.refundedText, paid.payUrl],
    ["paid", "Small", 100, "€5.00", null, null],
  );
  assert.match(paid.receiptUrl ?? "", /\/receipt\//);
  assert.match(paid.invoiceUrl ?? "", /\/invoice\//);
  assert.equal(await balance(), 200);
  // Twice, as who goes back in the browser; and then all messages.
  assert.deepEqual(await look(id), paid);
  const statuses = await receiveAll();
  assert.ok(statuses.length > 2 && statuses.every((status) => status === 200), `${statuses}`);
  assert.deepEqual(await list(), [paid]);
  const { grants } = await credits();
  assert.deepEqual(
    grants.map(({ kind, amount }) => `${kind} ${amount}`),
    ["pack 100", "starter 100"],
  );
});

test("a cancelled purchase can be paid for two hours, and then expires", async (t) => {
  const { fixture, fake, buy, look, list, receiveAll, balance } = await openSales(t);
  const { id, url, session } = await buy();
  assert.equal((await look(id)).state, "open");
  assert.equal((await list())[0]?.payUrl, url);
  clock.advance(2 * HOUR);
  assert.equal((await list())[0]?.payUrl, null, "its page is closed");
  await fixture.settle();
  fake.expire(session);
  await receiveAll();
  assert.equal((await list())[0]?.state, "expired");
  assert.equal(await balance(), 100);
});

test("a paid purchase without a webhook is settled by viewing the list", async (t) => {
  const { fixture, fake, buy, list, balance } = await openSales(t);
  const bought = [await buy(), await buy("large")];
  for (const { session } of bought) fake.pay(session);
  assert.deepEqual(
    (await list()).map(({ state }) => state),
    ["open", "open"],
    "somebody may be on these pages",
  );
  await fixture.settle();
  assert.equal(await balance(), 100);
  clock.advance(2 * HOUR);
  await list();
  await fixture.settle();
  assert.deepEqual(
    (await list()).map(({ state }) => state),
    ["paid", "paid"],
  );
  assert.equal(await balance(), 1200);
});

test("a delayed payment is pending, and then paid or failed", async (t) => {
  const { fake, buy, look, balance } = await openSales(t);
  const [good, bad] = [await buy(), await buy("large")];
  fake.payLater(good.session);
  fake.payLater(bad.session);
  assert.deepEqual(
    [(await look(good.id)).state, (await look(bad.id)).state],
    ["pending", "pending"],
  );
  assert.equal(await balance(), 100);
  fake.arrive(good.session);
  fake.failLater(bad.session);
  assert.deepEqual([(await look(good.id)).state, (await look(bad.id)).state], ["paid", "failed"]);
  assert.equal(await balance(), 200);
});

test("refunds and disputes are shown with the credits that they void", async (t) => {
  const { fake, buy, look, list, receiveAll, balance } = await openSales(t);
  const [one, two] = [await buy(), await buy("large")];
  for (const { id, session } of [one, two]) {
    fake.pay(session);
    await look(id);
  }
  fake.refund(one.session, 250);
  fake.dispute(two.session, "needs_response");
  await receiveAll();
  const [second, first] = (await list()) as [PurchaseView, PurchaseView];
  assert.deepEqual(
    [first.state, first.refundedText, first.voided, first.spent],
    ["partly_refunded", "€2.50", 50, 0],
  );
  assert.deepEqual([second.state, second.voided], ["disputed", 1000]);
  assert.equal(await balance(), 150);
  fake.refund(one.session);
  fake.dispute(two.session, "won");
  await receiveAll();
  const [won, gone] = (await list()) as [PurchaseView, PurchaseView];
  assert.deepEqual([gone.state, gone.refundedText, gone.voided], ["refunded", "€5.00", 100]);
  assert.deepEqual([won.state, won.voided], ["paid", 0]);
  assert.equal(await balance(), 1100);
  fake.dispute(two.session, "lost");
  await receiveAll();
  const [lost] = (await list()) as [PurchaseView];
  assert.deepEqual([lost.state, lost.voided], ["charged_back", 1000]);
});

test("the lifetime plan is a state of the account, and is not sold again while its payment is being processed or afterwards", async (t) => {
  const { fake, buy, look, credits, buyer } = await openSales(t);
  const { id, session } = await buy("lifetime");
  const again = async () => {
    const order = { offer: "lifetime" };
    const { status, text } = await buyer.browser.post("/dashboard/purchases", order);
    assert.equal(status, 400);
    return text;
  };
  fake.payLater(session);
  assert.equal((await look(id)).state, "pending");
  assert.match(await again(), /already paid for the lifetime plan, and your payment is being/);
  assert.equal((await credits()).lifetime, false);
  fake.arrive(session);
  await look(id);
  const { lifetime, grants } = await credits();
  assert.ok(lifetime && grants.every(({ expiresAt }) => expiresAt === null));
  assert.match(await again(), /already has the lifetime plan/);
});

test("Stripe sends a buyer back to the origin where they are signed in", async (t) => {
  const { fixture, fake, buyer } = await openSales(t);
  (fixture.deps.settings.origins as string[]).push("http://localhost:8787");
  const here = { origin: "http://localhost:8787" };
  const begun = await buyer.browser.send("POST", "/dashboard/purchases", { offer: "small" }, here);
  assert.equal(begun.status, 201, begun.text);
  assert.match(
    String(fake.session(fake.newest())["success_url"]),
    /^http:\/\/localhost:8787\/credits\?/,
  );
});
