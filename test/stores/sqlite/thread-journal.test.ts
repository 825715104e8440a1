import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { createFixture, START, tally } from "../../contract/ledger/fixture.ts";
import { blockDrains, fillJournal, unblockDrains } from "../journal-fixture.ts";
import { openDriver, temporaryFile } from "./fixture.ts";

async function openThread(t: TestContext, rows?: number) {
  const file = temporaryFile(t);
  const driver = openDriver(t, file);
  fillJournal(driver, rows);
  const faults: string[] = [];
  const crashes: Error[] = [];
  const thread = await openSqliteThread({
    file,
    onCrash: (error) => crashes.push(error),
    onFault: ({ message }) => faults.push(message),
  });
  t.after(() => thread.close());
  const fixture = createFixture(thread);
  const account = await fixture.account("Ada", { credits: 10 });
  return {
    ...{ driver, faults, crashes },
    rows: () => Number(driver.prepare("SELECT count(*) AS n FROM debit_journal").get()?.["n"]),
    /** A drain follows each batch, and its report comes before the response of the next batch. */
    async drain() {
      assert.deepEqual(tally([await fixture.debit(account)]), { debited: 1 });
      await fixture.ledger.credits({ account, now: START });
    },
  };
}

test("a journal of few accounts is moved when it has 2,000 rows", async (t) => {
  const { rows, drain } = await openThread(t, 1_998);
  await drain();
  assert.equal(rows(), 1_999);
  await drain();
  assert.equal(rows(), 0);
  await drain();
  assert.equal(rows(), 1);
});

test("a journal that cannot be drained is reported once, and again only after a drain has succeeded", async (t) => {
  const { driver, faults, crashes, rows, drain } = await openThread(t);
  await drain();
  assert.deepEqual(faults, []);
  blockDrains(driver);
  const before = rows();
  await drain();
  await drain();
  assert.deepEqual(faults, ["no room"]);
  assert.equal(rows(), before + 2, "no debit is lost");

  unblockDrains(driver);
  await drain();
  assert.ok(rows() < before, "it is drained again");
  blockDrains(driver);
  await drain();
  assert.deepEqual(faults, ["no room", "no room"]);
  assert.deepEqual(crashes, []);
});
