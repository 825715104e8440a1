/** Buying, as the pages do it: what they are told, and what comes of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PricesView, PurchasesView, PurchaseView } from "#api/dashboard/shapes.ts";
import { clock, HOUR, SECOND } from "./clock.ts";
import { openFixture, openMember } from "./dashboard-fixture.ts";
import { CONTACT, openSales, pricesOf } from "./purchases-fixture.ts";

const NOTHING = {
  packs: [],
  lifetime: null,
  payable: false,
  taxesAdded: false,
  contact: null,
  recommended: null,
};

test("everybody sees the prices, in the money's own form", async (t) => {
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

test("where nobody takes money, buyers are told whom to ask, and all else goes on", async () => {
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

test("where nothing is sold, the price list is empty", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  assert.deepEqual((await browser.get("/dashboard/prices")).body, NOTHING);
  assert.equal(
    (await browser.post("/dashboard/purchases", { offer: "small" })).code,
    "not_payable",
  );
});

test("who comes back from paying sees the credits, though no message has come", async (t) => {
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

test("who cancels may still pay for two hours, and then the purchase is over", async (t) => {
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

test("a purchase that nobody looked at and nobody told of is settled by a look at the list", async (t) => {
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

test("a page that asks again and again asks Stripe once in two seconds", async (t) => {
  const { fake, buy, buyer, look } = await openSales(t);
  const { id } = await buy();
  await look(id);
  const before = fake.requests.length;
  for (let no = 0; no < 8; no += 1) {
    clock.advance(SECOND / 2);
    assert.equal((await buyer.browser.get(`/dashboard/purchases/${id}`)).status, 200);
  }
  assert.equal(fake.requests.length - before, 2);
});

test("a delayed payment is on its way, and then there, or not", async (t) => {
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

test("what was paid back and disputed is told, with the credits that went with it", async (t) => {
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
});

test("the lifetime plan is sold once, and shows as a state of the account", async (t) => {
  const { fake, buy, look, credits, buyer } = await openSales(t);
  const { id, session } = await buy("lifetime");
  assert.equal((await credits()).lifetime, false);
  fake.pay(session);
  await look(id);
  const { lifetime, grants } = await credits();
  assert.ok(lifetime && grants.every(({ expiresAt }) => expiresAt === null));
  const again = await buyer.browser.post("/dashboard/purchases", { offer: "lifetime" });
  assert.deepEqual([again.status, again.code], [400, "invalid_request"]);
  assert.match(again.text, /already has the lifetime plan/);
  assert.equal((await buyer.browser.post("/dashboard/purchases", { offer: "small" })).status, 201);
});

test("while the plan's money is on the way, beginning it again is refused with a word about it", async (t) => {
  const { fake, buyer, buy, receiveAll } = await openSales(t);
  const first = await buy("lifetime");
  assert.deepEqual(await buy("lifetime"), first);
  fake.payLater(first.session);
  await receiveAll();
  const again = await buyer.browser.post("/dashboard/purchases", { offer: "lifetime" });
  assert.deepEqual([again.status, again.code], [400, "invalid_request"]);
  assert.match(
    again.text,
    /already paid for the lifetime plan, and your payment is being processed/,
  );
});

test("what is not offered, and what is no order, is refused without a word to Stripe", async (t) => {
  const { fake, buyer, list } = await openSales(t);
  for (const order of [{ offer: "huge" }, { offer: "" }, {}, { offer: 1 }, { offer: { id: 1 } }]) {
    const refused = await buyer.browser.post("/dashboard/purchases", order);
    assert.deepEqual([refused.status, refused.code], [400, "invalid_request"], refused.text);
  }
  assert.equal((await buyer.browser.post("/dashboard/purchases", "not JSON")).status, 400);
  assert.deepEqual([fake.requests.length, await list()], [0, []]);
});

test("only members whose account is open buy, from the pages of the service, and only so often", async (t) => {
  const { fixture, buyer, buy } = await openSales(t);
  const order = { offer: "small" };
  const outsider = await fixture.browser().post("/dashboard/purchases", order);
  assert.deepEqual([outsider.status, outsider.code], [401, "signed_out"]);
  const elsewhere = { origin: "https://evil.example" };
  const foreign = await buyer.browser.send("POST", "/dashboard/purchases", order, elsewhere);
  assert.equal(foreign.code, "cross_site");
  const { account } = buyer;
  await fixture.accountDeps.ledger.suspendAccount({ account, now: Date.now() });
  assert.equal((await buyer.browser.post("/dashboard/purchases", order)).code, "account_suspended");
  await fixture.accountDeps.ledger.resumeAccount({ account, now: Date.now() });
  for (let no = 0; no < 10; no += 1) await buy();
  const eleventh = await buyer.browser.post("/dashboard/purchases", order);
  assert.deepEqual([eleventh.status, eleventh.code], [429, "too_many_requests"]);
  const seconds = Number(eleventh.headers.get("retry-after"));
  assert.ok(seconds > 3_500 && seconds <= 3_600, `${seconds}`);
});

test("nobody sees what others have bought, and a long history comes in pages", async (t) => {
  const { fixture, buy, list, buyer } = await openSales(t);
  const other = await openMember(fixture);
  const bought: string[] = [];
  for (let no = 0; no < 32; no += 1) {
    clock.advance(HOUR);
    bought.unshift((await buy()).id);
  }
  assert.deepEqual(await list(other), []);
  for (const id of [bought[0], "pur_none", "x"]) {
    const refused = await other.browser.get(`/dashboard/purchases/${id}`);
    assert.deepEqual([refused.status, refused.code], [404, "not_found"]);
  }
  const first = (await buyer.browser.get("/dashboard/purchases")).body as PurchasesView;
  const second = (await buyer.browser.get(`/dashboard/purchases?after=${first.next}`))
    .body as PurchasesView;
  const ids = [first, second].flatMap(({ purchases }) => purchases.map(({ id }) => id));
  assert.deepEqual([ids, first.purchases.length, second.next], [bought, 30, null]);
  const none = (await other.browser.get(`/dashboard/purchases?after=${first.next}`)).body;
  assert.deepEqual(none, { purchases: [], next: null });
  await fixture.settle();
});

test("a buyer comes back by the name of the service under which they are signed in", async (t) => {
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
