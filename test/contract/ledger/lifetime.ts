import assert from "node:assert/strict";
import { createRule, DAY, type Fixture, type OpenLedger, START } from "./fixture.ts";

const SOON = START + DAY;
const LATER = START + 10 * DAY;

/** The lifetime plan: a state of the account, by which none of its grants expires. */
export function describeLifetime(open: OpenLedger) {
  const test = createRule(open);

  test("a lifetime grant waives the expiries of all grants, which are stored for later", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 1 });
    await fixture.grant(account, "soon", 2, { expiresAt: SOON });
    await fixture.grant(account, "later", 3, { kind: "pack", expiresAt: LATER });
    const given = { id: "plan", kind: "lifetime", amount: 50, remaining: 50, grantedAt: START };
    assert.deepEqual(await buyPlan(fixture, account), {
      outcome: "granted",
      grant: { ...given, expiresAt: null, waivedExpiresAt: null },
    });
    assert.deepEqual(await fixture.ends(account), {
      first: [null, null],
      soon: [null, SOON],
      later: [null, LATER],
      plan: [null, null],
    });
    assert.equal(await fixture.balance(account, START + 900 * DAY), 56);
    assert.equal((await fixture.totals(START + 900 * DAY)).expired, 0);
  });

  test("credits that had expired when the plan started stay expired, to the millisecond", async (fixture) => {
    const [ada, bob] = [await fixture.account("Ada"), await fixture.account("Bob")];
    for (const account of [ada, bob]) await fixture.grant(account, "soon", 2, { expiresAt: SOON });
    await buyPlan(fixture, ada, { now: SOON });
    await buyPlan(fixture, bob, { now: SOON - 1 });
    assert.deepEqual((await fixture.ends(ada))["soon"], [SOON, null]);
    assert.deepEqual((await fixture.ends(bob))["soon"], [null, SOON]);
    assert.deepEqual(
      [await fixture.balance(ada, SOON), await fixture.balance(bob, SOON)],
      [50, 52],
    );
    assert.equal((await fixture.totals(SOON)).expired, 2);
  });

  test("a grant that is made on the plan does not expire, and stores its original expiry", async (fixture) => {
    const account = await fixture.account();
    await buyPlan(fixture, account);
    const given = { kind: "pack", expiresAt: SOON, now: START + 1 } as const;
    const grant = { id: "pack", kind: "pack", amount: 7, remaining: 7, grantedAt: START + 1 };
    const kept = { ...grant, expiresAt: null, waivedExpiresAt: SOON };
    assert.deepEqual(await fixture.grant(account, "pack", 7, given), {
      outcome: "granted",
      grant: kept,
    });
    assert.deepEqual(await fixture.grant(account, "pack", 7, given), {
      outcome: "already_granted",
      grant: kept,
    });
    assert.equal(await fixture.balance(account, START + 900 * DAY), 57);
  });

  test("on the plan, the oldest credits are spent first, whatever their original expiries", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "old", 1, { expiresAt: LATER, now: START - 9 });
    await fixture.grant(account, "young", 1, { expiresAt: SOON, now: START - 7 });
    await buyPlan(fixture, account, { now: START - 8 });
    await fixture.grant(account, "older", 1, { expiresAt: SOON, now: START - 10 });
    const order = ["older", "old", "plan", "young"];
    assert.deepEqual(Object.keys(await fixture.remaining(account)), order);
    await fixture.debit(account, { now: LATER });
    await fixture.debit(account, { now: LATER });
    assert.deepEqual(await fixture.remaining(account), { plan: 50, young: 1, older: 0, old: 0 });
  });

  test("an account reports whether it is on the plan", async (fixture) => {
    const [ada, bob] = [await fixture.account("Ada"), await fixture.account("Bob", { credits: 5 })];
    const saysPlan = async (account: string) => [
      (await fixture.ledger.findAccount({ account, now: START }))?.lifetime,
      (await fixture.ledger.credits({ account, now: START })).lifetime,
    ];
    for (const kind of ["starter", "pack", "operator"] as const)
      await fixture.grant(ada, kind, 1, { kind });
    assert.deepEqual(await saysPlan(ada), [false, false]);
    await buyPlan(fixture, ada);
    assert.deepEqual(await saysPlan(ada), [true, true]);
    assert.deepEqual(await saysPlan(bob), [false, false], "an account for itself");
  });

  test("when the plan is clawed back in full, every grant gets its expiry back", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 1 });
    await fixture.grant(account, "later", 3, { expiresAt: LATER });
    await buyPlan(fixture, account);
    await fixture.grant(account, "soon", 2, { expiresAt: SOON, now: START + 1 });
    assert.deepEqual(await fixture.clawback(account, "plan", 50, undefined, START + 2), {
      outcome: "clawed_back",
      voided: 50,
      spent: 0,
    });
    assert.deepEqual(await fixture.ends(account, START + 2), {
      soon: [SOON, null],
      later: [LATER, null],
      first: [null, null],
      plan: [null, null],
    });
    const order = Object.keys(await fixture.remaining(account, START + 2));
    assert.deepEqual(order, ["soon", "later", "first", "plan"], "they are spent by their ends");
    assert.equal(await fixture.balance(account, SOON - 1), 6);
    assert.equal(await fixture.balance(account, SOON), 4);
    assert.equal(await fixture.balance(account, LATER), 1);
    assert.equal((await fixture.ledger.findAccount({ account, now: START }))?.lifetime, false);
  });

  test("a waived expiry that has passed takes effect when the plan ends", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "soon", 5, { expiresAt: SOON });
    await buyPlan(fixture, account, { amount: 2 });
    await fixture.debit(account, { now: SOON + DAY });
    const now = SOON + 2 * DAY;
    assert.equal(await fixture.balance(account, now), 6);
    await fixture.clawback(account, "plan", 2, undefined, now);
    assert.equal(await fixture.balance(account, now), 0);
    const { expired, voided, debited } = await fixture.totals(now);
    assert.deepEqual({ expired, voided, debited }, { expired: 4, voided: 2, debited: 1 });
    assert.equal((await fixture.debit(account, { now })).outcome, "insufficient_credits");
  });

  test("a plan that has ended can start again", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "soon", 2, { expiresAt: SOON });
    await fixture.grant(account, "later", 3, { expiresAt: LATER });
    await buyPlan(fixture, account);
    await fixture.clawback(account, "plan", 50);
    assert.equal((await buyPlan(fixture, account, { now: SOON })).outcome, "already_granted");
    assert.deepEqual(
      (await fixture.ends(account))["later"],
      [LATER, null],
      "asking again is nothing",
    );
    await buyPlan(fixture, account, { id: "again", now: SOON });
    const { soon, later } = await fixture.ends(account, SOON);
    assert.deepEqual({ soon, later }, { soon: [SOON, null], later: [null, LATER] });
    await fixture.clawback(account, "plan", 50, undefined, SOON);
    assert.deepEqual(
      (await fixture.ends(account, SOON))["later"],
      [null, LATER],
      "it ended before",
    );
  });

  test("a credit that is returned on the plan does not expire", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "soon", 1, { expiresAt: SOON });
    const order = fixture.debitOrder(account);
    await fixture.ledger.debit(order);
    await buyPlan(fixture, account);
    await fixture.reverse(order, START + 1);
    assert.deepEqual(
      (await fixture.ends(account))["soon"],
      [null, SOON],
      "it was spent as it began",
    );
    assert.equal(await fixture.balance(account, LATER), 51);
  });
}

type Plan = { id?: string; amount?: number; now?: number; expiresAt?: number };

const buyPlan = (fixture: Fixture, account: string, { id, amount, ...more }: Plan = {}) =>
  fixture.grant(account, id ?? "plan", amount ?? 50, { kind: "lifetime", ...more });
