/** The audit of purchases against the ledger, without asking Stripe. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { auditPurchases } from "#billing/audit-purchases.ts";
import { ADA, type BillingFixture, openFixture, START } from "./billing-fixture.ts";

const HOUR = 3_600_000;

function auditOf({ purchases, ledger, clock }: BillingFixture) {
  async function* grants() {
    const { grants: all } = await ledger.credits({ account: ADA, now: clock.at });
    yield all.map((grant) => ({ account: ADA, ...grant }));
  }
  return auditPurchases(purchases, { ledger, grants }, clock.at);
}

test("bought, refunded and spent credits are in order", async (t) => {
  const fixture = await openFixture(t);
  const { fake, buy, receiveAll, spend, clock } = fixture;
  const [one, two] = [await buy(), await buy()];
  await buy();
  fake.pay(one.session);
  fake.pay(two.session);
  await receiveAll();
  await spend(3);
  fake.refund(two.session);
  await receiveAll();
  clock.at += HOUR;
  assert.deepEqual(await auditOf(fixture), []);
});

test("a payment for a closed account is reported until it is fully refunded", async (t) => {
  const fixture = await openFixture(t);
  const { fake, buy, receiveAll, ledger } = fixture;
  const { id, session } = await buy();
  await ledger.changeAccount({ account: ADA, now: START, state: "closed" });
  fake.pay(session);
  await receiveAll();
  const fault = `The purchase ${id} of ${ADA} is paid, but could not be granted (account_closed): refund it`;
  assert.deepEqual(await auditOf(fixture), [fault]);
  fake.refund(session, 100);
  await receiveAll();
  assert.deepEqual(await auditOf(fixture), [fault]);
  fake.refund(session);
  await receiveAll();
  assert.deepEqual(await auditOf(fixture), []);
});

test("a paid purchase without a grant is reported after a minute", async (t) => {
  const fixture = await openFixture(t);
  const { fake, buy, receiveAll, purchase, clock } = fixture;
  const { id, session } = await buy();
  fake.pay(session);
  await receiveAll();
  const { purchases } = fixture;
  const row = await purchase(id);
  const seen = row.updatedAt;
  // A ledger restored from a backup: the payment is another one, which has no grant.
  const lost = { ...row, payment: "pi_lost", session: "cs_lost", grant: null };
  await purchases.update({ purchase: { ...lost, updatedAt: seen + 1 }, seen });
  const about = (faults: string[]) => faults.filter((fault) => fault.includes(id));
  assert.deepEqual(about(await auditOf(fixture)), []);
  clock.at += HOUR;
  assert.deepEqual(about(await auditOf(fixture)), [
    `The purchase ${id} of ${ADA} is paid, but its credits were not granted: run \`npm run -s toolbooth -- payments reconcile\``,
  ]);
  const named = { ...lost, grant: "stripe:pi_lost", updatedAt: seen + 2 };
  await purchases.update({ purchase: named, seen: seen + 1 });
  assert.deepEqual(about(await auditOf(fixture)), [
    `The purchase ${id} of ${ADA} names the grant stripe:pi_lost, which the ledger does not have`,
  ]);
});

test("a grant that no row names is reported with its id, and reconciling repairs it", async (t) => {
  const fixture = await openFixture(t);
  const { fake, buy, receiveAll, purchase, purchases, billing, clock } = fixture;
  const { id, session } = await buy();
  fake.pay(session);
  await receiveAll();
  const row = await purchase(id);
  // The state after a crash between the grant and the row.
  await purchases.update({
    purchase: { ...row, grant: null, updatedAt: row.updatedAt + 1 },
    seen: row.updatedAt,
  });
  assert.deepEqual(await auditOf(fixture), [], "it may be under way");
  clock.at += HOUR;
  assert.deepEqual(await auditOf(fixture), [
    `The purchase ${id} of ${ADA} has the grant stripe:${fake.paymentOf(session)}, which its row does not name: run \`npm run -s toolbooth -- payments reconcile\``,
  ]);
  await billing.compare({ since: START });
  assert.deepEqual(await auditOf(fixture), []);
});

test("a grant of another size than its purchase is reported, be it smaller or larger", async (t) => {
  const fixture = await openFixture(t);
  const { fake, buy, receiveAll, purchase, purchases } = fixture;
  const [{ id: small, session: one }, { id: large, session: two }] = [
    await buy(),
    await buy("large"),
  ];
  fake.pay(one);
  fake.pay(two);
  await receiveAll();
  const rows = [await purchase(small), await purchase(large)];
  const grants = rows.map(({ grant }) => grant);
  for (const [index, row] of rows.entries()) {
    const seen = row.updatedAt;
    const other = grants[1 - index] ?? null;
    await purchases.update({ purchase: { ...row, grant: other, updatedAt: seen + 1 }, seen });
  }
  assert.deepEqual(
    (await auditOf(fixture)).toSorted(),
    [
      `The purchase ${small} of ${ADA} is for 100 credits, but its grant ${grants[1]} is for 1,000`,
      `The purchase ${large} of ${ADA} is for 1,000 credits, but its grant ${grants[0]} is for 100`,
    ].toSorted(),
  );
});
