import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createMemoryBudget } from "#api/pipeline/memory-budget.ts";
import { ApiError } from "#errors.ts";
import type { MemoryLimits } from "#limits.ts";
import { createChance } from "../ledger/rules/chance.ts";
import { SAMPLE_SEED } from "../support/sample.ts";

/** Large calls that wait for memory: who comes next, how long a call waits, and that all of them get to an end. */
const LIMITS: MemoryLimits = {
  bytes: 100,
  bytesPerAccount: 60,
  callsPerAccount: 2,
  heldMsMax: Number.POSITIVE_INFINITY,
  waitMsMax: 2_000,
  waitingMax: 8,
  waitingPerAccount: 4,
};

type State = "waiting" | "has memory" | "error" | "evicted";

/** The clock stands still but for `pass`. */
function open(t: TestContext, limits = LIMITS) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  const budget = createMemoryBudget(limits, () => now);

  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 20) {
      now += 20;
      t.mock.timers.tick(20);
      for (let turns = 0; turns < 4; turns += 1) await Promise.resolve();
    }
  }

  function call(account: string) {
    const lease = budget.of(account);
    const own = { state: "waiting" as State, take, complete: () => lease.complete(), release };
    function take(bytes: number): void {
      own.state = "waiting";
      const evict = () => {
        own.state = "evicted";
      };
      try {
        const waited = lease.takeOrWait(bytes, evict);
        if (waited === undefined) own.state = "has memory";
        else waited.then(() => own.state === "waiting" && settle("has memory"), fail);
      } catch (error) {
        fail(error);
      }
    }
    function release(): void {
      lease.release();
    }
    function settle(state: State): void {
      own.state = state;
    }
    function fail(error: unknown): void {
      assert.ok(error instanceof ApiError && error.code === "unavailable", String(error));
      settle("error");
    }
    return own;
  }

  /** A call that has taken, or waits for, bytes of an incomplete body. */
  const arriving = (account: string, bytes: number) => {
    const one = call(account);
    one.take(bytes);
    return one;
  };
  const complete = (account: string, bytes: number) => {
    const one = arriving(account, bytes);
    one.complete();
    return one;
  };
  return { pass, call, arriving, complete, budget };
}

test("a call waits for memory, and goes on when another call has ended", async (t) => {
  const { arriving, complete, pass } = open(t);
  const first = complete("a", 60);
  complete("b", 40);
  const late = arriving("c", 10);
  await pass(500);
  assert.equal(late.state, "waiting");
  first.release();
  await pass(20);
  assert.equal(late.state, "has memory");
});

test("a call that waited 2 s in vain gets 503, all its waits together", async (t) => {
  const { arriving, complete, pass } = open(t);
  const [first, second] = [complete("a", 60), complete("b", 30)];
  const late = arriving("c", 20);
  await pass(1_500);
  second.release();
  await pass(20);
  assert.equal(late.state, "has memory");
  const last = complete("d", 20);
  assert.equal(last.state, "has memory");
  late.take(10);
  await pass(400);
  assert.equal(late.state, "waiting");
  await pass(100);
  assert.equal(late.state, "error");
  first.release();
});

test("next is the account with the fewest calls, and of its calls the one that waits longest", async (t) => {
  const { arriving, complete, pass } = open(t);
  const held = [complete("a", 30), complete("a", 30), complete("b", 20), complete("c", 20)];
  const third = arriving("a", 10);
  const [one, two] = [arriving("d", 10), arriving("d", 10)];
  const other = arriving("b", 10);
  await pass(100);
  const states = () => [third, one, two, other].map(({ state }) => state);
  assert.deepEqual(states(), ["waiting", "waiting", "waiting", "waiting"]);
  // Place for one.
  held[2]?.release();
  await pass(20);
  assert.deepEqual(states(), ["waiting", "has memory", "waiting", "has memory"]);
  // The account `a` is below its number of calls again.
  held[0]?.release();
  await pass(20);
  assert.deepEqual(states(), ["has memory", "has memory", "has memory", "has memory"]);
});

test("calls that hold memory come before those that hold none, the oldest first", async (t) => {
  const { arriving, complete, pass } = open(t);
  const [older, newer] = [arriving("a", 10), arriving("b", 10)];
  const running = complete("c", 60);
  const last = complete("d", 20);
  const newcomer = arriving("e", 10);
  newer.take(20);
  older.take(20);
  last.release();
  await pass(20);
  assert.deepEqual(
    [older, newer, newcomer].map(({ state }) => state),
    ["has memory", "waiting", "waiting"],
  );
  running.release();
  await pass(20);
  assert.deepEqual([newer.state, newcomer.state], ["has memory", "has memory"]);
});

