/**
 * Whatever happens to a payment, and however often, in whatever order and after whichever crash we hear of it: in the end
 * the credits match the money. `test/sales` has random lives of payments.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { BillingDeps } from "#billing/billing-deps.ts";
import { type FakeStripe, startFakeStripe } from "../stripe/fake-stripe.ts";
import type { Message } from "../stripe/messages.ts";
import { type Break, Broken, breaking } from "../support/breaking.ts";
import { ADA, type BillingFixture, openFixture, START } from "./billing-fixture.ts";

const CREDITS = 100;

/** One fake for many runs: each has its own checkout page. */
async function oneFake(t: TestContext): Promise<FakeStripe> {
  const fake = await startFakeStripe({ now: () => START });
  t.after(() => fake.close());
  return fake;
}

/** The credits of the purchase that its owner should have now. */
async function due(fixture: BillingFixture, id: string, spent: number): Promise<number> {
  const { status, paid, refunded, dispute } = await fixture.purchase(id);
  if (status !== "paid" || dispute === "open" || dispute === "lost") return 0;
  const back = Math.floor((CREDITS * refunded) / paid);
  return Math.max(0, CREDITS - back - spent);
}

async function assertSettled(fixture: BillingFixture, id: string, spent: number): Promise<void> {
  await fixture.audit();
  assert.equal(await fixture.balance(), await due(fixture, id, spent));
  const { grants } = await fixture.ledger.credits({ account: ADA, now: START });
  const { grant } = await fixture.purchase(id);
  assert.deepEqual(
    grants.map((each) => [each.id, each.amount]),
    grant ? [[grant, CREDITS]] : [],
  );
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, place) =>
    permutations(items.toSpliced(place, 1)).map((rest) => [item, ...rest]),
  );
}

const TOLD = [
  ...["checkout.session.completed", "charge.succeeded", "checkout.session.async_payment_succeeded"],
  ...["refund.created", "charge.refunded"],
];

test("every order of the events of one payment ends in the same grants and the same purchase", async (t) => {
  const fake = await oneFake(t);
  const ends = new Set<string>();
  for (const order of permutations([0, 1, 2, 3])) {
    const fixture = await openFixture(t, { fake });
    const { id, session } = await fixture.buy();
    fake.payLater(session);
    fake.arrive(session);
    fake.refund(session, 250);
    const told = fake.take().filter(({ type }) => TOLD.includes(type));
    assert.deepEqual(
      told.map(({ type }) => type),
      TOLD,
    );
    // The first event arrives first, the others in any order.
    await fixture.receive(told[0] as Message);
    for (const place of order) await fixture.receive(told[place + 1] as Message);
    await assertSettled(fixture, id, 0);
    const { voided, spent, status, refunded } = await fixture.purchase(id);
    ends.add(JSON.stringify([voided, spent, status, refunded, await fixture.grants()]));
  }
  assert.deepEqual([...ends], ['[50,0,"paid",250,{"grant":"100/50"}]']);
});

/** A service that crashes at one step: before it is carried out, or after. */
function crashing(deps: BillingDeps, fault: Break): BillingDeps {
  const { provider, purchases, ledger } = deps;
  return {
    ...deps,
    provider: breaking(provider, fault),
    purchases: breaking(purchases, fault),
    ledger: breaking(ledger, fault),
  };
}

/** A payment with one crash in it; returns whether the crash happened. `again`: the webhook is repeated at once. */
async function payWithCrash(
  t: TestContext,
  fake: FakeStripe,
  crash: Pick<Break, "left" | "after">,
  again: boolean,
) {
  const state: Break = { left: 0, after: crash.after, forGood: false };
  const fixture = await openFixture(t, { fake, deps: (deps) => crashing(deps, state) });
  const { id, session } = await fixture.buy();
  const settle = () => fixture.billing.settle({ session });
  let spent = 0;
  const acts = [
    () => fake.pay(session),
    async () => {
      spent = Math.min(30, await fixture.balance());
      await fixture.spend(spent);
    },
    () => void fake.refund(session, 100),
    () => void fake.dispute(session, "needs_response"),
    () => void fake.dispute(session, "won"),
  ];
  state.left = crash.left;
  for (const act of acts) {
    await act();
    await settle().catch((error: unknown) => {
      assert.ok(error instanceof Broken, String(error));
      return again ? settle() : undefined;
    });
  }
  const isOver = state.left <= 0;
  state.left = 0;
  await settle();
  await assertSettled(fixture, id, spent);
  return isOver;
}

const CRASHES = [
  { after: false, again: true },
  { after: true, again: false },
];

for (const { after, again } of CRASHES) {
  const when = `${after ? "after" : "before"} any step`;
  const then = again ? "with the webhook repeated" : "with the next webhook";
  test(`a payment completes after a crash ${when}, ${then}`, async (t) => {
    const fake = await oneFake(t);
    let left = 1;
    while (await payWithCrash(t, fake, { left, after }, again)) left += 1;
    assert.ok(left > 25, `only ${left} steps were tried`);
  });
}

test("settled by eight callers at once, again and again, a payment has one grant and loses nothing", async (t) => {
  const fake = await oneFake(t);
  const fixture = await openFixture(t, { fake });
  const { id, session } = await fixture.buy();
  const settleTogether = () =>
    Promise.all(Array.from({ length: 8 }, () => fixture.billing.settle({ session })));
  fake.pay(session);
  await settleTogether();
  await fixture.spend(10);
  for (const status of ["needs_response", "won"] as const) {
    fake.dispute(session, status);
    await settleTogether();
  }
  await assertSettled(fixture, id, 10);
  assert.deepEqual(await fixture.grants(), { grant: "100/90" });
});

test("a settlement that read the payment before a refund of the same millisecond does not give the credits back", async (t) => {
  const read = Promise.withResolvers<void>();
  const refunded = Promise.withResolvers<void>();
  let isSlow = false;
  const fixture = await openFixture(t, {
    deps: (deps) => ({
      ...deps,
      provider: {
        ...deps.provider,
        async fetchPayment(ref) {
          const state = await deps.provider.fetchPayment(ref);
          if (isSlow) {
            isSlow = false;
            read.resolve();
            await refunded.promise;
          }
          return state;
        },
      },
    }),
  });
  const { fake, billing } = fixture;
  const { id, session } = await fixture.buy();
  fake.pay(session);
  await billing.settle({ session });
  isSlow = true;
  const slow = billing.settle({ session });
  await read.promise;
  fake.refund(session, 250);
  await billing.settle({ session });
  refunded.resolve();
  await slow;
  await assertSettled(fixture, id, 0);
  assert.deepEqual(await fixture.grants(), { grant: "100/50" });
});
