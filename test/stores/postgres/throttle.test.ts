import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createSharedCounts, type RequestCounts } from "#accounts/request-counts.ts";
import { createPostgresThrottle } from "#stores/postgres/throttle.ts";
import { maintainFully } from "../../contract/ledger/fixture.ts";
import { sharedCountsContract } from "../../contract/request-counts.ts";
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

  let turns = 0;
  /** Each request comes to the other node. */
  const next = (now: number) => {
    clock = now;
    turns += 1;
    return countsOf(turns);
  };
  sharedCountsContract(
    {
      count: async (name, rule, now) => next(now).count(name, rule),
      giveBack: async (name) => next(clock).giveBack(name),
    },
    25,
  );

  test("the database contains no names, and maintenance deletes expired counts only", async () => {
    const { pool, ledger } = nodes[0] as Node;
    const rows = () => pool.once("read", "SELECT name, state FROM throttle_kept");
    clock = 10_000_000;
    await countsOf(0).count("lasting", { window: 3_600, max: 1 });
    const before = await rows();
    assert.ok(before.length > 20);
    assert.doesNotMatch(JSON.stringify(before), /example|lasting|\d\.\d\.\d/);
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
