/** Money that comes back to us: nobody loses by the way in which credits come back. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DAY_MS } from "#limits.ts";
import { ADA, type BillingScene, openScene } from "../billing/billing-fixture.ts";

async function paid(scene: BillingScene, offer: string) {
  const purchase = await scene.buy(offer);
  scene.fake.pay(purchase.session);
  await scene.receiveAll();
  return purchase;
}
const kindsOf = (news: readonly { kind: string }[]) => news.map(({ kind }) => kind);

test("a refund of a part that failed tells nobody that credits are low or gone", async (t) => {
  const scene = await openScene(t);
  const { session } = await paid(scene, "small");
  await scene.spend(10);
  const part = scene.fake.refund(session, 100);
  await scene.receiveAll();
  await scene.accounts.news();
  scene.fake.failRefund(part);
  await scene.receiveAll();
  assert.equal(await scene.balance(), 90);
  assert.deepEqual(kindsOf(await scene.accounts.news()), ["credits.granted"]);
});

test("a refund of a part of the lifetime plan that failed leaves the plan as it was, and every end waived", async (t) => {
  const scene = await openScene(t);
  await paid(scene, "small");
  const { session } = await paid(scene, "lifetime");
  scene.clock.at += 60 * DAY_MS;
  const part = scene.fake.refund(session, 100);
  await scene.receiveAll();
  const before = await scene.balance();
  scene.fake.failRefund(part);
  await scene.receiveAll();
  const { balance, lifetime, grants } = await scene.ledger.credits({
    account: ADA,
    now: scene.clock.at,
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
  test(`${what} gives back credits whose end the lifetime plan has waived, after that end too`, async (t) => {
    const scene = await openScene(t);
    const { session } = await paid(scene, "small");
    await paid(scene, "lifetime");
    await scene.spend(10);
    scene.clock.at += 60 * DAY_MS;
    const balance = await scene.balance();
    const refund = end === "refund" ? scene.fake.refund(session) : null;
    if (refund === null) scene.fake.dispute(session, "needs_response");
    await scene.receiveAll();
    assert.ok((await scene.balance()) < balance);
    if (refund === null) scene.fake.dispute(session, "won");
    else scene.fake.failRefund(refund);
    await scene.receiveAll();
    assert.equal(await scene.balance(), balance);
  });

test("the lifetime plan outlives a refund of a part and a dispute that is won, with all of its credits spent", async (t) => {
  const scene = await openScene(t);
  const pack = await paid(scene, "small");
  const { session } = await paid(scene, "lifetime");
  await scene.spend(600);
  const isOnPlan = async () =>
    (await scene.ledger.credits({ account: ADA, now: scene.clock.at })).lifetime;
  scene.fake.refund(session, 19_800);
  await scene.receiveAll();
  assert.equal(await isOnPlan(), true);
  scene.fake.dispute(session, "needs_response");
  await scene.receiveAll();
  assert.equal(await isOnPlan(), false);
  scene.fake.dispute(session, "won");
  await scene.receiveAll();
  assert.equal(await isOnPlan(), true);
  assert.equal(await scene.balance(), 0);
  // The pack's end is waived again.
  const { grants } = await scene.ledger.credits({ account: ADA, now: scene.clock.at });
  const { grant } = await scene.purchase(pack.id);
  assert.equal(grants.find(({ id }) => id === grant)?.expiresAt, null);
});

test("whoever gave credits back and died before the row told of it leaves a grant that grows with what comes back later", async (t) => {
  let isDying = false;
  const house = ({ ledger, ...rest }: BillingScene["house"]) => {
    const clawback: typeof ledger.clawback = async (order) => {
      const clawed = await ledger.clawback(order);
      if (isDying) throw new Error("killed");
      return clawed;
    };
    return { ...rest, ledger: { ...ledger, clawback } };
  };
  const scene = await openScene(t, { house });
  const { session } = await paid(scene, "small");
  const half = scene.fake.refund(session, 250);
  scene.fake.dispute(session, "needs_response");
  await scene.receiveAll();
  assert.equal(await scene.balance(), 0);
  scene.fake.dispute(session, "won");
  isDying = true;
  await assert.rejects(scene.receiveAll(), /killed/);
  isDying = false;
  assert.equal(await scene.balance(), 50);
  scene.fake.failRefund(half);
  await scene.receiveAll();
  assert.equal(await scene.balance(), 100);
  const grants = await scene.grants();
  await scene.billing.settle({ session });
  assert.deepEqual(await scene.grants(), grants);
});

/** Settlers of whom one waits before this step; the purchase was paid. */
async function withLateSettler(t: TestContext, step: "grant" | "clawback" = "clawback") {
  const resume = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const seen = { isPausing: false, granted: 0, outcomes: [] as string[] };
  const house = ({ ledger, ...rest }: BillingScene["house"]) => {
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
  const scene = await openScene(t, { house });
  const { id, session } = await scene.buy("small");
  scene.fake.pay(session);
  if (step === "clawback") await scene.receiveAll();
  const settleLate = async () => {
    seen.isPausing = true;
    const late = scene.billing.settle({ session });
    await reached.promise;
    return async () => {
      resume.resolve();
      await late;
    };
  };
  return { scene, seen, id, session, settleLate };
}

test("whoever grants after others saw that all was refunded takes it back", async (t) => {
  const { scene, seen, id, session, settleLate } = await withLateSettler(t, "grant");
  const goOn = await settleLate();
  scene.fake.refund(session);
  await scene.receiveAll();
  assert.deepEqual(await scene.grants(), {});
  await goOn();
  assert.equal(seen.granted, 1);
  assert.equal(await scene.balance(), 0);
  const { grant, voided, refunded } = await scene.purchase(id);
  assert.ok(grant);
  assert.deepEqual({ voided, refunded }, { voided: 100, refunded: 500 });
  await scene.audit();
});

test("whoever looked before others saw more gives nothing, killed or not", async (t) => {
  const { scene, seen, session, settleLate } = await withLateSettler(t);
  scene.fake.dispute(session, "needs_response");
  await scene.receiveAll();
  scene.fake.dispute(session, "won");
  const goOn = await settleLate();
  scene.fake.refund(session, 250);
  await scene.billing.settle({ session });
  assert.equal(await scene.balance(), 50);
  await goOn();
  assert.equal(await scene.balance(), 50);
  assert.deepEqual(seen, { isPausing: false, granted: 1, outcomes: ["stale"] });
});

test("whoever looked before others saw less takes nothing", async (t) => {
  const { scene, seen, id, session, settleLate } = await withLateSettler(t);
  const half = scene.fake.refund(session, 250);
  const goOn = await settleLate();
  scene.fake.failRefund(half);
  await scene.billing.settle({ session });
  assert.equal(await scene.balance(), 100);
  await scene.accounts.news();
  await goOn();
  assert.equal(await scene.balance(), 100);
  assert.deepEqual(seen.outcomes, ["stale"]);
  assert.equal((await scene.purchase(id)).voided, 0);
  assert.deepEqual(kindsOf(await scene.accounts.news()), []);
});

for (const isFailed of [false, true])
  test(`a book that was restored from before a refund ${isFailed ? "that failed since" : "of a part"} comes to what is paid`, async (t) => {
    const scene = await openScene(t);
    const { id, session } = await paid(scene, "small");
    const backup = await scene.purchase(id);
    scene.clock.at += DAY_MS;
    const half = scene.fake.refund(session, 250);
    await scene.receiveAll();
    assert.equal(await scene.balance(), 50);
    const { updatedAt: seen } = await scene.purchase(id);
    await scene.book.update({ purchase: backup, seen });
    if (isFailed) scene.fake.failRefund(half);
    scene.clock.at += DAY_MS;
    await scene.receiveAll();
    await scene.billing.settle({ session });
    assert.equal(await scene.balance(), isFailed ? 100 : 50);
    const row = await scene.purchase(id);
    assert.deepEqual([row.voided, row.spent], isFailed ? [0, 0] : [50, 0]);
    await scene.billing.settle({ session });
    assert.deepEqual(await scene.purchase(id), row);
  });
