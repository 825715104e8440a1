import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import fc from "fast-check";
import { type Ledger, OrderRefused } from "#ledger/port.ts";
import { ACCOUNT_RECORDS } from "#ledger/transfer/account-moves.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import { createMoving } from "#stores/durable-object/moving.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { importSqlite, recordsOfAccount } from "#stores/sqlite/transfer.ts";
import { ACCOUNTS, KEYS, type Step, step } from "../contract/ledger/model-steps.ts";
import {
  allEntries,
  assertBooks,
  DAY,
  HOUR,
  idempotency,
  keyId,
  keySha256,
  START,
} from "../contract/ledger/scene.ts";
import { bytesOf, linesOf, openEmpty } from "./transfer-scene.ts";

/** Ledgers as random orders leave them, moved as lines and account by account: each goes on as it would have. */
const RUNS = Math.ceil(Number(process.env["TEST_MODEL_RUNS"] ?? 100) / 4);
const OPENED = ACCOUNTS.slice(0, 3);

const property = (t: TestContext, hold: (from: NodeSqlite, now: number) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
      const from = openEmpty(t);
      const { ledger } = openSqliteDirect(from);
      const now = await carryOut(ledger, steps);
      // What is due already is told where it was due.
      await ledger.recordExpiries({ now, max: 1000 });
      await hold(from, now);
    }),
    { numRuns: RUNS },
  );

describe("a ledger of random orders", () => {
  test(`moved as lines is the same, and tells what it would have told (${RUNS} runs)`, (t) =>
    property(t, async (from, now) => {
      const to = openEmpty(t);
      const lines = linesOf(from);
      importSqlite(to, bytesOf(lines), now);
      assert.deepEqual(linesOf(to), lines);
      await isSame(from, [to], now);
    }));

  test(`moved account by account is the same, and tells what it would have told (${RUNS} runs)`, (t) =>
    property(t, async (from, now) => {
      const moved = [];
      for (const account of OPENED) {
        const to = openEmpty(t);
        const moving = createMoving(to, async () => {});
        const records = [...recordsOfAccount(from, account)];
        await moving.beginImport({ account });
        moving.importRecords({ account, records });
        assert.deepEqual(moving.finishImport({ account, now }), { ok: true, faults: [] });
        const readOut = ACCOUNT_RECORDS.flatMap((kind): TransferRecord[] => {
          const page = { account, kind, after: null, max: 5_000, hold: false };
          return moving.exportRecords(page).records;
        });
        assert.deepEqual(readOut, records);
        moved.push(to);
      }
      await isSame(from, moved, now);
    }));
});

/** `moved`: all accounts together, or each by itself. What comes later is tried on both sides. */
async function isSame(from: NodeSqlite, moved: NodeSqlite[], now: number): Promise<void> {
  const { ledger: one } = openSqliteDirect(from);
  const others = moved.map((driver) => openSqliteDirect(driver).ledger);
  for (const [index, account] of OPENED.entries()) {
    const other = others[index] ?? (others[0] as Ledger);
    const order = { account, now };
    assert.deepEqual(await other.findAccount(order), await one.findAccount(order));
    assert.deepEqual(await other.credits(order), await one.credits(order));
    assert.deepEqual(await allEntries(other, account, now), await allEntries(one, account, now));
  }
  for (const other of others) await assertBooks(other, now);
  const expected = await toldLater(one, now);
  const told: typeof expected = [];
  for (const other of others) told.push(...(await toldLater(other, now)));
  for (const account of OPENED) {
    const of = (notices: typeof expected) => notices.filter((notice) => notice.account === account);
    assert.deepEqual(of(told), of(expected));
  }
}

/** What the coming weeks bring, by calls and by themselves. */
async function toldLater(ledger: Ledger, now: number) {
  const { notices: before } = await ledger.listEvents({ max: 1000 });
  await ledger.deleteEvents({ ids: before.map(({ id }) => id) });
  for (let day = 0; day < 33; day += 1) {
    for (const account of OPENED)
      await ledger.debit({
        ...debitOf(account, "main", `later_${account}_${day}`),
        now: now + day * DAY,
      });
    await ledger.recordExpiries({ now: now + day * DAY, max: 1000 });
  }
  const { notices } = await ledger.listEvents({ max: 1000 });
  return notices.map(({ id: _, ...told }) => told);
}

const debitOf = (account: string, key: string, callId: string) => ({
  account,
  callId,
  keySha256: keySha256(account, key),
  tool: "hash",
  credits: 1,
  freeCallCredits: 1,
  idempotency: null,
});

/** Some are paid by several grants. */
const PRICES = [1, 3, 0, 1, 6];

/** Whatever comes of them. Returns the latest time of the run. */
async function carryOut(ledger: Ledger, steps: Step[]): Promise<number> {
  const clock = { now: START, latest: START, version: 0 };
  for (const [index, account] of OPENED.entries()) {
    const freeCall = index === 1 ? "withheld" : "open";
    await ledger.openAccount({ account, freeCall, now: START });
    for (const label of KEYS) {
      const key = { id: keyId(account, label), sha256: keySha256(account, label) };
      await ledger.createKey({ account, ...key, start: "tb_", label, now: START });
    }
  }
  const made = new Map<number, { account: string; callId: string; at: number }>();
  for (const each of steps) {
    try {
      await carryOutOne(ledger, each, clock, made);
    } catch (error) {
      if (!(error instanceof OrderRefused)) throw error;
    }
    clock.latest = Math.max(clock.latest, clock.now);
  }
  return clock.latest;
}

async function carryOutOne(
  ledger: Ledger,
  each: Step,
  clock: { now: number; latest: number; version: number },
  made: Map<number, { account: string; callId: string; at: number }>,
): Promise<unknown> {
  const { now } = clock;
  switch (each.type) {
    case "debit": {
      const callId = `call_${each.call}`;
      made.set(each.call, { account: each.account, callId, at: now });
      const kept =
        each.idempotencyKey === null ? null : idempotency(each.idempotencyKey, each.body);
      const order = debitOf(each.account, each.key, callId);
      const credits = PRICES[each.call % PRICES.length] as number;
      return ledger.debit({ ...order, tool: each.tool, credits, now, idempotency: kept });
    }
    case "reverse": {
      const call = made.get(each.call ?? Math.max(0, ...made.keys()));
      return call && ledger.reverse({ ...call, now });
    }
    case "grant": {
      const { account, id, kind, amount, hours } = each;
      const expiresAt = hours === null || kind === "lifetime" ? null : now + hours * HOUR;
      return ledger.grant({ account, id, kind, amount, expiresAt, now });
    }
    case "clawback":
      clock.version += 1;
      return ledger.clawback({
        ...{ account: each.account, grant: each.id ?? "g1", credits: each.credits, now },
        version: Math.max(0, clock.version - each.behind),
      });
    case "look":
      return ledger.recordExpiries({ now, max: each.max });
    case "bound":
      return ledger.setLowBalance({ ...each, now });
    case "clock":
    case "boundary":
      clock.now += each.type === "clock" ? each.ms : 5 * DAY;
      return undefined;
    case "maintain": {
      const foldBefore = clock.latest - each.hours * HOUR;
      return ledger.maintain({ now, foldBefore, rowsMax: each.rowsMax, after: null });
    }
    case "suspend":
      return ledger.suspendAccount({ account: each.account, now });
    case "resume":
      return ledger.resumeAccount({ account: each.account, now });
    case "close":
      return ledger.closeAccount({ account: each.account, now });
    case "revoke":
      return ledger.revokeKey({ account: each.account, id: keyId(each.account, each.key), now });
    default:
      return undefined;
  }
}
