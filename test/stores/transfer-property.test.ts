import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import fc from "fast-check";
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
import { SEED } from "../support/random.ts";
import { openSqliteDirect } from "../support/sqlite-direct.ts";
import { accountOf, openEmpty, recordsOf } from "./transfer-fixture.ts";

/** Ledgers as random orders leave them, moved account by account: each goes on as it would have. */
const RUNS = Math.ceil(Number(process.env["TEST_MODEL_RUNS"] ?? 20) / 4);
const OPENED = [ADA, BOB];
type Opened = ReturnType<typeof openSqliteDirect>;

const recordsOfAccount = async (driver: NodeSqlite, account: string) =>
  (await recordsOf(driver)).filter((record) => accountOf(record) === account);

const property = (t: TestContext, hold: (from: NodeSqlite, now: number) => Promise<void>) =>
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
      await hold(from, now);
    }),
    { numRuns: RUNS, seed: SEED },
  );

describe("a ledger of random orders", () => {
  test(`moved account by account has the same state and events (${RUNS} runs)`, (t) =>
    property(t, async (from, now) => {
      const moved = [];
      for (const account of OPENED) {
        const to = openEmpty(t);
        const moves = createSqliteImports(to);
        const records = await recordsOfAccount(from, account);
        await moves.beginImport({ account });
        await moves.importRecords({ account, records });
        assert.deepEqual(await moves.finishImport({ account, now }), { ok: true, faults: [] });
        const writes = countWrites();
        const readOut = ACCOUNT_RECORDS.flatMap((kind): TransferRecord[] => {
          const page = { account, kind, after: null, max: 5_000, hold: false };
          return exportRecords(to, writes, page).records;
        });
        assert.deepEqual(readOut, records);
        moved.push(to);
      }
      await isSame(from, moved, now);
    }));

  test(`moved account by account into one ledger has the same state and events (${RUNS} runs)`, (t) =>
    property(t, async (from, now) => {
      const to = openEmpty(t);
      const moves = createSqliteImports(to);
      for (const account of OPENED) {
        const records = await recordsOfAccount(from, account);
        await moves.beginImport({ account });
        for (const half of [records.slice(0, 9), records.slice(9)])
          await moves.importRecords({ account, records: half });
        assert.deepEqual(await moves.finishImport({ account, now }), { ok: true, faults: [] });
        assert.deepEqual(await recordsOfAccount(to, account), records);
      }
      await isSame(from, [to], now);
    }));
});

/** `moved`: all accounts together, or each by itself. What comes later is tried on both sides. */
async function isSame(from: NodeSqlite, moved: NodeSqlite[], now: number): Promise<void> {
  const before = openSqliteDirect(from);
  const after = moved.map(openSqliteDirect);
  const one = before.ledger;
  for (const [index, account] of OPENED.entries()) {
    const { ledger: other } = after[index] ?? (after[0] as Opened);
    const order = { account, now };
    assert.deepEqual(await other.findAccount(order), await one.findAccount(order));
    assert.deepEqual(await other.credits(order), await one.credits(order));
    assert.deepEqual(await allEntries(other, account, now), await allEntries(one, account, now));
  }
  for (const { ledger } of after) await assertTotals(ledger, now);
  const expected = await toldLater(before, now);
  const told: typeof expected = [];
  for (const other of after) told.push(...(await toldLater(other, now)));
  for (const account of OPENED) {
    const of = (events: typeof expected) => events.filter((event) => event.account === account);
    assert.deepEqual(of(told), of(expected));
  }
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
