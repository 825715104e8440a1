import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import { ACCOUNT_RECORDS } from "#ledger/transfer/account-moves.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { pagesOf } from "#stores/sqlite/transfer-rows.ts";
import {
  accountId,
  assertTotals,
  createFixture,
  keySha256,
} from "../../contract/ledger/fixture.ts";
import { fill, NOW } from "../transfer-fixture.ts";
import { openObject } from "./fixture.ts";

const ADA = accountId("Ada");
const PAGE = { account: ADA, after: null, max: 10, hold: false };
type Object = ReturnType<typeof openObject>;

/** The records of each account of a real ledger, in the order in which they are written. */
async function readRecords(): Promise<Map<string, TransferRecord[]>> {
  const driver = openNodeSqlite(":memory:");
  await fill(driver);
  const records = ACCOUNT_RECORDS.flatMap((kind) => [...pagesOf(driver, kind)]);
  driver.close();
  return Map.groupBy(records, (each) => (each.record === "account" ? each.id : each.account));
}

const recordsOf = await readRecords();
const of = (account: string) => recordsOf.get(account) as TransferRecord[];

async function moveIn({ moves }: Object, records: TransferRecord[], step = 10): Promise<void> {
  for (let at = 0; at < records.length; at += step) {
    await moves.importRecords({ account: ADA, records: records.slice(at, at + step) });
  }
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
  for (const name of ["Ada", "Bob", "Cid", "Dan", "Eve", "Fay"]) {
    test(`is imported completely, and can be exported again in pages of any size: ${name}`, async () => {
      const account = accountId(name);
      const object = openObject();
      assert.equal((await object.moves.beginImport({ account })).outcome, "begun");
      await moveIn(object, of(account));
      assert.deepEqual(await object.moves.finishImport({ account: ADA, now: NOW }), {
        ok: true,
        faults: [],
      });
      for (const max of [1, 7, 5_000]) assert.deepEqual(await readOut(object, max), of(account));
      await assertTotals(object.ledger, NOW);
    });
  }

  test("accepts calls like any other account, and rolls up old debits", async () => {
    const object = openObject();
    await object.moves.beginImport({ account: ADA });
    await moveIn(object, of(ADA));
    await object.moves.finishImport({ account: ADA, now: NOW });
    assert.ok((await object.alarmAt()) !== null);
    const fixture = createFixture({ ledger: object.ledger });
    const before = await fixture.balance(ADA, NOW);
    const order = fixture.debitOrder(ADA, { now: NOW, callId: "call_there" });
    assert.equal((await object.calls(0).debit(order, false)).outcome.outcome, "debited");
    assert.equal(await fixture.balance(ADA, NOW), before - 1);
    await assertTotals(object.ledger, NOW);
  });

  test("accepts the same records again, all or some, and changes nothing", async () => {
    const object = openObject();
    await object.moves.beginImport({ account: ADA });
    await moveIn(object, of(ADA), 50);
    await moveIn(object, of(ADA).slice(3, 40), 11);
    await moveIn(object, of(ADA), 1_000);
    assert.equal((await object.moves.finishImport({ account: ADA, now: NOW })).ok, true);
    assert.deepEqual(await readOut(object), of(ADA));
  });

  test("is not open until its import is finished, even after a restart", async () => {
    const object = openObject();
    await object.moves.beginImport({ account: ADA });
    await moveIn(object, of(ADA));
    const fixture = createFixture({ ledger: object.ledger });
    const order = fixture.debitOrder(ADA, { now: NOW });
    const isMoving = (error: Error) =>
      error instanceof NotCarriedOut &&
      error.message === `The account ${ADA} is being imported; finish the import to open it`;
    const refusesAll = async () => {
      await assert.rejects(object.calls(0).debit(order, false), isMoving);
      await assert.rejects(object.calls(0).keyStatus(accountState(ADA)), isMoving);
      await assert.rejects(object.ledger.debit(order), isMoving);
      await assert.rejects(object.ledger.keyStatus(accountState(ADA)), isMoving);
      await assert.rejects(fixture.grant(ADA, "gift", 5), isMoving);
      await assert.rejects(readOut(object), isMoving);
    };
    await refusesAll();
    await object.restart();
    await refusesAll();
    await object.moves.finishImport({ account: ADA, now: NOW });
    assert.equal((await object.ledger.keyStatus(accountState(ADA))).outcome, "good");
    assert.deepEqual(await readOut(object), of(ADA));
  });

  test("can be started again after an interruption, and nothing of the first attempt remains", async () => {
    const object = openObject();
    await object.moves.beginImport({ account: ADA });
    const changed = of(ADA)
      .slice(0, 5)
      .map((record) =>
        record.record === "key" ? { ...record, label: "of the first try" } : record,
      );
    await object.moves.importRecords({ account: ADA, records: changed });
    assert.equal((await object.moves.beginImport({ account: ADA })).outcome, "begun");
    await moveIn(object, of(ADA));
    assert.equal((await object.moves.finishImport({ account: ADA, now: NOW })).ok, true);
    assert.deepEqual(await readOut(object), of(ADA));
  });

  test("stays unchanged after it was finished, however often it is started or finished again", async () => {
    const object = openObject();
    await object.moves.beginImport({ account: ADA });
    await moveIn(object, of(ADA));
    await object.moves.finishImport({ account: ADA, now: NOW });
    assert.equal((await object.moves.beginImport({ account: ADA })).outcome, "finished_before");
    assert.deepEqual(await object.moves.importRecords({ account: ADA, records: of(ADA) }), {
      taken: 0,
    });
    assert.equal((await object.moves.finishImport({ account: ADA, now: NOW })).ok, true);
    assert.deepEqual(await readOut(object), of(ADA));
  });

  test("stays closed if its totals do not reconcile, and says why", async () => {
    const object = openObject();
    await object.moves.beginImport({ account: ADA });
    const spoilt = of(ADA).filter((record) => record.record !== "usage");
    await moveIn(object, spoilt);
    const { ok, faults } = await object.moves.finishImport({ account: ADA, now: NOW });
    assert.equal(ok, false);
    assert.match(faults.join("\n"), /credits were granted, but \d+ are accounted for/);
    await assert.rejects(object.ledger.keyStatus(accountState(ADA)), NotCarriedOut);
    await moveIn(object, of(ADA));
    assert.equal((await object.moves.finishImport({ account: ADA, now: NOW })).ok, true);
  });

  test("stays closed if the record of the account is missing", async () => {
    const object = openObject();
    await object.moves.beginImport({ account: ADA });
    const { ok, faults } = await object.moves.finishImport({ account: ADA, now: NOW });
    assert.deepEqual(
      [ok, faults],
      [false, [`${ADA}: the record of the account itself is missing`]],
    );
  });

  test("is rejected if it already exists, or if no import was started", async () => {
    const object = openObject();
    const fixture = createFixture({ ledger: object.ledger });
    await fixture.account("Ada", { credits: 3 });
    await assert.rejects(object.moves.beginImport({ account: ADA }), /already exists/);
    await assert.rejects(
      object.moves.importRecords({ account: ADA, records: of(ADA) }),
      /No import of this account was started/,
    );
    await assert.rejects(
      object.moves.finishImport({ account: ADA, now: NOW }),
      /No import of this account was started/,
    );
    assert.equal(await fixture.balance(ADA), 3);
  });
});

