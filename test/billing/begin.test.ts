/** Beginning a purchase: what is rejected, what is written first, and what remains when the provider fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  PAGE_OPEN_MS,
  PURCHASES_PER_HOUR_MAX,
  TRIES_PER_HOUR_MAX,
} from "#billing/begin-purchase.ts";
import { createBilling } from "#billing/billing.ts";
import { ProviderRejected, ProviderUnavailable } from "#billing/payment-provider.ts";
import { accountId } from "../contract/ledger/fixture.ts";
import { ADA, openFixture, START } from "./billing-fixture.ts";

const HOUR = 3_600_000;

test("a purchase is stored before its checkout page is open, with the price of that moment", async (t) => {
  const { fake, begin, purchase } = await openFixture(t);
  const begun = await begin("large");
  assert.ok(begun.outcome === "begun");
  const { id } = begun.purchase;
  assert.deepEqual(begun.purchase, await purchase(id));
  assert.deepEqual(begun.purchase.offer, {
    ...{ id: "large", kind: "pack", name: "Large", credits: 1000, months: 12 },
  });
  assert.equal(begun.url, begun.purchase.payUrl);
  const form = fake.requests[0]?.form;
  assert.equal(form?.["success_url"], `https://toolbooth.test/credits?purchase=${id}`);
  assert.equal(form?.["cancel_url"], `https://toolbooth.test/credits?cancelled=${id}`);
  assert.equal(form?.["expires_at"], String((START + PAGE_OPEN_MS) / 1000));
});

test("an unknown offer, and an account that cannot buy, is rejected before anything is written", async (t) => {
  const { fake, begin, purchases, ledger, accounts } = await openFixture(t);
  const bob = await accounts.account("Bob");
  await ledger.changeAccount({ account: bob, now: START, state: "suspended" });
  const cid = await accounts.account("Cid");
  await ledger.changeAccount({ account: cid, now: START, state: "closed" });
  assert.deepEqual(await begin("huge"), { outcome: "no_such_offer" });
  assert.deepEqual(await begin("small", bob), { outcome: "account_suspended" });
  assert.deepEqual(await begin("small", cid), { outcome: "no_account" });
  assert.deepEqual(await begin("small", accountId("Nobody")), { outcome: "no_account" });
  assert.deepEqual(await purchases.listAll({ after: null, max: 9 }), []);
  assert.deepEqual(fake.requests, []);
});

test("the lifetime plan is bought once, and again only after a refund", async (t) => {
  const { fake, begin, buy, receiveAll } = await openFixture(t);
  const { session } = await buy("lifetime");
  fake.pay(session);
  await receiveAll();
  assert.deepEqual(await begin("lifetime"), { outcome: "already_lifetime" });
  assert.equal((await begin("small")).outcome, "begun");
  fake.refund(session);
  await receiveAll();
  assert.equal((await begin("lifetime")).outcome, "begun");
});

test("while the plan's checkout page is open it is returned again, and while its payment is pending a new one is rejected", async (t) => {
  const { fake, begin, buy, purchases, receiveAll, clock, billing, accounts } =
    await openFixture(t);
  const { id, session } = await buy("lifetime");
  // Even after many other purchases have begun.
  for (let no = 1; no < PURCHASES_PER_HOUR_MAX; no += 1) await buy();
  const again = await begin("lifetime");
  assert.ok(again.outcome === "begun");
  assert.deepEqual([again.purchase.id, again.purchase.session], [id, session]);
  assert.equal(again.url, again.purchase.payUrl);
  const other = await buy("lifetime", await accounts.account("Bob"));
  assert.notEqual(other.id, id);
  fake.payLater(session);
  await receiveAll();
  assert.deepEqual(await begin("lifetime"), { outcome: "lifetime_pending" });
  clock.at += 5 * 24 * HOUR;
  assert.deepEqual(await begin("lifetime"), { outcome: "lifetime_pending" });
  fake.failLater(session);
  await receiveAll();
  const next = await begin("lifetime");
  assert.ok(next.outcome === "begun" && next.purchase.id !== id);
  assert.equal((await billing.compare({ since: START })).inTrouble.length, 0);
  assert.equal((await purchases.listUnsettled({ account: ADA, kind: "lifetime" })).length, 1);
});

test("a paid plan whose webhook was lost is found when it is begun again", async (t) => {
  const { fake, begin, buy, clock, ledger } = await openFixture(t);
  const { session } = await buy("lifetime");
  fake.pay(session);
  clock.at += PAGE_OPEN_MS;
  assert.deepEqual(await begin("lifetime"), { outcome: "already_lifetime" });
  assert.equal((await ledger.credits({ account: ADA, now: clock.at })).lifetime, true);
});

test("a plan whose checkout page has closed is begun anew, which expires the old purchase", async (t) => {
  const { fake, buy, clock, purchase } = await openFixture(t);
  const { id, session } = await buy("lifetime");
  clock.at += PAGE_OPEN_MS;
  fake.expire(session);
  const next = await buy("lifetime");
  assert.notEqual(next.id, id);
  assert.equal((await purchase(id)).status, "expired");
});

test(`an account begins at most ${PURCHASES_PER_HOUR_MAX} purchases an hour, and learns when it may begin the next`, async (t) => {
  const { begin, clock, accounts } = await openFixture(t);
  for (let no = 0; no < PURCHASES_PER_HOUR_MAX; no += 1) {
    assert.equal((await begin()).outcome, "begun");
    clock.at += 1000;
  }
  const retryAfterMs = HOUR - PURCHASES_PER_HOUR_MAX * 1000;
  assert.deepEqual(await begin(), { outcome: "too_many", retryAfterMs });
  assert.equal((await begin("small", await accounts.account("Bob"))).outcome, "begun");
  clock.at += retryAfterMs - 1;
  assert.deepEqual(await begin(), { outcome: "too_many", retryAfterMs: 1 });
  clock.at += 1;
  assert.equal((await begin()).outcome, "begun");
});

test("attempts while the provider is unavailable do not use up the limit, but have a limit of their own", async (t) => {
  const { fake, begin, clock, purchases } = await openFixture(t);
  fake.setAway("500");
  for (let no = 0; no < PURCHASES_PER_HOUR_MAX + 2; no += 1) await assert.rejects(begin());
  fake.setAway(null);
  assert.equal((await begin()).outcome, "begun");
  fake.setAway("500");
  for (let no = PURCHASES_PER_HOUR_MAX + 3; no < TRIES_PER_HOUR_MAX; no += 1) {
    await assert.rejects(begin());
  }
  fake.setAway(null);
  clock.at += 1000;
  assert.deepEqual(await begin(), { outcome: "too_many", retryAfterMs: HOUR - 1000 });
  assert.equal((await purchases.listAll({ after: null, max: 99 })).length, TRIES_PER_HOUR_MAX);
  clock.at += HOUR - 1000;
  assert.equal((await begin()).outcome, "begun");
});

test("a purchase expires at once when the provider rejects opening its page", async (t) => {
  const { deps, purchases } = await openFixture(t);
  const open = () => Promise.reject(new ProviderRejected("Set the key"));
  const refused = createBilling({ ...deps, provider: { ...deps.provider, open } });
  const urlsOf = () => ({ successUrl: "https://a.test/", cancelUrl: "https://a.test/" });
  const order = { account: ADA, offer: "small", email: "ada@example.org", urlsOf };
  await assert.rejects(refused.begin(order), ProviderRejected);
  const [left] = await purchases.list({ account: ADA, after: null, max: 9 });
  assert.deepEqual([left?.status, left?.session], ["expired", null]);
});

test("when the provider is unavailable, the purchase stays without a page and expires", async (t) => {
  const { fake, begin, purchases, billing, clock } = await openFixture(t);
  fake.setAway("reset");
  await assert.rejects(begin(), ProviderUnavailable);
  fake.setAway(null);
  const [left] = await purchases.list({ account: ADA, after: null, max: 9 });
  assert.ok(left);
  assert.deepEqual([left.status, left.session, left.payUrl], ["open", null, null]);
  assert.deepEqual(await billing.settle({ purchase: left.id }), {
    ...{ outcome: "settled", purchase: left, changed: false },
  });
  clock.at += 48 * HOUR;
  const settled = await billing.settle({ purchase: left.id });
  assert.ok(settled.outcome === "settled" && settled.purchase.status === "expired");
});

test("a page that was opened during a crash is found by its metadata", async (t) => {
  const { fake, begin, receiveAll, grants, purchases } = await openFixture(t);
  // The page is open, but we never received its URL: a payment there is unlikely, but is not lost.
  fake.setAway("500 late");
  await assert.rejects(begin(), ProviderUnavailable);
  fake.setAway(null);
  const session = fake.newest();
  fake.pay(session);
  await receiveAll();
  const [kept] = await purchases.list({ account: ADA, after: null, max: 9 });
  assert.deepEqual([kept?.session, kept?.status], [session, "paid"]);
  assert.deepEqual(await grants(), { grant: "100/100" });
});
