/** Refunds and disputes, reversed and combined. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type BillingFixture, openFixture } from "./billing-fixture.ts";

type Bought = { fixture: BillingFixture; id: string; session: string };

/** A small pack (100 credits for €5.00) that was paid and granted. */
async function bought(t: Parameters<typeof openFixture>[0], offer?: string): Promise<Bought> {
  const fixture = await openFixture(t);
  const purchase = await fixture.buy(offer);
  fixture.fake.pay(purchase.session);
  await fixture.receiveAll();
  return { fixture, ...purchase };
}

async function usage({ fixture, id }: Bought) {
  const { refunded, dispute, voided, spent } = await fixture.purchase(id);
  await fixture.audit();
  return { refunded, dispute, voided, spent, balance: await fixture.balance() };
}

test("a full refund voids unspent credits and reports spent ones", async (t) => {
  const it = await bought(t);
  await it.fixture.spend(50);
  it.fixture.fake.refund(it.session);
  await it.fixture.receiveAll();
  assert.deepEqual(await usage(it), {
    ...{ refunded: 500, dispute: "none", voided: 50, spent: 50, balance: 0 },
  });
  assert.ok((await it.fixture.purchase(it.id)).refundedAt);
});

test("partial refunds void in proportion, rounded down, and the last one voids the rest", async (t) => {
  const it = await bought(t);
  const seen: number[] = [];
  for (const part of [1, 99, 133, 267]) {
    it.fixture.fake.refund(it.session, part);
    await it.fixture.receiveAll();
    seen.push((await usage(it)).voided);
  }
  assert.deepEqual(seen, [0, 20, 46, 100]);
});

test("a failed refund restores the credits once, with their original expiry", async (t) => {
  const it = await bought(t);
  await it.fixture.spend(10);
  const { id, expiresAt: end } = await grantOf(it);
  const refund = it.fixture.fake.refund(it.session);
  await it.fixture.receiveAll();
  assert.equal(await it.fixture.balance(), 0);
  await it.fixture.accounts.news();
  it.fixture.fake.failRefund(refund);
  const messages = it.fixture.fake.take();
  await it.fixture.receiveAll([...messages, ...messages]);
  assert.deepEqual(await usage(it), {
    ...{ refunded: 0, dispute: "none", voided: 0, spent: 0, balance: 90 },
  });
  assert.deepEqual(await it.fixture.grants(), { grant: "100/90" });
  assert.equal((await grantOf(it)).expiresAt, end);
  const grant = { id, kind: "pack", amount: 90, expiresAt: end };
  const event = { at: it.fixture.clock.at, kind: "credits.granted", grant };
  assert.deepEqual(await it.fixture.accounts.news(), [event], "and its owner is told once");
});

async function grantOf({ fixture, id }: Bought) {
  const { account, grant } = await fixture.purchase(id);
  const { grants } = await fixture.ledger.credits({ account, now: fixture.clock.at });
  const found = grants.find((each) => each.id === grant);
  assert.ok(found);
  return found;
}

test("a dispute claws back all credits; winning it restores them, losing it does not", async (t) => {
  for (const [end, balance] of [
    ["won", 70],
    ["lost", 0],
  ] as const) {
    const it = await bought(t);
    await it.fixture.spend(30);
    it.fixture.fake.dispute(it.session, "needs_response");
    await it.fixture.receiveAll();
    assert.deepEqual(await usage(it), {
      ...{ refunded: 0, dispute: "open", voided: 70, spent: 30, balance: 0 },
    });
    it.fixture.fake.dispute(it.session, "under_review");
    it.fixture.fake.dispute(it.session, end);
    await it.fixture.receiveAll();
    const now = await usage(it);
    assert.deepEqual([now.dispute, now.balance], [end, balance]);
  }
});

test("a refund counts on its own day, even after a dispute that was won", async (t) => {
  const it = await bought(t);
  it.fixture.fake.dispute(it.session, "needs_response");
  await it.fixture.receiveAll();
  it.fixture.fake.dispute(it.session, "won");
  await it.fixture.receiveAll();
  it.fixture.clock.at += 40 * 86_400_000;
  it.fixture.fake.refund(it.session);
  await it.fixture.receiveAll();
  const { refundedAt } = await it.fixture.purchase(it.id);
  assert.equal(refundedAt, it.fixture.clock.at);
});

test("an inquiry claws back no credits", async (t) => {
  const it = await bought(t);
  it.fixture.fake.dispute(it.session, "warning_needs_response");
  it.fixture.fake.dispute(it.session, "warning_closed");
  await it.fixture.receiveAll();
  assert.deepEqual(await usage(it), {
    ...{ refunded: 0, dispute: "none", voided: 0, spent: 0, balance: 100 },
  });
});

test("a pack that has expired meanwhile is not restored", async (t) => {
  const it = await bought(t);
  it.fixture.fake.dispute(it.session, "needs_response");
  await it.fixture.receiveAll();
  it.fixture.clock.at += 40 * 86_400_000;
  await it.fixture.accounts.news();
  it.fixture.fake.dispute(it.session, "won");
  await it.fixture.receiveAll();
  assert.deepEqual(await it.fixture.accounts.news(), []);
  // Clawed back credits count as expired from then on; none of them can be spent.
  assert.deepEqual(await it.fixture.grants(), { grant: "100/100" });
  const { totals } = await it.fixture.ledger.audit({ now: it.fixture.clock.at });
  assert.deepEqual([totals.remaining, totals.expired, totals.voided], [0, 100, 0]);
  const { dispute, balance } = await usage(it);
  assert.deepEqual({ dispute, balance }, { dispute: "won", balance: 0 });
});
