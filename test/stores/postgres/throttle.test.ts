import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import fc from "fast-check";
import {
  createRequestCounts,
  createSharedCounts,
  type RequestCounts,
} from "#accounts/request-counts.ts";
import { createPostgresThrottle } from "#stores/postgres/throttle.ts";
import { maintainFully } from "../../contract/ledger/fixture.ts";
import { SEED } from "../../support/random.ts";
import { hooksOfSuite, type Node, openNodes } from "./fixture.ts";

/** Counters that two nodes share. */
let nodes: Node[] = [];
let shared: RequestCounts[] = [];
let clock = 0;

describe("counters in PostgreSQL", () => {
  const hooks = hooksOfSuite();
  before(async () => {
    nodes = await openNodes(hooks, "caller", "caller");
    shared = nodes.map(({ pool }) =>
      createSharedCounts({
        counts: createPostgresThrottle(pool),
        secret: "a secret of the test",
        now: () => clock,
      }),
    );
  });

  const countsOf = (turn: number) => shared[turn % 2] as RequestCounts;

  test("requests that alternate between two nodes are counted as on one node", async (t) => {
    t.diagnostic(`TEST_SEED=${SEED}`);
    const step = fc.record({
      node: fc.nat(1),
      name: fc.integer({ min: 0, max: 2 }),
      after: fc.constantFrom(0, 1, 400, 3_000, 60_000, 1_000_000),
      isGivenBack: fc.boolean(),
    });
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        runs += 1;
        const here = createRequestCounts(() => clock);
        clock = 0;
        for (const { node, name, after: ms, isGivenBack } of steps) {
          clock += ms;
          const each = `run ${runs} ${name}`;
          const rule = { window: 60, max: 3 };
          assert.deepEqual(await countsOf(node).count(each, rule), here.count(each, rule));
          if (!isGivenBack) continue;
          here.giveBack(each);
          await countsOf(node).giveBack(each);
        }
      }),
      { numRuns: 25, seed: SEED },
    );
  });

  test("of many concurrent requests of one name, the number of the rule are allowed, on whichever nodes they arrive", async () => {
    clock = 1_000;
    const tries = Array.from({ length: 25 }, (_, turn) =>
      countsOf(turn).count("at once", { window: 60, max: 10 }),
    );
    const verdicts = await Promise.all(tries);
    assert.equal(verdicts.filter(({ allowed }) => allowed).length, 10);
  });

  test("the database contains no names, and maintenance deletes expired counts only", async () => {
    const { pool, ledger } = nodes[0] as Node;
    const rows = () => pool.once("read", "SELECT name, state FROM throttle_kept");
    clock = 10_000_000;
    await countsOf(0).count("lasting", { window: 3_600, max: 1 });
    const before = await rows();
    assert.ok(before.length > 20);
    assert.doesNotMatch(JSON.stringify(before), /example|run \d|lasting|\d\.\d\.\d/);
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
    const verdict = await countsOf(1).count("lasting", { window: 3_600, max: 1 });
    assert.deepEqual(verdict, { allowed: false, retryAfter: 3_600 });
    assert.ok((await rows()).length < before.length);
  });
});
