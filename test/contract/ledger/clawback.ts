import assert from "node:assert/strict";
import {
  clawedBack,
  describeClawbackAmounts,
  reverseCall,
  spendCredits,
} from "./clawback-amounts.ts";
import { describeClawbackEvents } from "./clawback-events.ts";
import { allEntries, createRule, DAY, type OpenLedger, START } from "./fixture.ts";

const stale = (voided: number, spent = 0) => ({ outcome: "stale", voided, spent });

/** What is taken back of a grant because its price was paid back, and what comes back where that was undone. */
export function describeClawback(open: OpenLedger) {
  const rule = createRule(open);
  describeClawbackAmounts(rule);
  describeVersions(rule);
  describeReturns(rule);
  describeClawbackEvents(rule);
  describeStates(rule);
  describePlans(rule);
  describeTogether(rule);
}

type Rule = ReturnType<typeof createRule>;

function describeVersions(rule: Rule) {
  rule("an older version changes nothing and returns the state of the grant", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    assert.deepEqual(await fixture.clawback(account, "first", 4, 7), clawedBack(4));
    assert.deepEqual(await fixture.clawback(account, "first", 10, 6), stale(4));
    assert.deepEqual(await fixture.clawback(account, "first", 0, 0), stale(4));
    assert.equal(await fixture.balance(account), 6);
  });

  rule("the same version may be sent again", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    for (let time = 0; time < 3; time += 1)
      assert.deepEqual(await fixture.clawback(account, "first", 4, 7), clawedBack(4));
    assert.equal(await fixture.balance(account), 6);
  });

  rule("the latest version wins in whatever order versions arrive", async (fixture) => {
    const orders = [
      [1, 3, 2],
      [2, 3, 1],
      [3, 1, 2],
      [3, 2, 1],
    ];
    const usage = [0, 9, 2, 5];
    for (const [number, versions] of orders.entries()) {
      const account = await fixture.account(`Ada${number}`, { credits: 10 });
      for (const version of [...versions, ...versions])
        await fixture.clawback(account, "first", usage[version] as number, version);
      assert.equal(await fixture.balance(account), 5, `${versions}`);
    }
  });

  rule("each grant has its own versions", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    await fixture.grant(account, "other", 5);
    await fixture.clawback(account, "first", 1, 1000);
    assert.deepEqual(await fixture.clawback(account, "other", 5, 1), clawedBack(5));
    assert.equal(await fixture.balance(account), 9);
  });

  rule("a version may be a time in milliseconds", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    await fixture.clawback(account, "first", 4, START);
    assert.deepEqual(await fixture.clawback(account, "first", 9, START - 1), stale(4));
    assert.deepEqual(await fixture.clawback(account, "first", 9, START + 1), clawedBack(9));
  });
}

function describeReturns(rule: Rule) {
  rule("expired credits stay expired, to the millisecond", async (fixture) => {
    const [ada, bob] = [await fixture.account("Ada"), await fixture.account("Bob")];
    const expiresAt = START + DAY;
    for (const account of [ada, bob]) await fixture.grant(account, "short", 5, { expiresAt });
    await spendCredits(fixture, ada, 1);
    const at = (now: number) => [5, undefined, now] as const;
    assert.deepEqual(await fixture.clawback(ada, "short", ...at(expiresAt)), clawedBack(0, 1));
    assert.deepEqual(await fixture.clawback(bob, "short", ...at(expiresAt - 1)), clawedBack(5));
    const { expired, voided } = await fixture.totals(expiresAt);
    assert.deepEqual({ expired, voided }, { expired: 4, voided: 5 });
  });

  rule("credits that are returned after their expiry are expired", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "short", 5, { expiresAt: START + DAY });
    await fixture.clawback(account, "short", 5);
    const now = START + DAY;
    assert.deepEqual(await fixture.clawback(account, "short", 2, undefined, now), clawedBack(2));
    assert.equal(await fixture.balance(account, now), 0);
    const { expired, voided } = await fixture.totals(now);
    assert.deepEqual({ expired, voided }, { expired: 3, voided: 2 });
  });

  rule(
    "credits that a late reversal returns to a clawed-back grant are voided",
    async (fixture) => {
      const account = await fixture.account();
      await fixture.grant(account, "short", 2, { expiresAt: START + DAY });
      const callId = await spendCredits(fixture, account, 1);
      const now = START + DAY;
      await fixture.clawback(account, "short", 2, undefined, now);
      await reverseCall(fixture, account, callId, now);
      const { expired, voided } = await fixture.totals(now);
      assert.deepEqual({ expired, voided }, { expired: 1, voided: 1 });
    },
  );

  rule("a clawback is one entry, at the time when credits were first voided", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 9 });
    const entries = async () =>
      (await allEntries(fixture.ledger, account, START + 99)).map(({ kind, at, credits }) =>
        kind === "grant" ? "grant" : `${kind} ${credits} after ${at - START}`,
      );
    const clawback = (credits: number, after: number) =>
      fixture.clawback(account, "first", credits, undefined, START + after);
    await clawback(2, 5);
    await clawback(6, 7);
    assert.deepEqual(await entries(), ["void -6 after 5", "grant"]);
    await clawback(1, 9);
    assert.deepEqual(await entries(), ["void -1 after 5", "grant"]);
    await clawback(0, 11);
    assert.deepEqual(await entries(), ["grant"], "what was undone whole is no entry");
    await clawback(3, 13);
    assert.deepEqual(await entries(), ["void -3 after 13", "grant"]);
  });
}

