/** The operator's comparison: it settles payments whose webhooks were lost, and names those that need a decision. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createBilling } from "#billing/billing.ts";
import { ProviderUnavailable } from "#billing/payment-provider.ts";
import { OrderRejected } from "#ledger/port.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";
import { ADA, openFixture, START } from "./billing-fixture.ts";

const DAY = 86_400_000;

test("missed webhooks are made up for, and the second comparison finds everything in order", async (t) => {
  const { fake, billing, buy, grants, spend } = await openFixture(t);
  const [paid, back, open, gone] = [await buy(), await buy(), await buy(), await buy()];
  fake.pay(paid.session);
  fake.pay(back.session);
  fake.expire(gone.session);
  fake.refund(back.session);
  const first = await billing.compare({ since: START - DAY });
  assert.deepEqual(
    first.settledNow.map(({ purchase, status }) => [purchase, status]).sort(),
    [
      [paid.id, "paid"],
      [back.id, "paid"],
      [gone.id, "expired"],
    ].sort(),
  );
  assert.deepEqual([first.looked, first.inOrder, first.inTrouble], [4, 1, []]);
  assert.deepEqual(await grants(), { grant: "100/100" });
  await spend(5);
  fake.refund(paid.session, 250);
  fake.pay(open.session);
  const second = await billing.compare({ since: START - DAY });
  assert.deepEqual(
    second.settledNow.map(({ purchase }) => purchase).sort(),
    [paid.id, open.id].sort(),
  );
  const third = await billing.compare({ since: START - DAY });
  assert.deepEqual([third.looked, third.inOrder, third.settledNow], [4, 4, []]);
});

test("a grant that the ledger lacks is made again", async (t) => {
  const { fake, deps, buy, receiveAll, billing } = await openFixture(t);
  const { id, session } = await buy();
  fake.pay(session);
  await receiveAll();
  // A ledger restored from an earlier backup.
  const ledger = createMemoryLedger();
  await ledger.openAccount({ account: ADA, freeCall: "withheld", now: START });
  const restored = createBilling({ ...deps, ledger });
  const { settledNow } = await restored.compare({ since: START });
  assert.deepEqual(
    settledNow.map(({ purchase }) => purchase),
    [id],
  );
  assert.equal((await ledger.credits({ account: ADA, now: START })).balance, 100);
  assert.equal((await billing.compare({ since: START })).inOrder, 1);
});

test("a purchase that Stripe does not know is reported to the operator", async (t) => {
  const there = await openFixture(t);
  const here = await openFixture(t);
  const { id } = await here.buy();
  // The key of another Stripe account: our purchases name checkout pages that do not exist there.
  const lost = createBilling({ ...here.deps, provider: there.deps.provider });
  const { inTrouble } = await lost.compare({ since: START });
  assert.deepEqual(
    inTrouble.map(({ purchase }) => purchase),
    [id],
  );
  assert.match(inTrouble[0]?.todo ?? "", /STRIPE_SECRET_KEY/);
  assert.equal((await here.purchase(id)).status, "open");
});

test("two services at one Stripe account leave each other's payments alone, even after losing a row", async (t) => {
  const production = await openFixture(t);
  const { fake } = production;
  const staging = await openFixture(t, { fake, stripe: { services: ["ffff000011112222"] } });
  const { session } = await production.buy();
  fake.pay(session);
  const messages = fake.take();
  const outcomes = await staging.receiveAll(messages);
  assert.deepEqual([...new Set(outcomes)].sort(), ["ignored", "not_ours"]);
  const { looked, inTrouble } = await staging.billing.compare({ since: START });
  assert.deepEqual([looked, inTrouble, await staging.grants()], [0, [], {}]);
  assert.deepEqual(await staging.purchases.list({ account: ADA, after: null, max: 9 }), []);
  await production.receiveAll(messages);
  assert.equal(Object.keys(await production.grants()).length, 1);
});

test("a service with a new secret settles the purchases that it stores, and no longer recognises those that it lost", async (t) => {
  const { fake, deps, buy, grants } = await openFixture(t);
  const { id, session } = await buy();
  fake.pay(session);
  const other = await openFixture(t, { fake, stripe: { services: ["ffff000011112222"] } });
  const after = createBilling({ ...deps, provider: other.deps.provider });
  const { settledNow, inTrouble } = await after.compare({ since: START });
  assert.deepEqual([settledNow.map(({ purchase }) => purchase), inTrouble], [[id], []]);
  assert.equal(Object.keys(await grants()).length, 1);
  fake.refund(session);
  const refund = fake.take().find(({ type }) => type === "charge.refunded");
  assert.ok(refund);
  const told = await after.receive(refund.body, fake.signatureOf(refund));
  assert.equal(told.outcome, "settled");
  // Without the row, the old secret finds the payment and the new one does not.
  assert.equal((await other.billing.compare({ since: START })).looked, 0);
  const restored = createBilling({ ...other.deps, provider: deps.provider });
  assert.equal((await restored.compare({ since: START })).looked, 1);
  assert.equal((await other.purchase(id)).status, "paid");
});

test("a payment that names a purchase of another checkout page grants nothing and is reported to the operator", async (t) => {
  const { fake, billing, buy, purchase, purchases, receiveAll, grants } = await openFixture(t);
  const { id, session } = await buy();
  const row = await purchase(id);
  await purchases.update({
    purchase: { ...row, session: "cs_other", updatedAt: START + 9 },
    seen: row.updatedAt,
  });
  fake.pay(session);
  await receiveAll();
  assert.deepEqual(await grants(), {});
  const { inTrouble } = await billing.compare({ since: START });
  assert.deepEqual(
    inTrouble.map(({ purchase: named, session: page }) => [named, page]),
    [
      // Our row names a page that the provider does not know, and the page that it knows is not ours.
      [id, "cs_other"],
      [id, session],
    ],
  );
});

test("only purchases begun since then are compared", async (t) => {
  const { fake, billing, buy, clock } = await openFixture(t);
  const old = await buy();
  fake.pay(old.session);
  clock.at += 3 * DAY;
  const fresh = await buy();
  fake.pay(fresh.session);
  const { looked, settledNow } = await billing.compare({ since: clock.at - DAY });
  assert.deepEqual([looked, settledNow.map(({ purchase }) => purchase)], [1, [fresh.id]]);
});

test("a payment whose page was opened since then is compared, although its purchase began just before", async (t) => {
  const { fake, billing, buy } = await openFixture(t);
  const { id, session } = await buy();
  fake.pay(session);
  // Stripe counts in seconds.
  const { looked, settledNow } = await billing.compare({ since: START + 1 });
  assert.deepEqual([looked, settledNow.map(({ purchase }) => purchase)], [1, [id]]);
});

test("a text that is no cursor is rejected, and a cursor of either part is not", async (t) => {
  const { billing, buy } = await openFixture(t);
  const { id } = await buy();
  const since = START - DAY;
  for (const after of ["", "x", "null", "7", "[]", "{}", '{"purchases":{}}', '{"payments":7}'])
    await assert.rejects(billing.compare({ since, after }), OrderRejected, after);
  const purchases = JSON.stringify({ purchases: { createdAt: START - DAY, id: "" } });
  assert.equal((await billing.compare({ since, after: purchases })).looked, 1);
  const later = JSON.stringify({ purchases: { createdAt: START + DAY, id } });
  assert.equal((await billing.compare({ since, after: later })).looked, 0);
  assert.equal((await billing.compare({ since, after: '{"payments":null}' })).looked, 0);
});

test("a provider failure ends the comparison, and running it again completes it", async (t) => {
  let lookedUp = 0;
  const { fake, billing, buy, grants } = await openFixture(t, {
    deps: ({ provider, ...deps }) => ({
      ...deps,
      provider: {
        ...provider,
        fetchPayment(order) {
          lookedUp += 1;
          if (lookedUp === 2) fake.setAway("500");
          return provider.fetchPayment(order);
        },
      },
    }),
  });
  const sessions = [(await buy()).session, (await buy()).session, (await buy()).session];
  for (const session of sessions) fake.pay(session);
  fake.take();
  await assert.rejects(billing.compare({ since: START }), ProviderUnavailable);
  assert.equal((await grants())["grant"], "100/100", "the first purchase is settled");
  assert.equal(lookedUp, 2);
  fake.setAway(null);
  await billing.compare({ since: START });
  const all = await grants();
  assert.deepEqual(Object.values(all), ["100/100"]);
});