describe("records that conflict", () => {
  const key = () => of(ADA).find(({ record }) => record === "key") as TransferRecord;
  const account = () => of(ADA)[0] as TransferRecord;
  const cases: [what: string, records: () => unknown[], message: RegExp][] = [
    [
      "of another account",
      () => [account(), of(accountId("Bob"))[0]],
      /Record 2 \(account\) does not belong/,
    ],
    [
      "a key of another account",
      () => [account(), { ...key(), account: accountId("Bob") }],
      /Record 2 \(key\)/,
    ],
    [
      "a key before its account",
      () => [key()],
      /refers to an account or a key that was not imported before/,
    ],
    [
      "a record of unknown kind",
      () => [{ record: "wish", account: ADA }],
      /Records of kind "wish" do not belong to an account/,
    ],
    [
      "the secret",
      () => [{ record: "secret", value: "x" }],
      /Records of kind "secret" do not belong to an account/,
    ],
    [
      "an address",
      () => [{ record: "address", email: "a@b.c", account: ADA, createdAt: 1 }],
      /"address"/,
    ],
    [
      "with a state that does not exist",
      () => [{ ...account(), state: "happy" }],
      /contradicts itself/,
    ],
    [
      "with a member left out",
      () => [account(), { record: "key", account: ADA, id: "key_1" }],
      /Record 2 \(key\)/,
    ],
    [
      "with text for a number",
      () => [{ ...account(), createdAt: "yesterday" }],
      /contradicts itself/,
    ],
  ];
  for (const [what, records, message] of cases) {
    test(`are rejected together with the rest of their page: ${what}`, async () => {
      const object = openObject();
      await object.moves.beginImport({ account: ADA });
      const asked = object.moves.importRecords({
        account: ADA,
        records: records() as TransferRecord[],
      });
      await assert.rejects(asked, (error: Error) => {
        assert.ok(error instanceof OrderRejected, String(error));
        assert.match(error.message, message);
        return true;
      });
      assert.equal(await object.countRows("account"), 0);
    });
  }

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
});

describe("exporting an account while it is called", () => {
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
