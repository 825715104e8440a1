import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Ledger } from "#ledger/port.ts";
import { OrderRejected } from "#ledger/port.ts";
import type { AccountImports } from "#ledger/transfer/account-moves.ts";
import type { RecordOf, TransferRecord } from "#ledger/transfer/records.ts";
import { ACCOUNTS, accountOf, filledAccounts, NOW } from "../stores/transfer-fixture.ts";
import { accountId, createFixture, keySha256 } from "./ledger/fixture.ts";

/** An empty ledger that is to hold many accounts. `another`: as another process has it that works on the same data. */
export type OpenedMoves = {
  ledger: Ledger;
  moves: AccountImports;
  another: Pick<OpenedMoves, "ledger" | "moves">;
  /** All records of the ledger. */
  records(): Promise<TransferRecord[]>;
};

const ADA = accountId("Ada");
const BOB = accountId("Bob");

const of = await filledAccounts();

/** Accounts that move into a ledger beside others. */
export function testAccountMoves(
  store: string,
  open: (t: TestContext) => Promise<OpenedMoves>,
): void {
  describe(`importing accounts into ${store}`, () => importsAreWhole(open));
}

async function moveIn(
  moves: AccountImports,
  account: string,
  records = of(account),
  step = 10,
): Promise<{ ok: boolean; faults: string[] }> {
  assert.deepEqual(await moves.beginImport({ account }), { outcome: "begun" });
  for (let at = 0; at < records.length; at += step)
    await moves.importRecords({ account, records: records.slice(at, at + step) });
  return moves.finishImport({ account, now: NOW });
}

/** The records of one account in the ledger. */
const readOut = async ({ records }: OpenedMoves, account: string): Promise<TransferRecord[]> =>
  (await records()).filter((record) => accountOf(record) === account);

