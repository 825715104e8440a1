/** Reversed payments and calls: nobody loses credits, in whatever order they come back. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DAY_MS } from "#limits.ts";
import { ADA, type BillingFixture, openFixture } from "../billing/billing-fixture.ts";

async function paid(fixture: BillingFixture, offer: string) {
  const purchase = await fixture.buy(offer);
  fixture.fake.pay(purchase.session);
  await fixture.receiveAll();
  return purchase;
}
const kindsOf = (news: readonly { kind: string }[]) => news.map(({ kind }) => kind);

test("a partial refund that failed causes no event about low or depleted credits", async (t) => {
  const fixture = await openFixture(t);
  const { session } = await paid(fixture, "small");
  await fixture.spend(10);
  const part = fixture.fake.refund(session, 100);
  await fixture.receiveAll();
  await fixture.accounts.news();
  fixture.fake.failRefund(part);
  await fixture.receiveAll();
  assert.equal(await fixture.balance(), 90);
  assert.deepEqual(kindsOf(await fixture.accounts.news()), ["credits.granted"]);
});

test("a partial refund of the lifetime plan that failed leaves the plan active and every expiry waived", async (t) => {
  const fixture = await openFixture(t);
  await paid(fixture, "small");
  const { session } = await paid(fixture, "lifetime");
  fixture.clock.at += 60 * DAY_MS;
  const part = fixture.fake.refund(session, 100);
  await fixture.receiveAll();
  const before = await fixture.balance();
  fixture.fake.failRefund(part);
  await fixture.receiveAll();
  const { balance, lifetime, grants } = await fixture.ledger.credits({
    account: ADA,
    now: fixture.clock.at,
  });
  assert.equal(lifetime, true);
  assert.ok(balance > before);
  assert.equal(balance, 600);
  assert.deepEqual(new Set(grants.map(({ expiresAt }) => expiresAt)), new Set([null]));
});

for (const [what, end] of [
  ["a dispute that is won", "dispute"],
  ["a refund that fails", "refund"],
] as const)
  test(`${what} restores credits whose expiry the lifetime plan has waived, even after that expiry`, async (t) => {
    const fixture = await openFixture(t);
    const { session } = await paid(fixture, "small");
    await paid(fixture, "lifetime");
    await fixture.spend(10);
    fixture.clock.at += 60 * DAY_MS;
    const balance = await fixture.balance();
    const refund = end === "refund" ? fixture.fake.refund(session) : null;
    if (refund === null) fixture.fake.dispute(session, "needs_response");
    await fixture.receiveAll();
    assert.ok((await fixture.balance()) < balance);
    if (refund === null) fixture.fake.dispute(session, "won");
    else fixture.fake.failRefund(refund);
    await fixture.receiveAll();
    assert.equal(await fixture.balance(), balance);
  });

test("the lifetime plan survives a partial refund and a dispute that is won, with all of its credits spent", async (t) => {
  const fixture = await openFixture(t);
  const pack = await paid(fixture, "small");
  const { session } = await paid(fixture, "lifetime");
  await fixture.spend(600);
  const isOnPlan = async () =>
    (await fixture.ledger.credits({ account: ADA, now: fixture.clock.at })).lifetime;
  fixture.fake.refund(session, 19_800);
  await fixture.receiveAll();
  assert.equal(await isOnPlan(), true);
  fixture.fake.dispute(session, "needs_response");
  await fixture.receiveAll();
  assert.equal(await isOnPlan(), false);
  fixture.fake.dispute(session, "won");
  await fixture.receiveAll();
  assert.equal(await isOnPlan(), true);
  assert.equal(await fixture.balance(), 0);
  // The pack's expiry is waived again.
  const { grants } = await fixture.ledger.credits({ account: ADA, now: fixture.clock.at });
  const { grant } = await fixture.purchase(pack.id);
  assert.equal(grants.find(({ id }) => id === grant)?.expiresAt, null);
});

test("after a crash between restoring credits and writing the row, the grant still grows with later reversals", async (t) => {
  let isDying = false;
  const deps = ({ ledger, ...rest }: BillingFixture["deps"]) => {
    const clawback: typeof ledger.clawback = async (order) => {
      const clawed = await ledger.clawback(order);
      if (isDying) throw new Error("killed");
      return clawed;
    };
    return { ...rest, ledger: { ...ledger, clawback } };
  };
  const fixture = await openFixture(t, { deps });
  const { session } = await paid(fixture, "small");
  const half = fixture.fake.refund(session, 250);
  fixture.fake.dispute(session, "needs_response");
  await fixture.receiveAll();
  assert.equal(await fixture.balance(), 0);
  fixture.fake.dispute(session, "won");
  isDying = true;
  await assert.rejects(fixture.receiveAll(), /killed/);
  isDying = false;
  assert.equal(await fixture.balance(), 50);
  fixture.fake.failRefund(half);
  await fixture.receiveAll();
  assert.equal(await fixture.balance(), 100);
  const grants = await fixture.grants();
  await fixture.billing.settle({ session });
  assert.deepEqual(await fixture.grants(), grants);
});

/** Callers of whom one waits before this step; the purchase was paid. */
async function withLateSettler(t: TestContext, step: "grant" | "clawback" = "clawback") {
  const resume = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const seen = { isPausing: false, granted: 0, outcomes: [] as string[] };
  const deps = ({ ledger, ...rest }: BillingFixture["deps"]) => {
    const isLate = async (name: string) => {
      const isIt = seen.isPausing && name === step;
      if (!isIt) return false;
      seen.isPausing = false;
      reached.resolve();
      await resume.promise;
      return true;
    };
    const clawback: typeof ledger.clawback = async (order) => {
      const isNoted = await isLate("clawback");
      const clawed = await ledger.clawback(order);
      if (isNoted) seen.outcomes.push(clawed.outcome);
      return clawed;
    };
    const grant: typeof ledger.grant = async (order) => {
      await isLate("grant");
      const granted = await ledger.grant(order);
      if (granted.outcome === "granted") seen.granted += 1;
      return granted;
    };
    return { ...rest, ledger: { ...ledger, clawback, grant } };
  };
  const fixture = await openFixture(t, { deps });
  const { id, session } = await fixture.buy("small");
  fixture.fake.pay(session);
  if (step === "clawback") await fixture.receiveAll();
  const settleLate = async () => {
    seen.isPausing = true;
    const late = fixture.billing.settle({ session });
    await reached.promise;
    return async () => {
      resume.resolve();
      await late;
    };
  };
  return { fixture, seen, id, session, settleLate };
}

