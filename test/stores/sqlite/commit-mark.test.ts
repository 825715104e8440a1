import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { callRef } from "#ids.ts";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import {
  acceptLostCommits,
  COMMIT_MARK_SUFFIX,
  findLostCommits,
  lostCommitFaults,
  openCommitMark,
  openCompared,
  readCommitMark,
  resetCommitMark,
} from "#stores/sqlite/node-commit-mark.ts";
import { createFixture, DAY, START } from "../../contract/ledger/fixture.ts";
import { createChance } from "../../ledger/rules/chance.ts";
import { SAMPLE_SEED } from "../../support/sample.ts";

/** A ledger with a mark, and copies of its files while it is open: what is left of a process that was killed. */
async function openMarked(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-mark-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "ledger.sqlite");
  const driver = openNodeSqlite(file);
  const mark = openCommitMark(driver, file);
  t.after(() => {
    mark.close();
    driver.close();
  });
  const fixture = createFixture(openSqliteDirect(driver, mark));
  const account = await fixture.account("Ada", { credits: 1_000 });
  let killed = 0;
  return {
    ...fixture,
    driver,
    file,
    account,
    /** Copies the files as they are. Returns the copy of the database. */
    kill(): string {
      killed += 1;
      const copy = path.join(folder, `killed-${killed}.sqlite`);
      for (const suffix of ["", "-wal", COMMIT_MARK_SUFFIX])
        if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
      return copy;
    },
  };
}

/** What the next start notices. */
function start(file: string) {
  const { driver, isMarkMissing } = openCompared(file, START);
  try {
    const calls = driver.prepare("SELECT count(*) AS calls FROM debit").get()?.["calls"];
    return {
      isMarkMissing,
      calls,
      lost: findLostCommits(driver),
      faults: lostCommitFaults(driver),
    };
  } finally {
    driver.close();
  }
}

function flip(file: string, place: number, bit: number): void {
  const bytes = readFileSync(file);
  bytes[place] = (bytes[place] as number) ^ (1 << bit);
  writeFileSync(file, bytes);
}

test("a start after a kill notices nothing, whatever was committed last", async (t) => {
  const { account, kill, debit, grant, createKey, ledger, debitOrder } = await openMarked(t);
  const order = debitOrder(account);
  for (const commit of [
    () => ledger.debit(order),
    () => ledger.reverse({ account, callId: order.callId, at: START, now: START + 1 }),
    () => grant(account, "more", 5),
    () => debit(account, { credits: 10_000 }),
    () => createKey(account, "next"),
    () => debit(account),
    () =>
      ledger.maintain({ now: START + DAY, rollUpBefore: START + DAY, rowsMax: 100, after: null }),
    () => ledger.probe({ now: START }),
  ]) {
    await commit();
    const { lost, isMarkMissing } = start(kill());
    assert.deepEqual([lost, isMarkMissing], [null, false]);
  }
});

test("one flipped bit in the log is noticed if and only if commits are missing", async (t) => {
  const { account, kill, debit, driver } = await openMarked(t);
  driver.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const CALLS = 60;
  for (let call = 0; call < CALLS; call++) await debit(account);
  const chance = createChance(SAMPLE_SEED);
  const size = readFileSync(`${kill()}-wal`).length;
  for (let round = 0; round < 12; round++) {
    const copy = kill();
    // The first two bits are in the header of the log.
    const place = round < 2 ? chance.below(32) : chance.below(size);
    flip(`${copy}-wal`, place, chance.below(8));
    const { lost, calls, faults } = start(copy);
    assert.equal(lost !== null, calls !== CALLS, `byte ${place}, TEST_SEED=${SAMPLE_SEED}`);
    if (lost === null) continue;
    assert.equal(lost.lastCall?.account, account);
    assert.equal(lost.lastCall?.callId, `call_${CALLS}`);
    // The id that the access log has, and that `calls show` takes.
    const id = callRef({ account, callId: `call_${CALLS}`, at: lost.lastCall?.at ?? 0 });
    assert.match(faults[0] ?? "", new RegExp(`the call ${id} at .+--accept-loss`));
  }
});

