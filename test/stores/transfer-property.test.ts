import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT_RECORDS } from "#ledger/transfer/account-moves.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import { exportRecords } from "#stores/durable-object/exports.ts";
import { countWrites } from "#stores/durable-object/writes.ts";
import { createSqliteImports } from "#stores/sqlite/imports.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { allEntries, assertTotals, DAY } from "../contract/ledger/fixture.ts";
import {
  recordExpiries,
  releaseAll,
  runStep,
  startRun,
  storeSteps,
} from "../contract/ledger-run.ts";
import { ADA, BOB, keyNames } from "../ledger/rules/names.ts";
import { SMALL_SIZES } from "../ledger/rules/sizes.ts";
import fc from "../support/properties.ts";
import { openSqliteDirect } from "../support/sqlite-direct.ts";
import { accountOf, openEmpty, recordsOf } from "./transfer-fixture.ts";

/** Ledgers as random orders leave them, moved account by account: each goes on as it would have. */
const RUNS = Math.ceil(Number(process.env["TEST_MODEL_RUNS"] ?? 20) / 4);
const OPENED = [ADA, BOB];
type Opened = ReturnType<typeof openSqliteDirect>;

const recordsOfAccount = async (driver: NodeSqlite, account: string) =>
  (await recordsOf(driver)).filter((record) => accountOf(record) === account);

test(`a ledger of random orders has the same state and events after its accounts were moved, into one ledger or each into its own (${RUNS} runs)`, (t) =>
  fc.assert(
    fc.asyncProperty(storeSteps(60), async (steps) => {
      const from = openEmpty(t);
      const run = await startRun(openSqliteDirect(from), SMALL_SIZES);
      for (const each of steps) await runStep(run, each);
      const { latest: now } = run;
      run.now = now;
      // An export shows what running calls hold as if it had been given back.
      await releaseAll(run);
      // What is due already is told where it was due.
      await recordExpiries(run, 1000);
      const together = openEmpty(t);
      const alone = [];
      for (const account of OPENED) {
        const to = openEmpty(t);
        for (const driver of [together, to]) await moveIn(driver, from, account, now);
        alone.push(to);
      }
      const before = openSqliteDirect(from);
      const sides = [[together], alone].map((moved) => moved.map(openSqliteDirect));
      for (const moved of sides) await isSame(before, moved, now);
      // What comes later is tried on all sides.
      const expected = await toldLater(before, now);
      for (const moved of sides) {
        const told = (await Promise.all(moved.map((each) => toldLater(each, now)))).flat();
        for (const account of OPENED) {
          const of = (events: typeof expected) => events.filter((each) => each.account === account);
          assert.deepEqual(of(told), of(expected));
        }
      }
    }),
    { numRuns: RUNS },
  ));

/** Imports the records of an account, and compares them with those that are read from there, as a node and as an object reads them. */
async function moveIn(to: NodeSqlite, from: NodeSqlite, account: string, now: number) {
  const records = await recordsOfAccount(from, account);
  const moves = createSqliteImports(to);
  await moves.beginImport({ account });
  for (const part of [records.slice(0, 9), records.slice(9)])
    await moves.importRecords({ account, records: part });
  assert.deepEqual(await moves.finishImport({ account, now }), { ok: true, faults: [] });
  assert.deepEqual(await recordsOfAccount(to, account), records);
  const isAlone = (await recordsOf(to)).every((record) => accountOf(record) === account);
  if (!isAlone) return;
  const writes = countWrites();
  const readOut = ACCOUNT_RECORDS.flatMap((kind): TransferRecord[] => {
    const page = { account, kind, after: null, max: 5_000, hold: false };
    return exportRecords(to, writes, page).records;
  });
  assert.deepEqual(readOut, records);
}

/** `moved`: one ledger with all accounts, or one for each. */
async function isSame({ ledger: one }: Opened, moved: Opened[], now: number): Promise<void> {
  for (const [index, account] of OPENED.entries()) {
    const { ledger: other } = moved[index] ?? (moved[0] as Opened);
    const order = { account, now };
    assert.deepEqual(await other.findAccount(order), await one.findAccount(order));
    assert.deepEqual(await other.credits(order), await one.credits(order));
    assert.deepEqual(await allEntries(other, account, now), await allEntries(one, account, now));
  }
  for (const { ledger } of moved) await assertTotals(ledger, now);
}

/** What the coming weeks bring, by calls and by themselves. */
async function toldLater({ ledger, ledgerEvents }: Opened, now: number) {
  await ledgerEvents.settle(await ledgerEvents.list({ max: 1000 }));
  for (let day = 0; day < 33; day += 1) {
    for (const account of OPENED)
      await ledger.debit({
        ...debitOf(account, `later_${account}_${day}`),
        now: now + day * DAY,
      });
    const order = { now: now + day * DAY, rollUpBefore: 0, rowsMax: 1000 };
    await ledger.maintain({ ...order, after: null });
  }
  const events = await ledgerEvents.list({ max: 1000 });
  return events.map(({ id: _, ...told }) => told);
}

const debitOf = (account: string, callId: string) => ({
  account,
  callId,
  keySha256: keyNames(account, "k0").sha256,
  tool: "hash",
  credits: 1,
  freeCallCredits: 1,
  idempotency: null,
});
