import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryBudget, type MemoryLease } from "#api/pipeline/memory-budget.ts";
import { ApiError } from "#errors.ts";
import type { MemoryLimits } from "#limits.ts";

/** The memory budget of large calls: what it admits, what is held, and that all of it is freed. */
const LIMITS: MemoryLimits = {
  bytes: 100,
  bytesPerAccount: 80,
  callsPerAccount: 2,
  heldMsMax: 1_000,
  waitMsMax: 2_000,
  waitingMax: 8,
  waitingPerAccount: 4,
};

function open() {
  let now = 0;
  const budget = createMemoryBudget(LIMITS, () => now);
  return {
    of: (account: string) => budget.of(account),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const isRefused = (act: () => void) =>
  assert.throws(act, (fault) => fault instanceof ApiError && fault.code === "unavailable");

const kept = () => assert.fail("a complete body loses its memory to no other");

/** A call whose body has arrived. */
function taken(lease: MemoryLease, bytes: number): MemoryLease {
  lease.take(bytes, kept);
  lease.complete();
  return lease;
}

test("so many bytes are let in, in all and of one account, and so many calls", () => {
  const budget = open();
  const first = taken(budget.of("a"), 50);
  isRefused(() => budget.of("a").take(31, kept));
  const second = taken(budget.of("a"), 30);
  isRefused(() => budget.of("a").take(1, kept));
  isRefused(() => budget.of("b").take(21, kept));
  const third = taken(budget.of("b"), 20);
  for (const lease of [first, second, third]) lease.release();
  taken(budget.of("a"), 80);
});

test("an answer may take more than the budget; then nothing large goes on until it has left", () => {
  const budget = open();
  const [large, other] = [taken(budget.of("a"), 10), taken(budget.of("b"), 10)];
  large.swap(500);
  isRefused(() => other.swap(10));
  isRefused(() => budget.of("c").take(1, kept));
  const held = large.toResponse();
  large.release();
  isRefused(() => other.swap(10));
  held.release();
  other.swap(10);
  budget.of("c").take(1, kept);
});

test("leaving twice, or never having come, changes nothing", () => {
  const budget = open();
  const lease = taken(budget.of("a"), 80);
  const held = lease.toResponse();
  held.release();
  held.release();
  lease.release();
  budget.of("b").release();
  taken(budget.of("a"), 80);
  isRefused(() => budget.of("b").take(21, kept));
});

test("what was held too long counts no more, and is told so", () => {
  const budget = open();
  const lost = taken(budget.of("a"), 80);
  const held = lost.toResponse();
  budget.pass(900);
  isRefused(() => budget.of("b").take(80, kept));
  assert.equal(held.isOver(), false);
  budget.pass(200);
  const next = taken(budget.of("b"), 80);
  assert.equal(held.isOver(), true);
  held.release();
  isRefused(() => budget.of("c").take(80, kept));
  next.release();
  taken(budget.of("c"), 80);
});

test("a body in pieces counts by what has arrived, and is one call", () => {
  const budget = open();
  const [first, second] = [budget.of("a"), budget.of("a")];
  for (let piece = 0; piece < 4; piece += 1) first.take(10, kept);
  second.take(40, kept);
  isRefused(() => budget.of("a").take(1, kept));
  taken(budget.of("b"), 20);
  isRefused(() => budget.of("b").take(1, kept));
});

test("an older call gets the memory of the newest whose body is incomplete, of its account first", () => {
  const budget = open();
  const evicted: string[] = [];
  const arriving = (name: string, account: string, bytes: number) => {
    const lease = budget.of(account);
    const evict = (error: ApiError) => {
      assert.equal(error.code, "unavailable");
      assert.equal(error.details.headers?.["Retry-After"], "1");
      evicted.push(name);
    };
    lease.take(bytes, evict);
    return (more: number) => lease.take(more, evict);
  };
  const oldest = arriving("oldest", "a", 20);
  const complete = taken(budget.of("b"), 20);
  arriving("second", "b", 20);
  arriving("third", "a", 30);
  const newest = arriving("newest", "c", 9);
  isRefused(() => newest(2));
  isRefused(() => budget.of("d").take(2, kept));
  assert.deepEqual(evicted, [], "a newer call takes nothing from older ones");
  oldest(31);
  assert.deepEqual(evicted, ["third"], "the account is at its bound");
  oldest(9);
  assert.deepEqual(evicted, ["third", "newest"]);
  oldest(20);
  assert.deepEqual(evicted, ["third", "newest", "second"]);
  isRefused(() => oldest(1));
  complete.release();
  isRefused(() => oldest(1));
});

test("bytes that other threads hold count towards the bound of all, and they see what is held here", () => {
  let others = 0;
  let here = 0;
  const shared = {
    others: () => others,
    onChange(bytes: number) {
      here = bytes;
    },
  };
  const budget = createMemoryBudget({ ...LIMITS, ...shared }, () => 0);
  const lease = taken(budget.of("a"), 40);
  assert.equal(here, 40);
  assert.equal(budget.isTight(), false);
  others = 50;
  assert.equal(budget.isTight(), true);
  isRefused(() => budget.of("b").take(20, kept));
  others = 70;
  isRefused(() => budget.of("b").swap(1));
  lease.release();
  assert.equal(here, 0);
  taken(budget.of("b"), 20);
});
