import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import { ACCOUNT_RECORDS } from "#ledger/transfer/account-moves.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import {
  accountId,
  assertTotals,
  createFixture,
  keySha256,
} from "../../contract/ledger/fixture.ts";
import { filledAccounts, NOW } from "../transfer-fixture.ts";
import { openObject } from "./fixture.ts";

const ADA = accountId("Ada");
const PAGE = { account: ADA, after: null, max: 10, hold: false };
type Object = ReturnType<typeof openObject>;

const of = await filledAccounts();

async function moveIn({ moves }: Object, records: TransferRecord[], account = ADA): Promise<void> {
  for (let at = 0; at < records.length; at += 10)
    await moves.importRecords({ account, records: records.slice(at, at + 10) });
}

async function readOut({ moves }: Object, max = 1_000): Promise<TransferRecord[]> {
  const records: TransferRecord[] = [];
  for (const kind of ACCOUNT_RECORDS) {
    let after: readonly (string | number | null)[] | null = null;
    do {
      const page: Awaited<ReturnType<typeof moves.exportRecords>> = await moves.exportRecords({
        ...{ ...PAGE, kind, after, max },
      });
      assert.ok(page.records.length <= max);
      records.push(...page.records);
      after = page.after;
    } while (after !== null);
  }
  return records;
}

const accountState = (account: string) => ({
  account,
  keySha256: keySha256(account, "main"),
  now: NOW,
});

describe("importing an account into an object", () => {
  for (const name of ["Ada", "Dan", "Fay"]) {
    test(`is imported completely, and can be exported again in pages of any size: ${name}`, async () => {
      const account = accountId(name);
      const object = openObject();
      assert.equal((await object.moves.beginImport({ account })).outcome, "begun");
      await moveIn(object, of(account), account);
      assert.deepEqual(await object.moves.finishImport({ account, now: NOW }), {
        ok: true,
        faults: [],
      });
      for (const max of [1, 7, 5_000]) assert.deepEqual(await readOut(object, max), of(account));
      await assertTotals(object.ledger, NOW);
    });
  }

  test("is seen by no operation until its import is finished, even after a restart, and can be started again", async () => {
    const object = openObject();
    await object.moves.beginImport({ account: ADA });
    const spoilt = of(ADA).filter((record) => record.record !== "usage");
    await moveIn(object, spoilt);
    const fixture = createFixture({ ledger: object.ledger });
    const order = fixture.debitOrder(ADA, { now: NOW, callId: "call_new" });
    const calls = object.calls(0);
    const isHidden = async () => {
      assert.equal((await calls.debit(order, false)).outcome.outcome, "invalid_key");
      assert.equal((await object.ledger.keyStatus(accountState(ADA))).outcome, "invalid_key");
      assert.equal(await object.ledger.findAccount({ account: ADA, now: NOW }), null);
      assert.deepEqual(await readOut(object), []);
    };
    await isHidden();
    const { ok, faults } = await object.moves.finishImport({ account: ADA, now: NOW });
    assert.equal(ok, false);
    assert.match(faults.join("\n"), /credits were granted, but \d+ are accounted for/);
    await object.restart();
    await isHidden();
    assert.equal((await object.moves.beginImport({ account: ADA })).outcome, "begun");
    await moveIn(object, of(ADA));
    await object.moves.finishImport({ account: ADA, now: NOW });
    assert.equal((await object.ledger.keyStatus(accountState(ADA))).outcome, "good");
    assert.equal((await object.moves.beginImport({ account: ADA })).outcome, "finished_before");
    assert.deepEqual(await readOut(object), of(ADA));
    assert.ok((await object.alarmAt()) !== null, "old debits are rolled up");
    // The Worker that had the key rejected asks again.
    assert.equal((await calls.debit(order, false)).outcome.outcome, "debited");
  });
});

describe("exporting an account while it is called", () => {
  test("an invalid page is rejected", async () => {
    const object = openObject();
    await createFixture({ ledger: object.ledger }).account("Ada", { credits: 3 });
    const page = { ...PAGE, kind: "debit" as const };
    for (const wrong of [
      { ...page, max: 0 },
      { ...page, max: 5_001 },
      { ...page, max: 1.5 },
      { ...page, kind: "secret" as never },
      { ...page, kind: "toString" as never },
      { ...page, after: [1] },
      { ...page, after: ["x", "y", 1] },
    ]) {
      await assert.rejects(object.moves.exportRecords(wrong), OrderRejected, JSON.stringify(wrong));
    }
  });

  test("shows by its state whether pages belong together", async () => {
    const object = openObject();
    const fixture = createFixture({ ledger: object.ledger });
    const account = await fixture.account("Ada", { credits: 3 });
    const page = { ...PAGE, kind: "grant" as const };
    const { state } = await object.moves.exportRecords(page);
    await fixture.balance(account);
    assert.equal((await object.moves.exportRecords(page)).state, state);
    await fixture.debit(account);
    assert.notEqual((await object.moves.exportRecords(page)).state, state);
  });

  test("can be held on request: calls are rejected without a charge, and reads continue", async () => {
    const object = openObject();
    const fixture = createFixture({ ledger: object.ledger });
    const account = await fixture.account("Ada", { credits: 3 });
    const page = { ...PAGE, kind: "grant" as const };
    await object.moves.exportRecords({ ...page, hold: true });
    await assert.rejects(object.calls(0).debit(fixture.debitOrder(account), false), NotCarriedOut);
    assert.equal(await fixture.balance(account), 3);
  });
});
