import assert from "node:assert/strict";
import { OrderRefused } from "#ledger/port.ts";
import { allEntries, createRule, DAY, type OpenLedger, type Scene, START } from "./fixture.ts";

const SOON = START + DAY;
const LATER = START + 10 * DAY;

/** The lifetime plan: a state of the account, by which none of its grants expires. */
export function describeLifetime(open: OpenLedger) {
  const rule = createRule(open);

  rule(
    "a lifetime grant takes the ends from all grants, which keep them for later",
    async (scene) => {
      const account = await scene.account("Ada", { credits: 1 });
      await scene.grant(account, "soon", 2, { expiresAt: SOON });
      await scene.grant(account, "later", 3, { kind: "pack", expiresAt: LATER });
      const given = { id: "plan", kind: "lifetime", amount: 50, remaining: 50, grantedAt: START };
      assert.deepEqual(await buyPlan(scene, account), {
        outcome: "granted",
        grant: { ...given, expiresAt: null, waivedExpiresAt: null },
      });
      assert.deepEqual(await scene.ends(account), {
        first: [null, null],
        soon: [null, SOON],
        later: [null, LATER],
        plan: [null, null],
      });
      assert.equal(await scene.balance(account, START + 900 * DAY), 56);
      assert.equal((await scene.books(START + 900 * DAY)).expired, 0);
    },
  );

  rule("what had expired when the plan began stays expired, to the millisecond", async (scene) => {
    const [ada, bob] = [await scene.account("Ada"), await scene.account("Bob")];
    for (const account of [ada, bob]) await scene.grant(account, "soon", 2, { expiresAt: SOON });
    await buyPlan(scene, ada, { now: SOON });
    await buyPlan(scene, bob, { now: SOON - 1 });
    assert.deepEqual((await scene.ends(ada))["soon"], [SOON, null]);
    assert.deepEqual((await scene.ends(bob))["soon"], [null, SOON]);
    assert.deepEqual([await scene.balance(ada, SOON), await scene.balance(bob, SOON)], [50, 52]);
    assert.equal((await scene.books(SOON)).expired, 2);
  });

  rule(
    "a grant made on the plan does not expire, and keeps the end it was made with",
    async (scene) => {
      const account = await scene.account();
      await buyPlan(scene, account);
      const given = { kind: "pack", expiresAt: SOON, now: START + 1 } as const;
      const grant = { id: "pack", kind: "pack", amount: 7, remaining: 7, grantedAt: START + 1 };
      const kept = { ...grant, expiresAt: null, waivedExpiresAt: SOON };
      assert.deepEqual(await scene.grant(account, "pack", 7, given), {
        outcome: "granted",
        grant: kept,
      });
      assert.deepEqual(await scene.grant(account, "pack", 7, given), {
        outcome: "already_granted",
        grant: kept,
      });
      assert.equal(await scene.balance(account, START + 900 * DAY), 57);
    },
  );

  rule("a lifetime grant with an end is rejected and changes nothing", async (scene) => {
    const account = await scene.account();
    await scene.grant(account, "soon", 2, { expiresAt: SOON });
    await assert.rejects(buyPlan(scene, account, { expiresAt: LATER }), OrderRefused);
    assert.deepEqual(await scene.ends(account), { soon: [SOON, null] });
    assert.equal((await buyPlan(scene, account)).outcome, "granted");
  });

  rule(
    "on the plan the oldest credits are spent first, whatever their ends were",
    async (scene) => {
      const account = await scene.account();
      await scene.grant(account, "old", 1, { expiresAt: LATER, now: START - 9 });
      await scene.grant(account, "young", 1, { expiresAt: SOON, now: START - 7 });
      await buyPlan(scene, account, { now: START - 8 });
      await scene.grant(account, "older", 1, { expiresAt: SOON, now: START - 10 });
      const order = ["older", "old", "plan", "young"];
      assert.deepEqual(Object.keys(await scene.remaining(account)), order);
      await scene.debit(account, { now: LATER });
      await scene.debit(account, { now: LATER });
      assert.deepEqual(await scene.remaining(account), { plan: 50, young: 1, older: 0, old: 0 });
    },
  );

  rule("an account says whether it is on the plan", async (scene) => {
    const [ada, bob] = [await scene.account("Ada"), await scene.account("Bob", { credits: 5 })];
    const saysPlan = async (account: string) => [
      (await scene.ledger.findAccount({ account, now: START }))?.lifetime,
      (await scene.ledger.credits({ account, now: START })).lifetime,
    ];
    for (const kind of ["starter", "pack", "operator"] as const)
      await scene.grant(ada, kind, 1, { kind });
    assert.deepEqual(await saysPlan(ada), [false, false]);
    await buyPlan(scene, ada);
    assert.deepEqual(await saysPlan(ada), [true, true]);
    assert.deepEqual(await saysPlan(bob), [false, false], "an account for itself");
  });

  rule("the plan goes on when its credits are spent or clawed back in part", async (scene) => {
    const account = await scene.account();
    await scene.grant(account, "soon", 2, { expiresAt: SOON });
    await buyPlan(scene, account, { amount: 3, now: START - 1 });
    for (let calls = 0; calls < 3; calls += 1) await scene.debit(account);
    await scene.clawback(account, "plan", 2);
    assert.deepEqual(await scene.remaining(account), { soon: 2, plan: 0 });
    assert.equal((await scene.ledger.credits({ account, now: START })).lifetime, true);
    assert.deepEqual((await scene.ends(account))["soon"], [null, SOON]);
  });

  rule("a plan that is clawed back whole gives every grant its end back", async (scene) => {
    const account = await scene.account("Ada", { credits: 1 });
    await scene.grant(account, "later", 3, { expiresAt: LATER });
    await buyPlan(scene, account);
    await scene.grant(account, "soon", 2, { expiresAt: SOON, now: START + 1 });
    assert.deepEqual(await scene.clawback(account, "plan", 50, undefined, START + 2), {
      outcome: "clawed_back",
      voided: 50,
      spent: 0,
    });
    assert.deepEqual(await scene.ends(account, START + 2), {
      soon: [SOON, null],
      later: [LATER, null],
      first: [null, null],
      plan: [null, null],
    });
    const order = Object.keys(await scene.remaining(account, START + 2));
    assert.deepEqual(order, ["soon", "later", "first", "plan"], "they are spent by their ends");
    assert.equal(await scene.balance(account, SOON - 1), 6);
    assert.equal(await scene.balance(account, SOON), 4);
    assert.equal(await scene.balance(account, LATER), 1);
    assert.equal((await scene.ledger.findAccount({ account, now: START }))?.lifetime, false);
  });

  rule("an end that has passed on the plan is one again when the plan ends", async (scene) => {
    const account = await scene.account();
    await scene.grant(account, "soon", 5, { expiresAt: SOON });
    await buyPlan(scene, account, { amount: 2 });
    await scene.debit(account, { now: SOON + DAY });
    const now = SOON + 2 * DAY;
    assert.equal(await scene.balance(account, now), 6);
    await scene.clawback(account, "plan", 2, undefined, now);
    assert.equal(await scene.balance(account, now), 0);
    const { expired, voided, debited } = await scene.books(now);
    assert.deepEqual({ expired, voided, debited }, { expired: 4, voided: 2, debited: 1 });
    assert.equal((await scene.debit(account, { now })).outcome, "insufficient_credits");
  });

  rule("of two lifetime grants the plan ends with the last one", async (scene) => {
    const account = await scene.account();
    await scene.grant(account, "soon", 2, { expiresAt: SOON });
    await buyPlan(scene, account, { id: "one", amount: 10 });
    await buyPlan(scene, account, { id: "two", amount: 20 });
    await scene.clawback(account, "one", 10);
    assert.deepEqual((await scene.ends(account))["soon"], [null, SOON]);
    await scene.clawback(account, "one", 10);
    assert.equal((await scene.ledger.credits({ account, now: START })).lifetime, true);
    await scene.clawback(account, "two", 20);
    assert.deepEqual((await scene.ends(account))["soon"], [SOON, null]);
  });

  rule("a plan that has ended can begin again", async (scene) => {
    const account = await scene.account();
    await scene.grant(account, "soon", 2, { expiresAt: SOON });
    await scene.grant(account, "later", 3, { expiresAt: LATER });
    await buyPlan(scene, account);
    await scene.clawback(account, "plan", 50);
    assert.equal((await buyPlan(scene, account, { now: SOON })).outcome, "already_granted");
    assert.deepEqual(
      (await scene.ends(account))["later"],
      [LATER, null],
      "asking again is nothing",
    );
    await buyPlan(scene, account, { id: "again", now: SOON });
    const { soon, later } = await scene.ends(account, SOON);
    assert.deepEqual({ soon, later }, { soon: [SOON, null], later: [null, LATER] });
    await scene.clawback(account, "plan", 50, undefined, SOON);
    assert.deepEqual((await scene.ends(account, SOON))["later"], [null, LATER], "it ended before");
  });

  rule("a credit that comes back on the plan does not expire either", async (scene) => {
    const account = await scene.account();
    await scene.grant(account, "soon", 1, { expiresAt: SOON });
    const order = scene.debitOrder(account);
    await scene.ledger.debit(order);
    await buyPlan(scene, account);
    await scene.ledger.reverse({ account, callId: order.callId, at: START, now: START + 1 });
    assert.deepEqual((await scene.ends(account))["soon"], [null, SOON], "it was spent as it began");
    assert.equal(await scene.balance(account, LATER), 51);
  });

  rule(
    "the list of entries knows no expiry while it is waived, and the old one after",
    async (scene) => {
      const account = await scene.account();
      await scene.grant(account, "soon", 2, { expiresAt: SOON });
      await buyPlan(scene, account);
      const kinds = async () =>
        (await allEntries(scene.ledger, account, LATER)).map(
          ({ kind, at, credits, grant }) => `${kind} ${at - START} ${credits} ${grant?.id}`,
        );
      const grants = ["grant 0 2 soon", "grant 0 50 plan"];
      assert.deepEqual((await kinds()).sort(), grants);
      await scene.clawback(account, "plan", 50, undefined, LATER);
      const lost = [`expiry ${SOON - START} -2 soon`, `void ${LATER - START} -50 plan`];
      assert.deepEqual((await kinds()).sort(), [...lost, ...grants].sort());
    },
  );
}

type Plan = { id?: string; amount?: number; now?: number; expiresAt?: number };

const buyPlan = (scene: Scene, account: string, { id, amount, ...more }: Plan = {}) =>
  scene.grant(account, id ?? "plan", amount ?? 50, { kind: "lifetime", ...more });