function describeStates(rule: Rule) {
  rule("a clawback from a closed account voids nothing and returns nothing", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    await spendCredits(fixture, account, 2);
    await fixture.clawback(account, "first", 1);
    await fixture.ledger.closeAccount({ account, now: START });
    for (const credits of [2, 5, 0])
      assert.deepEqual(await fixture.clawback(account, "first", credits), clawedBack(3, 2));
    assert.equal(await fixture.balance(account), 0);
    assert.deepEqual(await fixture.news(), []);
  });

  rule("grants of a suspended account can be clawed back", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    await fixture.ledger.suspendAccount({ account, now: START });
    assert.deepEqual(await fixture.clawback(account, "first", 5), clawedBack(5));
    assert.deepEqual(await fixture.debit(account), { outcome: "account_suspended", balance: 0 });
  });

  rule("a grant can be clawed back only from its own account", async (fixture) => {
    const ada = await fixture.account("Ada", { credits: 5 });
    const bob = await fixture.account("Bob", { credits: 5 });
    await fixture.grant(bob, "gift", 2);
    assert.deepEqual(await fixture.clawback(ada, "gift", 2), { outcome: "no_grant" });
    assert.deepEqual(await fixture.clawback(ada, "first", 5), clawedBack(5));
    assert.deepEqual([await fixture.balance(ada), await fixture.balance(bob)], [0, 7]);
  });
}

function describePlans(rule: Rule) {
  const SOON = START + DAY;

  rule(
    "the lifetime plan ends when its grant is clawed back, and starts again when that is undone",
    async (fixture) => {
      const account = await fixture.account();
      await fixture.grant(account, "soon", 2, { expiresAt: SOON });
      await fixture.grant(account, "plan", 9, { kind: "lifetime" });
      const endAfter = async (credits: number) => {
        await fixture.clawback(account, "plan", credits);
        return (await fixture.ends(account))["soon"];
      };
      assert.deepEqual(await endAfter(8), [null, SOON], "a part ends no plan");
      assert.deepEqual(await endAfter(9), [SOON, null]);
      assert.deepEqual(await endAfter(8), [null, SOON]);
      assert.equal((await fixture.ledger.findAccount({ account, now: START }))?.lifetime, true);
      assert.deepEqual(await endAfter(9), [SOON, null]);
      assert.equal((await fixture.ledger.findAccount({ account, now: START }))?.lifetime, false);
    },
  );

  rule(
    "a lifetime plan that starts again does not restore credits that expired in between",
    async (fixture) => {
      const account = await fixture.account();
      await fixture.grant(account, "soon", 2, { expiresAt: SOON });
      await fixture.grant(account, "later", 3, { expiresAt: SOON + DAY });
      await fixture.grant(account, "plan", 9, { kind: "lifetime" });
      await fixture.clawback(account, "plan", 9);
      await fixture.clawback(account, "plan", 0, undefined, SOON);
      const { soon, later } = await fixture.ends(account, SOON);
      assert.deepEqual({ soon, later }, { soon: [SOON, null], later: [null, SOON + DAY] });
      assert.equal(await fixture.balance(account, SOON + 2 * DAY), 12);
    },
  );

  rule("an older version neither ends nor starts a lifetime plan", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "plan", 9, { kind: "lifetime" });
    const isOnPlan = async () =>
      (await fixture.ledger.findAccount({ account, now: START }))?.lifetime;
    await fixture.clawback(account, "plan", 0, 5);
    assert.deepEqual(await fixture.clawback(account, "plan", 9, 4), stale(0));
    assert.equal(await isOnPlan(), true);
    await fixture.clawback(account, "plan", 9, 6);
    assert.deepEqual(await fixture.clawback(account, "plan", 0, 5), stale(9));
    assert.equal(await isOnPlan(), false);
  });

  rule("a lifetime grant of a closed account can be clawed back", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "short", 5, { expiresAt: SOON });
    await fixture.grant(account, "plan", 9, { kind: "lifetime" });
    await fixture.ledger.closeAccount({ account, now: START });
    const outcome = await fixture.clawback(account, "plan", 9, undefined, START + 1);
    assert.deepEqual(outcome, clawedBack(9));
    const later = { now: START + 2 * DAY, max: 10 };
    assert.deepEqual(await fixture.ledger.recordExpiries(later), { notified: 0, more: false });
    assert.deepEqual(await fixture.news(), []);
  });
}

function describeTogether(rule: Rule) {
  rule(
    "50 concurrent clawbacks of a grant that is being spent void its credits once",
    async (fixture) => {
      const account = await fixture.account("Ada", { credits: 60 });
      const fifty = Array.from({ length: 50 });
      const [outcomes] = await Promise.all([
        Promise.all(fifty.map(() => fixture.clawback(account, "first", 30, 1))),
        Promise.all(fifty.map(() => fixture.debit(account))),
      ]);
      const voided = outcomes.map((each) => (each.outcome === "clawed_back" ? each.voided : 0));
      const totals = await fixture.totals();
      assert.deepEqual(
        voided,
        fifty.map(() => totals.voided),
        "every clawback returns the same number of credits",
      );
      assert.equal(totals.remaining, 60 - totals.debited - totals.voided);
      assert.ok(totals.voided <= 30);
    },
  );

  rule("concurrent clawbacks that rise and fall end at the latest version", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 40 });
    const versions = Array.from({ length: 40 }, (_, version) => version);
    const sumOf = (version: number) => (version === 39 ? 11 : (version * 7) % 41);
    await Promise.all(
      versions
        .toSorted((one, other) => ((one * 17) % 40) - ((other * 17) % 40))
        .map((version) => fixture.clawback(account, "first", sumOf(version), version)),
    );
    assert.deepEqual(await fixture.remaining(account), { first: 29 });
    assert.equal((await fixture.totals()).voided, 11);
  });
}
