import assert from "node:assert/strict";
import { spendCredits } from "./clawback-amounts.ts";
import { type createRule, DAY, START } from "./fixture.ts";

/** Events of a clawback: a balance that falls, and credits that come back. */
export function describeClawbackEvents(rule: ReturnType<typeof createRule>) {
  const expiresAt = START + DAY;
  const returned = (id: string, amount: number, end: number | null = null) => ({
    ...{ at: START, kind: "credits.granted" },
    grant: { id, kind: "operator", amount, expiresAt: end },
  });

  rule(
    "a clawback that lowers the balance causes an event, and another one after the balance rose",
    async (fixture) => {
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
    },
  );

  rule("each lowered clawback causes an event with the returned credits", async (fixture) => {
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

  rule("credits that are expired when they come back cause no event", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    await fixture.grant(account, "soon", 10, { expiresAt });
    await fixture.clawback(account, "soon", 10);
    await fixture.news();
    await fixture.clawback(account, "soon", 5, undefined, expiresAt);
    assert.deepEqual(await fixture.news(), []);
  });

  rule("a clawback from a suspended account causes an event too", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    await fixture.clawback(account, "first", 10);
    await fixture.ledger.suspendAccount({ account, now: START });
    await fixture.news();
    await fixture.clawback(account, "first", 9);
    assert.deepEqual(await fixture.news(), [returned("first", 1)]);
  });

  rule(
    "a lifetime plan that starts again causes an event with its credits and no expiry",
    async (fixture) => {
      const account = await fixture.account("Ada", { credits: 100 });
      await fixture.grant(account, "plan", 9, { kind: "lifetime" });
      await fixture.clawback(account, "plan", 9);
      await fixture.news();
      await fixture.clawback(account, "plan", 0);
      const grant = { id: "plan", kind: "lifetime", amount: 9, expiresAt: null };
      assert.deepEqual(await fixture.news(), [{ at: START, kind: "credits.granted", grant }]);
    },
  );
}
