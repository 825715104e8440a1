import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createMemoryBudget, type MemoryLease } from "#calls/memory-budget.ts";
import { ApiError } from "#errors.ts";
import {
  EDGE_BODY_BYTES_LIMIT,
  MEMORY_WAIT_MS,
  NODE_MEMORY,
  OWN_BODY_BYTES_LIMIT,
  WORKER_MEMORY,
} from "#limits.ts";
import { createChance } from "../ledger/rules/chance.ts";
import { SEED } from "../support/random.ts";

/** The memory of large calls: what a call gets at once, what it waits for, and that all of it is freed. */
const LIMITS = { bytes: 100, bytesPerAccount: 60, heldMsMax: 60_000 };

/** The clock stands still but for `pass`. */
function open(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  const budget = createMemoryBudget(LIMITS, () => now);

  async function settle(): Promise<void> {
    for (let turns = 0; turns < 4; turns += 1) await Promise.resolve();
  }

  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 20) {
      now += 20;
      t.mock.timers.tick(20);
      await settle();
    }
  }

  function call(account: string, bytes: number) {
    const lease = budget.of(account);
    const own = { lease, state: "has memory", take, release: lease.release };
    function take(more: number): void {
      const waited = lease.take(more);
      if (waited === undefined) return;
      own.state = "waits";
      waited.then(
        () => {
          own.state = "has memory";
        },
        (error) => {
          own.state = messageOf(error);
        },
      );
    }
    take(bytes);
    return own;
  }

  return { budget, pass, settle, call };
}

function messageOf(error: unknown): string {
  assert.ok(error instanceof ApiError && error.code === "unavailable", String(error));
  assert.equal(error.details.headers?.["Retry-After"], "1");
  assert.match(error.message, /not charged/);
  return error.message;
}

const statesOf = (calls: { state: string }[]) => calls.map(({ state }) => state).join(", ");

test("memory is bounded in total and for one account, and the error says which bound it is", async (t) => {
  const { call, pass } = open(t);
  const calls = [call("a", 40), call("a", 20), call("b", 40)];
  assert.equal(statesOf(calls), "has memory, has memory, has memory");
  const late = [call("a", 1), call("c", 1)];
  await pass(MEMORY_WAIT_MS - 20);
  assert.equal(statesOf(late), "waits, waits");
  await pass(20);
  assert.match(late[0]?.state ?? "", /^The large calls of the account already hold/);
  assert.match(late[1]?.state ?? "", /^The service is already handling as many large calls/);
});

test("a waiting call gets memory as soon as another call ends", async (t) => {
  const { call, pass, settle } = open(t);
  const [first, second] = [call("a", 60), call("b", 40)];
  const [late, last] = [call("c", 30), call("d", 50)];
  await pass(500);
  second.release();
  await settle();
  assert.equal(statesOf([late, last]), "has memory, waits");
  first.release();
  await settle();
  assert.equal(last.state, "has memory");
});

test("calls get memory in the order of their arrival, but those that hold some come first", async (t) => {
  const { call, settle } = open(t);
  const [holder, other] = [call("a", 40), call("b", 60)];
  const line = [call("c", 20), call("d", 20)];
  holder.take(20);
  await settle();
  other.release();
  other.take(20);
  await settle();
  assert.equal(holder.state, "has memory");
  assert.equal(statesOf([...line, other]), "has memory, has memory, waits");
});

test("a call that waits because of its own account keeps nobody else out", async (t) => {
  const { call, settle } = open(t);
  const held = [call("a", 60), call("b", 40)];
  const own = call("a", 10);
  const other = call("c", 10);
  held[1]?.release();
  await settle();
  assert.equal(statesOf([own, other]), "waits, has memory");
});

test("a call waits for memory at most 2 s in total", async (t) => {
  const { call, pass, settle } = open(t);
  const [first, second] = [call("a", 60), call("b", 40)];
  const late = call("c", 20);
  await pass(1_500);
  second.release();
  await settle();
  assert.equal(late.state, "has memory");
  call("d", 20);
  late.take(20);
  await pass(480);
  assert.equal(late.state, "waits");
  await pass(20);
  assert.match(late.state, /as many large calls/);
  first.release();
});

