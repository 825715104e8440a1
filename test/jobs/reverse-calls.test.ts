import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { JobQueue } from "#jobs/job-queue.ts";
import { type Bounds, runBounded } from "#jobs/job-runner.ts";
import {
  createReverser,
  type ReversalPace,
  type ReverseAll,
  ROUND_PACE,
  reversalJob,
  reverseEach,
  STEADY_PACE,
} from "#jobs/reverse-calls.ts";
import type { CallRef } from "#ledger/port.ts";
import { createJobQueue } from "#stores/sql/jobs.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { createFixture, HOUR, MINUTE, START } from "../contract/ledger/fixture.ts";
import { openEmpty } from "../stores/transfer-fixture.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";

/** Calls that wait to be reversed, over a ledger that answers as the test tells it, at a time that the test sets. */
function openReversals(t: TestContext, pace: ReversalPace, max = 200) {
  const driver = openEmpty(t);
  const jobs = createJobQueue(createSqliteDatabase(driver));
  const clock = { now: START };
  const asked: string[] = [];
  const reversed: string[] = [];
  const loggedErrors: string[] = [];
  /** Calls and accounts whose reversal fails; calls whose debit is there. */
  const faulty = new Set<string>();
  const debits = new Set<string>();
  const held = new Map<string, Promise<void>>();
  const atOnce = { now: 0, most: 0 };
  const groups: { account: string; calls: string[] }[] = [];
  const reverse = ({ callId, at }: CallRef) => {
    assert.equal(at, START - 7);
    asked.push(callId);
    if (faulty.has(callId)) return new Error("no ledger");
    if (!debits.delete(callId)) return { reversed: false };
    reversed.push(callId);
    return { reversed: true };
  };
  const reverseAll: ReverseAll = async (account, orders) => {
    groups.push({ account, calls: orders.map(({ callId }) => callId) });
    atOnce.now += 1;
    atOnce.most = Math.max(atOnce.most, atOnce.now);
    await (held.get(account) ?? turn());
    atOnce.now -= 1;
    if (faulty.has("all") || faulty.has(account)) throw new Error("no ledger");
    return orders.map(reverse);
  };
  const open = (given: Pick<JobQueue, "take" | "settle" | "nextDue">) =>
    createReverser(
      {
        ...{ jobs: given, reverseAll },
        ...{ now: () => clock.now, random: (count: number) => new Uint8Array(count) },
        logError: (message) => void loggedErrors.push(message),
      },
      pace,
    );
  const runner = open(jobs);
  return {
    ...{ jobs, clock, asked, reversed, loggedErrors, faulty, debits, held, atOnce, groups },
    async keep(...callIds: string[]) {
      return this.keepOf("acc_Ada", callIds);
    },
    async keepOf(account: string, callIds: string[]) {
      const calls = callIds.map((callId) => ({ account, callId, at: START - 7 }));
      for (const id of callIds) debits.add(id);
      return jobs.add({ jobs: calls.map(reversalJob), now: clock.now });
    },
    /** How many targets have a recorded turn. */
    turns: () => driver.prepare("SELECT count(*) AS count FROM job_turn").get()?.["count"],
    look: () => runner.look(),
    idle: () => runner.idle(),
    /** What a process that lives on does: when it looks next. */
    runDue: () => runner.runDue(),
    runBounded: (bounds: Bounds) => runBounded(jobs, bounds, open),
    /** What a cron does, which remembers nothing; how much of it was settled. */
    async round(now: number) {
      clock.now = now;
      const before = await jobs.count({ queues: ["reversal"] });
      await runBounded(jobs, { max, until: now + 45_000 }, open);
      const { waiting } = await jobs.count({ queues: ["reversal"] });
      return { settled: before.waiting - waiting, left: waiting };
    },
    left: async () => (await jobs.count({ queues: ["reversal"] })).waiting,
  };
}

const callsUpTo = (count: number) => Array.from({ length: count }, (_, at) => `call_${at}`);

test("a call that is queued several times is reversed once", async (t) => {
  const fixture = openReversals(t, ROUND_PACE);
  assert.deepEqual(await fixture.keep("call_1"), { added: 1 });
  assert.deepEqual(await fixture.keep("call_1"), { added: 0 });
  assert.deepEqual(await fixture.round(START + MINUTE), { settled: 1, left: 0 });
  assert.deepEqual(await fixture.round(START + 2 * MINUTE), { settled: 0, left: 0 });
  assert.deepEqual([fixture.asked, fixture.loggedErrors], [["call_1"], []]);
});

