/** Money that comes back to us: nobody loses by the way in which credits come back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "#limits.ts";
import { ADA, type BillingScene, openScene } from "../billing/billing-scene.ts";

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

test("whoever gave credits back and died before the row told of it leaves a grant that grows with what comes back later", async (t) => {
  let isDying = false;
  const house = ({ ledger, ...rest }: BillingScene["house"]) => {
    const grant: typeof ledger.grant = async (order) => {
      const granted = await ledger.grant(order);
      if (isDying) throw new Error("killed");
      return granted;
    };
    return { ...rest, ledger: { ...ledger, grant } };
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

test("a call that is given back after another grant took its grant's place has its credit again", async (t) => {
  const scene = await openScene(t);
  const { session } = await paid(scene, "small");
  const call = { callId: "late", now: scene.clock.at };
  await scene.accounts.debit(ADA, call);
  await scene.spend(9);
  for (const status of ["needs_response", "won"] as const) {
    scene.fake.dispute(session, status);
    await scene.receiveAll();
  }
  assert.equal(await scene.balance(), 90);
  const ref = { account: ADA, callId: call.callId, at: call.now };
  assert.deepEqual(await scene.ledger.reverse({ ...ref, now: scene.clock.at }), { reversed: true });
  await scene.billing.settle({ session });
  assert.equal(await scene.balance(), 91);
});

test("whoever looked before others saw more gives nothing, killed or not", async (t) => {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  let isPausing = false;
  const granted: number[] = [];
  const house = ({ ledger, ...rest }: BillingScene["house"]) => {
    const credits: typeof ledger.credits = async (order) => {
      if (isPausing) {
        isPausing = false;
        reached.resolve();
        await gate.promise;
      }
      return ledger.credits(order);
    };
    const grant: typeof ledger.grant = (order) => {
      granted.push(order.amount);
      return ledger.grant(order);
    };
    return { ...rest, ledger: { ...ledger, credits, grant } };
  };
  const scene = await openScene(t, { house });
  const { session } = await paid(scene, "small");
  scene.fake.dispute(session, "needs_response");
  await scene.receiveAll();
  scene.fake.dispute(session, "won");
  isPausing = true;
  const stale = scene.billing.settle({ session });
  await reached.promise;
  scene.fake.refund(session, 250);
  await scene.billing.settle({ session });
  assert.equal(await scene.balance(), 50);
  gate.resolve();
  await stale;
  assert.equal(await scene.balance(), 50);
  assert.deepEqual(granted, [100, 50]);
});