test("a caller that grants after others saw a full refund claws the grant back", async (t) => {
  const { fixture, seen, id, session, settleLate } = await withLateSettler(t, "grant");
  const goOn = await settleLate();
  fixture.fake.refund(session);
  await fixture.receiveAll();
  assert.deepEqual(await fixture.grants(), {});
  await goOn();
  assert.equal(seen.granted, 1);
  assert.equal(await fixture.balance(), 0);
  const { grant, voided, refunded } = await fixture.purchase(id);
  assert.ok(grant);
  assert.deepEqual({ voided, refunded }, { voided: 100, refunded: 500 });
  await fixture.audit();
});

test("a caller that read before others saw a larger refund restores nothing, crashed or not", async (t) => {
  const { fixture, seen, session, settleLate } = await withLateSettler(t);
  fixture.fake.dispute(session, "needs_response");
  await fixture.receiveAll();
  fixture.fake.dispute(session, "won");
  const goOn = await settleLate();
  fixture.fake.refund(session, 250);
  await fixture.billing.settle({ session });
  assert.equal(await fixture.balance(), 50);
  await goOn();
  assert.equal(await fixture.balance(), 50);
  assert.deepEqual(seen, { isPausing: false, granted: 1, outcomes: ["stale"] });
});

test("a caller that read before others saw a smaller refund claws back nothing", async (t) => {
  const { fixture, seen, id, session, settleLate } = await withLateSettler(t);
  const half = fixture.fake.refund(session, 250);
  const goOn = await settleLate();
  fixture.fake.failRefund(half);
  await fixture.billing.settle({ session });
  assert.equal(await fixture.balance(), 100);
  await fixture.accounts.news();
  await goOn();
  assert.equal(await fixture.balance(), 100);
  assert.deepEqual(seen.outcomes, ["stale"]);
  assert.equal((await fixture.purchase(id)).voided, 0);
  assert.deepEqual(kindsOf(await fixture.accounts.news()), []);
});

for (const isFailed of [false, true])
  test(`purchases restored from before a refund ${isFailed ? "that failed since" : "of a part"} end with the credits that are paid for`, async (t) => {
    const fixture = await openFixture(t);
    const { id, session } = await paid(fixture, "small");
    const backup = await fixture.purchase(id);
    fixture.clock.at += DAY_MS;
    const half = fixture.fake.refund(session, 250);
    await fixture.receiveAll();
    assert.equal(await fixture.balance(), 50);
    const { updatedAt: seen } = await fixture.purchase(id);
    await fixture.purchases.update({ purchase: backup, seen });
    if (isFailed) fixture.fake.failRefund(half);
    fixture.clock.at += DAY_MS;
    await fixture.receiveAll();
    await fixture.billing.settle({ session });
    assert.equal(await fixture.balance(), isFailed ? 100 : 50);
    const row = await fixture.purchase(id);
    assert.deepEqual([row.voided, row.spent], isFailed ? [0, 0] : [50, 0]);
    await fixture.billing.settle({ session });
    assert.deepEqual(await fixture.purchase(id), row);
  });