test("the debit of a queued call is reversed, however often it is requested", async (t) => {
  const jobs = createJobQueue(createSqliteDatabase(openEmpty(t)));
  const fixture = createFixture({ ledger: createMemoryLedger() });
  const account = await fixture.account("Ada", { credits: 3 });
  const { callId, now: at } = fixture.debitOrder(account);
  await fixture.debit(account, { callId });
  for (const now of [START, START + MINUTE]) {
    await jobs.add({ jobs: [reversalJob({ account, callId, at })], now });
    const reverseAll = reverseEach(fixture.ledger);
    const wiring = { jobs, reverseAll, now: () => now + MINUTE, logError: assert.fail };
    const random = (count: number) => new Uint8Array(count);
    assert.equal(await createReverser({ ...wiring, random }, STEADY_PACE).runDue(), null);
  }
  assert.equal(await fixture.balance(account), 3);
});

test("a reversal whose debit is not found is done, because the ledger rejects the debit if it arrives later", async (t) => {
  const fixture = openReversals(t, ROUND_PACE);
  await fixture.keep("call_1");
  fixture.debits.clear();
  assert.deepEqual(await fixture.round(START + 1_000), { settled: 1, left: 0 });
  assert.deepEqual(fixture.asked, ["call_1"]);
});

test("in rounds, a failed reversal is retried after doubling waits up to four hours, and finally logged", async (t) => {
  const fixture = openReversals(t, ROUND_PACE);
  fixture.faulty.add("call_1");
  await fixture.keep("call_1");
  const tries: number[] = [];
  for (let now = START; now < START + 48 * HOUR; now += MINUTE) {
    const before = fixture.asked.length;
    await fixture.round(now);
    if (fixture.asked.length > before) tries.push(now);
  }
  const waits = tries.slice(1).map((at, index) => (at - (tries[index] as number)) / MINUTE);
  assert.deepEqual(waits.slice(0, 10), [1, 2, 4, 8, 16, 32, 64, 128, 240, 240]);
  assert.equal(fixture.loggedErrors.length, tries.length - 11);
  assert.match(
    fixture.loggedErrors[0] ?? "",
    /^The reversal of call_1 of acc_Ada at \d+ failed and will be retried: no ledger$/,
  );
  fixture.faulty.clear();
  await fixture.round(START + 60 * HOUR);
  assert.equal(await fixture.left(), 0);
});

test("a reversal that fails for ten days is dead, and an operator can retry it", async (t) => {
  const fixture = openReversals(t, ROUND_PACE);
  fixture.faulty.add("call_1");
  await fixture.keep("call_1");
  for (let now = START; now <= START + 11 * 24 * HOUR; now += HOUR) await fixture.round(now);
  assert.equal(await fixture.left(), 0);
  assert.match(fixture.loggedErrors.at(-1) ?? "", /call_1 of acc_Ada .*failed for good: no ledger/);
  const { jobs } = await fixture.jobs.list({ state: "dead", after: null, max: 9 });
  assert.deepEqual(
    jobs.map(({ kind, label, lastError, hasPayload }) => [kind, label, lastError, hasPayload]),
    [["reverse-call", "acc_Ada", "no ledger", true]],
  );
  fixture.faulty.clear();
  const now = START + 12 * 24 * HOUR;
  const retried = await fixture.jobs.retry({ id: jobs[0]?.id ?? "", now });
  assert.deepEqual(retried, { outcome: "retried" });
  await fixture.round(now);
  assert.deepEqual(fixture.reversed, ["call_1"]);
});

test("the calls of an account are reversed together, and a failing one does not repeat the others", async (t) => {
  const fixture = openReversals(t, ROUND_PACE);
  await fixture.keep(...callsUpTo(600));
  fixture.faulty.add("call_300");
  assert.deepEqual(await fixture.round(START), { settled: 200, left: 400 });
  assert.deepEqual(
    fixture.groups.map(({ calls }) => calls.length),
    [200],
  );
  assert.deepEqual(await fixture.round(START + 1), { settled: 199, left: 201 });
  fixture.faulty.clear();
  assert.deepEqual(await fixture.round(START + MINUTE), { settled: 200, left: 1 });
  assert.deepEqual(await fixture.round(START + 2 * MINUTE), { settled: 1, left: 0 });
  assert.equal(new Set(fixture.reversed).size, 600);
  assert.equal(fixture.asked.length, 601);
});

test("a round is bounded in attempts as well, and many accounts need few looks at the queue", async (t) => {
  const fixture = openReversals(t, ROUND_PACE);
  for (const at of Array.from({ length: 300 }).keys())
    await fixture.keepOf(`acc_${at}`, [`call_${at}`]);
  const takes = t.mock.method(fixture.jobs, "take");
  const bounds = { max: 1_000, attemptsMax: 200, until: START + MINUTE };
  await fixture.runBounded(bounds);
  assert.equal(fixture.groups.length, 200);
  assert.ok(takes.mock.callCount() <= 20, `${takes.mock.callCount()}`);
  assert.equal(await fixture.left(), 100);
});

