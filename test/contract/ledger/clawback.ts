import assert from "node:assert/strict";
import { clawedBack, describeClawbackAmounts, spendCredits } from "./clawback-amounts.ts";
import { allEntries, createRule, DAY, type OpenLedger, START } from "./fixture.ts";

const stale = (voided: number, spent = 0) => ({ outcome: "stale", voided, spent });

/** What is taken back of a grant because its price was paid back, and what comes back where that was undone. */
export function describeClawback(open: OpenLedger) {
  const test = createRule(open);
  describeClawbackAmounts(test);
  describeVersions(test);
  describeReturns(test);
  describeEvents(test);
  describeStates(test);
  describeTogether(test);
}

type Rule = ReturnType<typeof createRule>;

function describeVersions(test: Rule) {
  test("an older version changes nothing and returns the state of the grant", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    assert.deepEqual(await fixture.clawback(account, "first", 4, 7), clawedBack(4));
    assert.deepEqual(await fixture.clawback(account, "first", 10, 6), stale(4));
    assert.deepEqual(await fixture.clawback(account, "first", 0, 0), stale(4));
    assert.equal(await fixture.balance(account), 6);
  });

  test("the latest version wins in whatever order versions arrive", async (fixture) => {
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
}

function describeReturns(test: Rule) {
  test("expired credits stay expired, to the millisecond", async (fixture) => {
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

  test("a clawback is one entry, at the time when credits were first voided", async (fixture) => {
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

function describeStates(test: Rule) {
  test("a clawback from a closed account voids nothing and returns nothing", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    await spendCredits(fixture, account, 2);
    await fixture.clawback(account, "first", 1);
    await fixture.ledger.changeAccount({ account, now: START, state: "closed" });
    for (const credits of [2, 5, 0])
      assert.deepEqual(await fixture.clawback(account, "first", credits), clawedBack(3, 2));
    assert.equal(await fixture.balance(account), 0);
    assert.deepEqual(await fixture.news(), []);
  });

  test("a grant can be clawed back only from its own account", async (fixture) => {
    const ada = await fixture.account("Ada", { credits: 5 });
    const bob = await fixture.account("Bob", { credits: 5 });
    await fixture.grant(bob, "gift", 2);
    assert.deepEqual(await fixture.clawback(ada, "gift", 2), { outcome: "no_grant" });
    assert.deepEqual(await fixture.clawback(ada, "first", 5), clawedBack(5));
    assert.deepEqual([await fixture.balance(ada), await fixture.balance(bob)], [0, 7]);
  });
}

/** Events of a clawback: a balance that falls, and credits that come back. */
function describeEvents(test: Rule) {
  const expiresAt = START + DAY;
  const returned = (id: string, amount: number, end: number | null = null) => ({
    ...{ at: START, kind: "credits.granted" },
    grant: { id, kind: "operator", amount, expiresAt: end },
  });

  test("a clawback that lowers the balance causes an event, and another one after the balance rose", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 30 });
    await fixture.news();
    const kindsAfter = async (credits: number) => {
      await fixture.clawback(account, "first", credits);
      return (await fixture.news()).map(({ kind }) => kind);
    };
    assert.deepEqual(await kindsAfter(15), ["credits.low"]);
    assert.deepEqual(await kindsAfter(30), ["credits.depleted"]);
    assert.deepEqual(await kindsAfter(0), ["credits.granted"], "no event says that it has risen");
    assert.deepEqual(await kindsAfter(30), ["credits.depleted"]);
  });

  test("each lowered clawback causes an event with the returned credits", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    await fixture.grant(account, "soon", 10, { expiresAt });
    await spendCredits(fixture, account, 4);
    for (const grant of ["first", "soon"]) await fixture.clawback(account, grant, 10);
    await fixture.news();
    const newsAfter = async (...usage: [grant: string, credits: number, version?: number]) => {
      await fixture.clawback(account, ...usage);
      return fixture.news();
    };
    assert.deepEqual(await newsAfter("first", 7), [returned("first", 3)]);
    assert.deepEqual(await newsAfter("first", 7), [], "once");
    assert.deepEqual(await newsAfter("first", 0, 1), [], "an older version");
    assert.deepEqual(await newsAfter("first", 0), [returned("first", 7)]);
    assert.deepEqual(await newsAfter("soon", 8), [], "what is spent was not voided");
    assert.deepEqual(await newsAfter("soon", 1), [returned("soon", 5, expiresAt)]);
  });

  test("credits that are expired when they come back cause no event", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    await fixture.grant(account, "soon", 10, { expiresAt });
    await fixture.clawback(account, "soon", 10);
    await fixture.news();
    await fixture.clawback(account, "soon", 5, undefined, expiresAt);
    assert.deepEqual(await fixture.news(), []);
  });
}

function describeTogether(test: Rule) {
  test("50 concurrent clawbacks of a grant that is being spent void its credits once", async (fixture) => {
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
  });

  test("concurrent clawbacks that rise and fall end at the latest version", async (fixture) => {
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