test("a damaged log that was copied into the file is noticed although the last call is there", async (t) => {
  const { account, kill, debit, grant, driver } = await openMarked(t);
  driver.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const FRAME = 24 + 4_096;
  // Its pages come from the log, and those of the calls from the file.
  await grant(account, "more", 5);
  const ofGrant = Math.floor(readFileSync(`${kill()}-wal`).length / FRAME);
  const CALLS = 10;
  for (let call = 0; call < CALLS; call++) await debit(account);
  // Copies the log and leaves it as it is.
  driver.exec("PRAGMA wal_checkpoint(PASSIVE)");
  assert.equal(start(kill()).lost, null);
  const damaged = (place: number) => {
    const copy = kill();
    flip(`${copy}-wal`, place, 2);
    return start(copy);
  };
  const { lost, calls, faults } = damaged(32 + ofGrant * FRAME + 30);
  assert.deepEqual([calls, lost?.isLogDamaged], [CALLS, true]);
  assert.match(faults[0] ?? "", /older than the damaged write-ahead log.+--accept-loss/);
  // Without its header or its first commit SQLite reads nothing of the log, and all of it is in the file.
  for (const place of [5, 32 + 30]) assert.equal(damaged(place).lost, null);
  // With the last commit damaged, the mark says so.
  const size = readFileSync(`${kill()}-wal`).length;
  assert.equal(damaged(size - 30).lost?.isLogDamaged, undefined);
});

test("what was noticed is reported by every start until an operator accepts it", async (t) => {
  const { account, kill, debit, file } = await openMarked(t);
  const older = kill();
  await debit(account);
  const copy = kill();
  // An older copy in place of the database, and its log.
  for (const suffix of ["", "-wal"]) copyFileSync(older + suffix, copy + suffix);
  assert.equal(start(copy).lost?.lastCall?.callId, "call_1");
  assert.equal(start(copy).faults.length, 1);
  const driver = openNodeSqlite(copy);
  assert.equal(acceptLostCommits(driver), true);
  assert.equal(acceptLostCommits(driver), false);
  driver.close();
  assert.deepEqual(start(copy).faults, []);
  assert.deepEqual(start(file).faults, []);
});

test("a lost grant, which is no debit, is noticed by its number", async (t) => {
  const { account, kill, grant } = await openMarked(t);
  const older = kill();
  await grant(account, "more", 5);
  const copy = kill();
  for (const suffix of ["", "-wal"]) copyFileSync(older + suffix, copy + suffix);
  const { lost, faults } = start(copy);
  assert.equal(lost?.lastCall, null);
  assert.match(faults[0] ?? "", /the last change of accounts, keys or grants/);
});

test("a debit that was rolled up before its process could write the mark is not missing", async (t) => {
  const { account, kill, debit, ledger, file } = await openMarked(t);
  await debit(account);
  const before = readFileSync(file + COMMIT_MARK_SUFFIX);
  await ledger.maintain({ now: START + DAY, rollUpBefore: START + DAY, rowsMax: 100, after: null });
  writeFileSync(file + COMMIT_MARK_SUFFIX, before);
  assert.deepEqual(start(kill()).lost, null);
});

test("a mark that is missing or torn is said, and is no loss", async (t) => {
  const { account, kill, debit } = await openMarked(t);
  await debit(account);
  for (const spoil of [
    (file: string) => rmSync(file),
    (file: string) => writeFileSync(file, ""),
    (file: string) => flip(file, 3, 1),
    (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 9)),
  ]) {
    const copy = kill();
    spoil(copy + COMMIT_MARK_SUFFIX);
    const { isMarkMissing, lost } = start(copy);
    assert.deepEqual([isMarkMissing, lost], [true, null]);
  }
  const copy = kill();
  resetCommitMark(copy);
  assert.deepEqual(start(copy), { isMarkMissing: false, calls: 1, lost: null, faults: [] });
});

test("a transaction that is rolled back leaves the mark as it is", async (t) => {
  const { account, kill, driver, file, grant } = await openMarked(t);
  const mark = openCommitMark(driver, file);
  t.after(() => mark.close());
  const runBatch = createBatchRunner(driver, { mark });
  const before = readCommitMark(file);
  driver.exec(
    "CREATE TRIGGER t BEFORE INSERT ON credit_grant BEGIN SELECT RAISE(ABORT, 'boom'); END",
  );
  const order = { account, id: "boom", kind: "operator", amount: 1, expiresAt: null, now: START };
  const [result] = runBatch([["grant", order]]);
  assert.ok(result !== undefined && "error" in result);
  driver.exec("DROP TRIGGER t");
  assert.deepEqual(readCommitMark(file), before);
  await grant(account, "next", 1);
  assert.deepEqual(start(kill()).lost, null);
});
