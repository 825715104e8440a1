import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { giveBackKept } from "#ledger/kept-reversals.ts";
import type { CallRef } from "#ledger/port.ts";
import { d1Edge } from "#stores/schema/d1-edge.ts";
import { createKeptReversals } from "#stores/sql/kept-reversals.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { createScene, HOUR, MINUTE, START } from "../contract/ledger/scene.ts";
import { createMemoryLedger } from "../memory-ledger.ts";
import { openEmpty } from "./transfer-scene.ts";

/** Calls that wait to be given back, in the statements of D1 over a SQLite, and rounds at the minutes of a cron. */
function openRounds(t: TestContext) {
  const driver = openEmpty(t);
  driver.exec(d1Edge);
  const kept = createKeptReversals(createSqliteDatabase(driver));
  const asked: string[] = [];
  const complaints: string[] = [];
  const faulty = new Set<string>();
  const standing = new Set<string>();
  const ledger = {
    async reverse({ callId }: CallRef) {
      asked.push(callId);
      if (faulty.has(callId) || faulty.has("all")) throw new Error("no ledger");
      return { reversed: standing.delete(callId) };
    },
  };
  return {
    kept,
    asked,
    complaints,
    faulty,
    standing,
    keep: (callId: string, now = START) =>
      kept.keep({ account: "acc_Ada", callId, at: START }, now),
    round: (now: number) => giveBackKept(kept, ledger, now, (message) => complaints.push(message)),
    left: () => Number(driver.prepare("SELECT count(*) AS n FROM kept_reversal").get()?.["n"]),
  };
}

test("a call that was kept is given back in the next round, once", async (t) => {
  const rounds = openRounds(t);
  rounds.standing.add("call_1");
  await rounds.keep("call_1");
  await rounds.keep("call_1", START + 5);
  assert.equal(rounds.left(), 1);
  assert.deepEqual(await rounds.round(START + MINUTE), { settled: 1, left: 0 });
  assert.deepEqual(await rounds.round(START + 2 * MINUTE), { settled: 0, left: 0 });
  assert.deepEqual([rounds.asked, rounds.left()], [["call_1"], 0]);
});

test("the debit of a kept call is really given back, however often that is asked for", async (t) => {
  const rounds = openRounds(t);
  const scene = createScene({ ledger: createMemoryLedger() });
  const account = await scene.account("Ada", { credits: 3 });
  const { callId, now: at } = scene.debitOrder(account);
  await scene.debit(account, { callId });
  const call = { account, callId, at };
  for (const now of [START, START + MINUTE]) {
    await rounds.kept.keep(call, now);
    await giveBackKept(rounds.kept, scene.ledger, now + MINUTE, assert.fail);
  }
  assert.equal(await scene.balance(account), 3);
  assert.equal(rounds.left(), 0);
});

test("where the debit is not there, it is looked for once more after a minute", async (t) => {
  const rounds = openRounds(t);
  await rounds.keep("call_1");
  assert.deepEqual(await rounds.round(START + 20_000), { settled: 0, left: 1 });
  rounds.standing.add("call_1");
  assert.deepEqual(await rounds.round(START + 80_000), { settled: 1, left: 0 });
  await rounds.keep("call_2");
  await rounds.round(START + 20_000);
  assert.deepEqual(await rounds.round(START + 80_000), { settled: 1, left: 0 });
  assert.equal(rounds.left(), 0);
});

test("what fails is put off, longer each time up to four hours, and told of in the end", async (t) => {
  const rounds = openRounds(t);
  rounds.faulty.add("call_1");
  await rounds.keep("call_1");
  const tries: number[] = [];
  for (let now = START; now < START + 48 * HOUR; now += MINUTE) {
    const before = rounds.asked.length;
    await rounds.round(now);
    if (rounds.asked.length > before) tries.push(now);
  }
  const waits = tries.slice(1).map((at, index) => (at - (tries[index] as number)) / MINUTE);
  assert.deepEqual(waits.slice(0, 10), [1, 2, 4, 8, 16, 32, 64, 128, 256, 256]);
  assert.equal(rounds.complaints.length, tries.length - 11);
  assert.match(rounds.complaints[0] ?? "", /call_1 of acc_Ada cannot be given back; 12 tries/);
  rounds.faulty.clear();
  rounds.standing.add("call_1");
  await rounds.round(START + 60 * HOUR);
  assert.equal(rounds.left(), 0);
});

test("one that fails does not hold up the others", async (t) => {
  const rounds = openRounds(t);
  for (let call = 0; call < 50; call += 1) {
    rounds.standing.add(`call_${call}`);
    await rounds.keep(`call_${call}`);
  }
  rounds.faulty.add("call_0");
  assert.deepEqual(await rounds.round(START), { settled: 49, left: 1 });
});

test("a round is bounded, and stops where the ledger answers for none", async (t) => {
  const rounds = openRounds(t);
  for (let call = 0; call < 230; call += 1) {
    rounds.standing.add(`call_${call}`);
    await rounds.keep(`call_${call}`);
  }
  rounds.faulty.add("all");
  await rounds.round(START);
  assert.equal(rounds.asked.length, 20);
  rounds.faulty.clear();
  assert.deepEqual(await rounds.round(START + MINUTE), { settled: 200, left: 0 });
  assert.deepEqual(await rounds.round(START + 2 * MINUTE), { settled: 30, left: 0 });
});

test("two rounds at once take no call twice", async (t) => {
  const rounds = openRounds(t);
  for (let call = 0; call < 30; call += 1) {
    rounds.standing.add(`call_${call}`);
    await rounds.keep(`call_${call}`);
  }
  await Promise.all([rounds.round(START), rounds.round(START)]);
  assert.equal(rounds.left(), 0);
  assert.equal(new Set(rounds.asked).size, rounds.asked.length);
});