test("a round is bounded, and stops if no account can be reached", async (t) => {
  const fixture = openReversals(t, ROUND_PACE, 1_000);
  for (const at of Array.from({ length: 50 }).keys())
    await fixture.keepOf(`acc_${at}`, [`call_${at}a`, `call_${at}b`]);
  fixture.faulty.add("all");
  assert.deepEqual(await fixture.round(START), { settled: 0, left: 100 });
  assert.equal(fixture.groups.length, 20);
  fixture.faulty.clear();
  assert.deepEqual(await fixture.round(START + MINUTE), { settled: 100, left: 0 });
  assert.equal(fixture.groups.length, 70);
  assert.equal(fixture.turns(), 0, "nothing is kept of accounts without reversals");
});

test("an account with many reversals does not delay those of others", async (t) => {
  const fixture = openReversals(t, ROUND_PACE, 5_100);
  await fixture.keepOf("acc_hog", callsUpTo(20_000));
  const others = Array.from({ length: 100 }, (_, at) => [`acc_${at}`, `call_of_${at}`] as const);
  for (const [account, callId] of others) await fixture.keepOf(account, [callId]);
  await fixture.round(START);
  for (const [, callId] of others) assert.ok(fixture.reversed.includes(callId), callId);
});

test("accounts that cannot be reached come last", async (t) => {
  const fixture = openReversals(t, ROUND_PACE, 30);
  for (const at of Array.from({ length: 30 }).keys()) {
    fixture.faulty.add(`acc_${at}`);
    await fixture.keepOf(`acc_${at}`, [`call_${at}`]);
  }
  await fixture.round(START);
  await fixture.keepOf("acc_good", callsUpTo(10));
  // The others are due again as well, and fail again.
  await fixture.round(START + 10 * MINUTE);
  assert.deepEqual(fixture.reversed, callsUpTo(10));
});

test("a process that ends between the reversal and its record repeats it without effect", async (t) => {
  const fixture = openReversals(t, ROUND_PACE);
  await fixture.keep(...callsUpTo(50));
  const settle = t.mock.method(fixture.jobs, "settle", () => Promise.reject(new Error("killed")));
  await fixture.round(START);
  assert.equal(fixture.reversed.length, 50);
  settle.mock.restore();
  assert.deepEqual(await fixture.round(START + 1_000), { settled: 0, left: 50 }, "still leased");
  assert.deepEqual(await fixture.round(START + MINUTE), { settled: 50, left: 0 });
  assert.equal(fixture.reversed.length, 50);
});

test("in a server, a failed reversal is retried after 1 s, then after doubling waits up to a minute", async (t) => {
  const fixture = openReversals(t, STEADY_PACE);
  fixture.faulty.add("all");
  await fixture.keep(...callsUpTo(3));
  const waits: number[] = [];
  for (let looks = 0; looks < 9; looks += 1) {
    const next = await fixture.runDue();
    assert.ok(next !== null);
    waits.push((next - fixture.clock.now) / 1_000);
    fixture.clock.now = next;
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  assert.deepEqual(
    fixture.groups.map(({ calls }) => calls.length),
    [3, ...Array.from({ length: 8 }, () => 1)],
    "a single one finds out whether it is back",
  );
  assert.deepEqual(fixture.loggedErrors, ["Reversals of calls are paused: no ledger"], "told once");
  fixture.faulty.clear();
  for (let next = await fixture.runDue(); next !== null; next = await fixture.runDue())
    fixture.clock.now = next;
  assert.deepEqual(fixture.reversed.toSorted(), callsUpTo(3));
  assert.equal(fixture.atOnce.most, 1);

  fixture.faulty.add("all");
  await fixture.keep("call_9");
  assert.equal(await fixture.runDue(), fixture.clock.now + 1_000, "after a while that was well");
});

test("while the reversals of one account are slow, no other is attempted", async (t) => {
  const fixture = openReversals(t, STEADY_PACE);
  const { promise, resolve } = Promise.withResolvers<void>();
  fixture.held.set("acc_Ada", promise);
  await fixture.keep(...callsUpTo(10));
  fixture.clock.now += 1;
  await fixture.keepOf("acc_Bob", ["call_10"]);
  fixture.look();
  for (let turns = 0; turns < 20; turns += 1) await turn();
  fixture.look();
  assert.deepEqual(fixture.groups, [{ account: "acc_Ada", calls: callsUpTo(10) }]);
  resolve();
  await fixture.idle();
  assert.deepEqual(fixture.reversed, callsUpTo(11));
  assert.equal(fixture.atOnce.most, 1);
});