function importsAreWhole(opener: (t: TestContext) => Promise<OpenedMoves>): void {
  test("imported accounts are unchanged and accept calls, even if steps are interrupted", async (t) => {
    const opened = await opener(t);
    const { ledger, moves } = opened;
    for (const account of ACCOUNTS) assert.deepEqual(await moveIn(moves, account), DONE);
    for (const account of ACCOUNTS) assert.deepEqual(await readOut(opened, account), of(account));
    const fixture = createFixture({ ledger });
    const made = await ledger.debit(fixture.debitOrder(ADA, { now: NOW }));
    assert.equal(made.outcome, "debited");
    assert.equal((await ledger.audit({ now: NOW })).ok, true);
    const own = await ledger.audit({ account: ADA, now: NOW });
    assert.deepEqual([own.ok, own.accounts], [true, 1]);
    assert.notDeepEqual(own.totals, (await ledger.audit({ now: NOW })).totals);
  });

  test("no operation sees an account before its import is finished", async (t) => {
    const opened = await opener(t);
    const { ledger, moves, another } = opened;
    const records = of(ADA);
    const order = { account: ADA, keySha256: keySha256(ADA, "main"), now: NOW };
    await moves.beginImport({ account: ADA });
    await moves.importRecords({ account: ADA, records });
    for (const each of [ledger, another.ledger]) {
      assert.equal(await each.findAccount({ account: ADA, now: NOW }), null);
      assert.equal((await each.keyStatus({ ...order })).outcome, "invalid_key");
      assert.deepEqual((await each.audit({ now: NOW })).accounts, 0);
    }
    assert.deepEqual(await another.moves.finishImport({ account: ADA, now: NOW }), DONE);
    assert.equal((await ledger.findAccount({ account: ADA, now: NOW }))?.account, ADA);
    assert.deepEqual(await readOut(opened, ADA), records);
  });

  test("every step may be repeated, also by another process after a crash", async (t) => {
    const opened = await opener(t);
    const { moves, another } = opened;
    const records = of(ADA);
    await moves.beginImport({ account: ADA });
    const half = records.slice(0, 20);
    for (const { importRecords } of [moves, another.moves, moves])
      await importRecords({ account: ADA, records: half });
    // What was half there is begun anew.
    assert.deepEqual(await moveIn(another.moves, ADA, records, 7), DONE);
    const twice = await Promise.all(
      [moves, another.moves].map(({ finishImport }) => finishImport({ account: ADA, now: NOW })),
    );
    assert.deepEqual(twice, [DONE, DONE]);
    assert.deepEqual(await moves.beginImport({ account: ADA }), { outcome: "finished_before" });
    assert.deepEqual(await moves.importRecords({ account: ADA, records: half }), { taken: 0 });
    assert.deepEqual(await readOut(opened, ADA), records);
    await moves.beginImport({ account: BOB });
    await moves.importRecords({ account: BOB, records: of(BOB) });
    // One that is begun beside the end of another leaves all of it or nothing.
    const [begun, ended] = await Promise.all([
      another.moves.beginImport({ account: BOB }),
      moves.finishImport({ account: BOB, now: NOW }),
    ]);
    assert.equal(ended.ok, begun.outcome === "finished_before");
  });

  test("finishing an import whose totals do not reconcile changes nothing, and more records may follow", async (t) => {
    const { ledger, moves } = await opener(t);
    const records = of(ADA);
    const isDebit = ({ record }: TransferRecord) => record === "debit";
    const without = await moveIn(
      moves,
      ADA,
      records.filter((record) => !isDebit(record)),
    );
    assert.equal(without.ok, false);
    assert.match(without.faults[0] ?? "", /acc_Ada.* credits were granted, but .* accounted for/);
    assert.equal(await ledger.findAccount({ account: ADA, now: NOW }), null);
    await moves.importRecords({ account: ADA, records: records.filter(isDebit) });
    assert.deepEqual(await moves.finishImport({ account: ADA, now: NOW }), DONE);
    const empty = await moveIn(moves, BOB, []);
    assert.deepEqual(empty.faults, [`${BOB}: the record of the account itself is missing`]);
  });

  test("records of another account or of none are rejected, and so are records before the import was started", async (t) => {
    const { moves } = await opener(t);
    const rejected = (asked: Promise<unknown>, sentence: RegExp) =>
      assert.rejects(asked, (error: Error) => {
        assert.ok(error instanceof OrderRejected, String(error));
        assert.match(error.message, sentence);
        return true;
      });
    await rejected(
      moves.importRecords({ account: ADA, records: of(ADA) }),
      /No import of this account was started/,
    );
    await rejected(
      moves.finishImport({ account: ADA, now: NOW }),
      /No import of this account was started/,
    );
    await moves.beginImport({ account: ADA });
    await rejected(
      moves.importRecords({ account: ADA, records: of(BOB) }),
      /Record 1 \(account\) does not belong to the account acc_Ada/,
    );
    const secret: TransferRecord = { record: "secret", value: "s" };
    await rejected(
      moves.importRecords({ account: ADA, records: [secret] }),
      /Records of kind "secret" do not belong to an account/,
    );
  });

  test("importing an existing account begins nothing, and an existing key is rejected", async (t) => {
    const { ledger, moves } = await opener(t);
    await createFixture({ ledger }).account("Ada");
    for (const _ of ["once", "again"])
      assert.deepEqual(await moves.beginImport({ account: ADA }), { outcome: "exists" });
    await assert.rejects(
      moves.importRecords({ account: ADA, records: of(ADA) }),
      /No import of this account was started/,
    );
    const keyOfAda = of(ADA).find((one): one is RecordOf<"key"> => one.record === "key");
    const withKey = of(BOB).map((record) =>
      record.record === "key" ? { ...record, sha256: keyOfAda?.sha256 ?? "" } : record,
    );
    await assert.rejects(moveIn(moves, BOB, withKey), (error: Error) => {
      assert.ok(error instanceof OrderRejected, String(error));
      return /contradicts .* existing record/.test(error.message);
    });
    assert.equal(await ledger.findAccount({ account: BOB, now: NOW }), null);
    assert.deepEqual(await moveIn(moves, BOB), DONE);
  });
}

const DONE = { ok: true, faults: [] };