test("when incomplete bodies fill the memory, the first to wait gives way", async (t) => {
  const { call, pass } = open(t);
  const [one, two] = [call("a", 50), call("b", 50)];
  one.take(10);
  await pass(20);
  two.take(10);
  await pass(MEMORY_WAIT_MS - 20);
  assert.match(one.state, /as many large calls/);
  assert.equal(two.state, "has memory");
  // What the first one held is free, before its call has ended.
  assert.equal(call("c", 40).state, "has memory");
});

test("a response may exceed the budget; no other large call starts until it has been sent", async (t) => {
  const { budget, call, pass, settle } = open(t);
  const [large, other] = [call("a", 10), call("b", 10)];
  large.lease.set(500);
  assert.equal(budget.isTight(), true);
  assert.throws(() => other.lease.set(20), ApiError);
  const response = large.lease.toResponse();
  large.release();
  other.take(0);
  await pass(20);
  assert.equal(other.state, "waits");
  response.release();
  response.release();
  await settle();
  assert.equal(other.state, "has memory");
  assert.equal(budget.isTight(), false);
  assert.equal(call("c", 60).state, "has memory");
});

test("memory that is held for too long is released, and its response is told so", () => {
  let now = 0;
  const budget = createMemoryBudget(LIMITS, () => now);
  const response = taken(budget.of("a"), 60).toResponse();
  now = LIMITS.heldMsMax;
  assert.equal(response.isOver(), false);
  now += 1;
  taken(budget.of("b"), 60);
  assert.equal(response.isOver(), true);
  response.release();
  assert.equal(budget.isTight(), true);
});

function taken(lease: MemoryLease, bytes: number): MemoryLease {
  assert.equal(lease.take(bytes), undefined);
  return lease;
}

test("a call that ends while it waits leaves the queue", async (t) => {
  const { call, settle } = open(t);
  const [first, second] = [call("a", 60), call("b", 40)];
  const gone = call("c", 40);
  const next = call("d", 40);
  gone.release();
  second.release();
  await settle();
  assert.equal(statesOf([gone, next]), "waits, has memory");
  first.release();
  assert.equal(call("e", 60).state, "has memory");
});

test("in any interleaving the bounds hold, every call ends, and all memory is free then", async (t) => {
  for (let run = 0; run < 60; run += 1) {
    const seed = SEED + run;
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
  const { budget, call, pass } = open(t);
  type Live = ReturnType<typeof call> & { account: string; arrived: number; left: number };
  let live: Live[] = [];
  const end = (one: Live) => {
    one.release();
    live = live.filter((other) => other !== one);
  };
  async function step(mayBegin: boolean): Promise<void> {
    if (mayBegin && chance.percent(30)) {
      const account = `account ${chance.below(4)}`;
      const bytes = 1 + chance.below(10);
      const one = call(account, bytes);
      live.push(Object.assign(one, { account, arrived: bytes, left: chance.below(40) }));
    }
    for (const one of live) {
      if (one.state === "waits" || !chance.percent(40)) continue;
      if (one.state !== "has memory" || one.left === 0) end(one);
      else {
        const bytes = Math.min(one.left, 10);
        one.left -= bytes;
        one.arrived += bytes;
        one.take(bytes);
      }
    }
    // A client disconnects.
    const gone = live[chance.below(20)];
    if (gone !== undefined && chance.percent(10)) end(gone);
    if (chance.percent(40)) await pass(20 * chance.below(10));
    const holding = live.filter(({ state }) => state === "has memory");
    const sum = (some: Live[]) => some.reduce((bytes, { arrived }) => bytes + arrived, 0);
    assert.ok(sum(holding) <= LIMITS.bytes);
    for (const own of Map.groupBy(holding, ({ account }) => account).values())
      assert.ok(sum(own) <= LIMITS.bytesPerAccount);
  }
  for (let steps = 0; steps < 60; steps += 1) await step(true);
  for (let steps = 0; live.length > 0; steps += 1) {
    assert.ok(steps < 2_000, `${live.length} calls are stuck`);
    await step(false);
  }
  assert.equal(budget.isTight(), false);
  taken(budget.of("x"), 60);
  taken(budget.of("y"), 40);
}

test("the largest body of an own tool fits, on a server and at the edge", () => {
  for (const [limits, bytesMax] of [
    [NODE_MEMORY, OWN_BODY_BYTES_LIMIT],
    [WORKER_MEMORY, EDGE_BODY_BYTES_LIMIT],
  ] as const) {
    const lease = createMemoryBudget(limits, () => 0).of("a");
    assert.equal(lease.take(bytesMax), undefined);
  }
});