test("an older call evicts a newer one only if waiting does not help", async (t) => {
  const { arriving, complete, pass } = open(t);
  const older = arriving("a", 10);
  const running = complete("b", 50);
  const newer = arriving("c", 40);
  older.take(20);
  assert.deepEqual([older.state, newer.state], ["waiting", "has memory"]);
  running.release();
  await pass(20);
  assert.deepEqual([older.state, newer.state], ["has memory", "has memory"]);
  // Nothing that runs: nobody would free memory.
  const another = arriving("b", 30);
  older.take(20);
  assert.deepEqual(
    [older.state, newer.state, another.state],
    ["has memory", "has memory", "evicted"],
  );
  // What runs takes too long.
  complete("b", 10);
  older.take(10);
  await pass(900);
  assert.deepEqual([older.state, newer.state], ["waiting", "has memory"]);
  await pass(200);
  assert.deepEqual([older.state, newer.state], ["has memory", "evicted"]);
});

test("no more calls wait than the bounds say, in all and of one account", (t) => {
  const { arriving, complete } = open(t);
  complete("a", 60);
  complete("b", 40);
  const of = (account: string, count: number) =>
    Array.from({ length: count }, () => arriving(account, 10).state);
  assert.deepEqual(of("c", 5), ["waiting", "waiting", "waiting", "waiting", "error"]);
  assert.deepEqual(of("d", 4), ["waiting", "waiting", "waiting", "waiting"]);
  assert.deepEqual(of("e", 1), ["error"]);
});

test("a call that ends while it waits leaves the queue", async (t) => {
  const { arriving, complete, pass } = open(t);
  const [first, second] = [complete("a", 60), complete("b", 40)];
  const gone = arriving("c", 40);
  const next = arriving("d", 40);
  gone.release();
  second.release();
  await pass(20);
  assert.deepEqual([next.state, gone.state], ["has memory", "has memory"]);
  first.release();
  next.release();
  assert.equal(complete("e", 60).state, "has memory");
  assert.equal(complete("f", 40).state, "has memory");
});

const RUNS = 60;

test("in any interleaving all calls get to an end, and nothing is left behind", async (t) => {
  for (let run = 0; run < RUNS; run += 1) {
    const seed = SAMPLE_SEED + run;
    try {
      await runModel(t, seed);
    } catch (error) {
      throw new Error(`TEST_SEED=${seed}`, { cause: error });
    } finally {
      t.mock.timers.reset();
    }
  }
});

async function runModel(t: TestContext, seed: number): Promise<void> {
  const chance = createChance(seed);
  const { call, pass, complete } = open(t);
  type Live = ReturnType<typeof call> & { left: number; isComplete: boolean };
  let live: Live[] = [];
  let ended = 0;
  let begun = 0;
  const step = async (mayBegin: boolean) => {
    if (mayBegin && chance.percent(30)) {
      begun += 1;
      const one = call(`account ${chance.below(4)}`);
      live.push(Object.assign(one, { left: 1 + chance.below(40), isComplete: false }));
      one.state = "has memory";
    }
    for (const one of live) {
      if (one.state !== "has memory" || !chance.percent(40)) continue;
      if (one.left > 0) {
        const bytes = Math.min(one.left, 1 + chance.below(20));
        one.left -= bytes;
        one.take(bytes);
      } else if (!one.isComplete) {
        one.isComplete = true;
        one.complete();
      } else {
        one.release();
        ended += 1;
        live = live.filter((other) => other !== one);
      }
    }
    if (chance.percent(40)) await pass(20 * (1 + chance.below(10)));
    for (const one of live.filter(({ state }) => state === "error" || state === "evicted")) {
      one.release();
      ended += 1;
      live = live.filter((other) => other !== one);
    }
    // A client disconnects.
    const gone = live[chance.below(20)];
    if (gone !== undefined && chance.percent(10)) {
      gone.release();
      ended += 1;
      live = live.filter((other) => other !== gone);
    }
  };
  for (let steps = 0; steps < 60; steps += 1) await step(true);
  for (let steps = 0; live.length > 0; steps += 1) {
    assert.ok(steps < 2_000, `${live.length} calls are stuck`);
    await step(false);
  }
  assert.equal(ended, begun);
  assert.deepEqual(
    [complete("x", 60).state, complete("y", 40).state],
    ["has memory", "has memory"],
  );
}
