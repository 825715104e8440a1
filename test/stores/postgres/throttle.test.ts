import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import fc from "fast-check";
import { type CountedThrottle, createCountedThrottle } from "#accounts/counted-throttle.ts";
import { type Attempt, createSignInThrottle } from "#accounts/sign-in-throttle.ts";
import { createPostgresThrottle } from "#stores/postgres/throttle.ts";
import { maintainFully } from "../../contract/ledger/fixture.ts";
import { SEED } from "../../support/random.ts";
import { hooksOfSuite, type Node, openNodes } from "./fixture.ts";

/** Counters that two nodes share. */
let nodes: Node[] = [];
let throttles: CountedThrottle[] = [];
let clock = 0;
const background: Promise<unknown>[] = [];

describe("counters in PostgreSQL", () => {
  const hooks = hooksOfSuite();
  before(async () => {
    nodes = await openNodes(hooks, "caller", "caller");
    throttles = nodes.map(({ pool }) =>
      createCountedThrottle({
        counts: createPostgresThrottle(pool),
        secret: "a secret of the test",
        now: () => clock,
        inBackground: (work) => void background.push(work),
      }),
    );
  });

  const throttleOf = (turn: number) => throttles[turn % 2] as CountedThrottle;
  const ask = (turn: number, attempt: Attempt, at: number) =>
    throttleOf(turn).signIn.ask(attempt, at);
  const outsider = (email: string, address: string): Attempt => ({
    ...{ email, address, isKnownBrowser: false },
  });

  test("attempts that alternate between two nodes are throttled as on one node", async (t) => {
    t.diagnostic(`TEST_SEED=${SEED}`);
    const step = fc.record({
      node: fc.nat(1),
      who: fc.integer({ min: 0, max: 2 }),
      network: fc.integer({ min: 0, max: 2 }),
      isKnownBrowser: fc.boolean(),
      after: fc.constantFrom(0, 1, 400, 3_000, 60_000, 1_000_000),
      ends: fc.constantFrom("wrong", "wrong", "wrong", "right"),
    });
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        runs += 1;
        const here = createSignInThrottle();
        let at = 0;
        for (const { node, who, network, isKnownBrowser, after: ms, ends } of steps) {
          at += ms;
          const email = `p${runs}-${who}@example.com`;
          const attempt = { email, address: `n${runs}-${network}`, isKnownBrowser };
          assert.deepEqual(await ask(node, attempt, at), here.ask(attempt, at));
          if (ends === "wrong") continue;
          here.succeeded({ email });
          throttleOf(node).signIn.succeeded({ email });
          await Promise.all(background.splice(0));
        }
      }),
      { numRuns: 25, seed: SEED },
    );
  });

  test("of many concurrent attempts from one network, ten are allowed, on whichever nodes they arrive", async () => {
    const tries = Array.from({ length: 25 }, (_, turn) =>
      ask(turn, outsider(`at-once-${turn}@example.com`, "at once"), 1_000),
    );
    const outcomes = await Promise.all(tries);
    assert.equal(outcomes.filter((outcome) => "waitMs" in outcome).length, 10);
  });

  test("attempts for one user from many networks take turns across all nodes", async () => {
    const tries = Array.from({ length: 12 }, (_, turn) =>
      ask(turn, outsider("victim@example.com", `network ${turn}`), 0),
    );
    const outcomes = await Promise.all(tries);
    const waits = outcomes.flatMap((outcome) => ("waitMs" in outcome ? [outcome.waitMs] : []));
    const sorted = waits.sort((a, b) => a - b);
    assert.deepEqual(sorted, [0, 0, 0, 0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500]);
  });

  test("requests are counted by network and kind across all nodes, and are allowed again after a pause", async () => {
    const rule = { window: 60, max: 3 };
    const outcomes = [];
    for (clock of [0, 10_000, 20_000, 30_000])
      outcomes.push(await throttleOf(clock / 10_000).countRequest("1.1.1.1/x", rule));
    const allowed = { allowed: true, retryAfter: null };
    assert.deepEqual(outcomes, [allowed, allowed, allowed, { allowed: false, retryAfter: 50 }]);
    assert.deepEqual(await throttleOf(0).countRequest("2.2.2.2/x", rule), allowed);
    clock = 80_000;
    assert.deepEqual(await throttleOf(1).countRequest("1.1.1.1/x", rule), allowed);
  });

  test("the database contains no names, and maintenance deletes expired counts only", async () => {
    const { pool, ledger } = nodes[0] as Node;
    const rows = () => pool.once("read", "SELECT name, state FROM throttle_kept");
    clock = 10_000_000;
    await throttleOf(0).countRequest("lasting", { window: 3_600, max: 1 });
    const before = await rows();
    assert.ok(before.length > 20);
    assert.doesNotMatch(JSON.stringify(before), /example|network|lasting|\d\.\d\.\d/);
    // All others are also from the first hours of 1970 but have expired. Each step removes a few.
    const end = clock + 3_599_000;
    await nodes[1]?.pool.once(
      "write",
      "UPDATE throttle_kept SET forget_at = $1 WHERE forget_at < $2",
      [end, clock],
    );
    await maintainFully(ledger, { now: end - 1, rollUpBefore: 0, rowsMax: 7 });
    assert.equal((await rows()).length, before.length);
    await maintainFully(ledger, { now: end, rollUpBefore: 0, rowsMax: 7 });
    const verdict = await throttleOf(1).countRequest("lasting", { window: 3_600, max: 1 });
    assert.deepEqual(verdict, { allowed: false, retryAfter: 3_600 });
    assert.ok((await rows()).length < before.length);
  });
});
