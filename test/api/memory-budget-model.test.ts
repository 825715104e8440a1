import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryBudget } from "#api/pipeline/memory-budget.ts";
import { ApiError } from "#errors.ts";
import type { MemoryLimits } from "#limits.ts";
import { createChance } from "../ledger/rules/chance.ts";
import { SAMPLE_SEED } from "../support/sample.ts";

/**
 * The memory budget alone, under bodies that arrive in random pieces and in random order. However they are interleaved, the
 * bounds hold, the oldest call whose body is incomplete loses its memory to no other, some call gets to its end, and
 * nothing is left behind.
 */
const RUNS = process.env["TEST_BUDGET"] === "all" ? 20_000 : 400;
const LARGEST = 30;
const LIMITS: MemoryLimits = {
  bytes: 100,
  bytesPerAccount: 40,
  callsPerAccount: 3,
  heldMsMax: Number.POSITIVE_INFINITY,
  waitMsMax: 2_000,
  waitingMax: 8,
  waitingPerAccount: 4,
};

type Call = {
  account: string;
  size: number;
  arrived: number;
  lease: ReturnType<ReturnType<typeof createMemoryBudget>["of"]>;
  state: "new" | "arriving" | "complete" | "rejected" | "done";
  /** Its place among those that have begun to arrive. */
  age: number;
};

function createWorld(seed: number) {
  const chance = createChance(seed);
  const budget = createMemoryBudget(LIMITS, () => 0);
  const calls: Call[] = [];
  let begun = 0;

  const start = () =>
    calls.push({
      account: `account ${chance.below(4)}`,
      size: 1 + chance.below(LARGEST),
      arrived: 0,
      lease: budget.of(""),
      state: "new",
      age: -1,
    });
  const inState = (...states: Call["state"][]) =>
    calls.filter(({ state }) => states.includes(state));
  const oldest = () => inState("arriving").toSorted((one, other) => one.age - other.age)[0];

  function arrive(call: Call, bytes: number): void {
    const before = oldest();
    if (call.state === "new") {
      call.lease = budget.of(call.account);
      call.age = begun;
      begun += 1;
    }
    try {
      call.lease.take(bytes, () => {
        assert.notEqual(call, before, "the oldest lost its memory");
        assert.equal(call.state, "arriving");
        call.state = "rejected";
        call.lease.release();
      });
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === "unavailable");
      // Only what is complete can be in the way of the oldest, and it ends by itself.
      if (call === before) assert.ok(inState("complete").length > 0, "the oldest was stuck");
      call.state = "rejected";
      call.lease.release();
      return;
    }
    call.arrived += bytes;
    call.state = call.arrived === call.size ? "complete" : "arriving";
    if (call.state === "complete") call.lease.complete();
  }

  function end(call: Call): void {
    call.state = "done";
    call.lease.release();
  }

  function check(): void {
    const holding = inState("arriving", "complete");
    const sum = (some: Call[]) => some.reduce((bytes, { arrived }) => bytes + arrived, 0);
    assert.ok(sum(holding) <= LIMITS.bytes);
    for (const [account, own] of Map.groupBy(holding, (call) => call.account)) {
      assert.ok(sum(own) <= LIMITS.bytesPerAccount, account);
      assert.ok(own.length <= LIMITS.callsPerAccount, account);
    }
  }

  function step(): void {
    const kind = chance.below(10);
    const live = inState("new", "arriving");
    const complete = inState("complete");
    if (kind < 2 || live.length + complete.length === 0) start();
    else if (kind < 8 && live.length > 0) {
      const call = live[chance.below(live.length)] as Call;
      arrive(call, 1 + chance.below(call.size - call.arrived));
    } else if (kind === 8 && complete.length > 0) {
      end(complete[chance.below(complete.length)] as Call);
    } else if (live.length > 0 && chance.below(4) === 0) {
      // The client disconnects.
      end(live[chance.below(live.length)] as Call);
    }
    check();
  }

  /** From here on nothing new comes: whatever the order, all get to an end, and some call to its own if there was any. */
  function finish(): void {
    const waiting = inState("new", "arriving", "complete");
    const done = new Set(inState("done"));
    for (;;) {
      const live = inState("new", "arriving");
      const complete = inState("complete");
      if (live.length + complete.length === 0) break;
      const isNext = chance.below(3) > 0;
      if (live.length > 0 && (isNext || complete.length === 0)) {
        const call = live[chance.below(live.length)] as Call;
        arrive(call, 1 + chance.below(call.size - call.arrived));
      } else end(complete[chance.below(complete.length)] as Call);
      check();
    }
    if (waiting.length > 0) {
      assert.ok(inState("done").some((call) => !done.has(call)));
    }
    // Nothing is left behind: each bound can be reached again.
    const never = () => assert.fail();
    for (const [account, bytes] of Object.entries({ a: 40, b: 40, c: 20 })) {
      const lease = budget.of(account);
      lease.take(bytes, never);
      calls.push({ account, size: 0, arrived: bytes, lease, state: "complete", age: 0 });
    }
    assert.throws(() => budget.of("d").take(1, never), ApiError);
  }

  return { step, finish };
}

test("in any interleaving of arrivals some call gets to its end, and nothing is left behind", () => {
  for (let run = 0; run < RUNS; run += 1) {
    const seed = SAMPLE_SEED + run;
    const world = createWorld(seed);
    try {
      for (let step = 0; step < 120; step += 1) world.step();
      world.finish();
    } catch (error) {
      throw new Error(`TEST_SEED=${seed}`, { cause: error });
    }
  }
});
