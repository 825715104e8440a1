import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { JOURNAL_SLICE_ROWS } from "#stores/sqlite/new-debits.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { createFixture, START, tally } from "../../contract/ledger/fixture.ts";
import { openDriver, temporaryFile, withoutTimeLimit } from "./fixture.ts";

const BLOCK_DRAINS =
  "CREATE TRIGGER no_drain BEFORE INSERT ON debit_by_account BEGIN SELECT RAISE(ABORT, 'no room'); END";

/** Before the thread starts, the journal has `rows` debits of another account, and `sql` is executed. */
async function openThread(t: TestContext, rows: number, sql = "") {
  withoutTimeLimit(t);
  const file = temporaryFile(t);
  const driver = openDriver(t, file);
  // A drain follows the last batch too, and may be under way when the test writes.
  driver.exec("PRAGMA busy_timeout = 600000");
  driver.exec(`
    INSERT INTO debit_journal (account_no, at, call_id, key_no, tool, credits, is_free, grant_no)
      WITH RECURSIVE call(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM call WHERE n < ${rows})
      SELECT 999, n, 'call-' || n, 1, 'hash', 1, 0, 1 FROM call;
    ${sql}`);
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
  // How many drains an order causes depends on timing: one or two. While drains are possible, two orders come.
  const slices = 6 * JOURNAL_SLICE_ROWS;
  const { driver, faults, crashes, rows, drain } = await openThread(t, slices, BLOCK_DRAINS);
  const before = rows();
  await drain();
  await drain();
  assert.deepEqual(faults, ["no room"]);
  assert.equal(rows(), before + 2, "no debit is lost");

  driver.exec("DROP TRIGGER no_drain");
  await drain();
  assert.ok(rows() < before, "it is drained again");
  driver.exec(BLOCK_DRAINS);
  await drain();
  assert.deepEqual(faults, ["no room", "no room"]);
  assert.deepEqual(crashes, []);
});
