import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { UsageNotSummed } from "#ledger/port.ts";
import { callsByKey, usagePages } from "#ledger/read-pages.ts";
import { SUM_STEP_DEBITS, SUM_STEP_DEBITS_MAX, UNSUMMED_DEBITS_MAX } from "#limits.ts";
import { withSummedUsage } from "#stores/ledger/store-ledger.ts";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { createSqliteReads } from "#stores/sqlite/reads.ts";
import { assertTotals, createFixture, DAY, HOUR, START } from "../../contract/ledger/fixture.ts";
import { openMemorySqlite } from "../../support/memory-sqlite.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";

/** How much work it is to read the usage of an account with many calls: what is counted are steps and rows, not time. */
async function open(t: TestContext) {
  const driver = openMemorySqlite();
  t.after(() => driver.close());
  const opened = openSqliteDirect(driver);
  const { ledger: direct, sumUsage } = opened;
  const fixture = createFixture(opened);
  const account = await fixture.account("Ada", { credits: 1_000_000 });
  const count = (what: string) =>
    Number(driver.prepare(`SELECT ${what} AS value`).get()?.["value"]);
  /** Calls of an account, one a minute, with two tools in turn, as if its debits had been made. */
  const fill = (calls: number) => {
    driver.exec(`WITH RECURSIVE call (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM call WHERE i < ${calls - 1})
      INSERT INTO debit_by_account SELECT 1, ${START} + i * 1000, 'c' || i, 1,
        CASE i % 2 WHEN 0 THEN 'hash' ELSE 'uuid' END, 1, 0, 1, NULL, NULL, NULL FROM call;
      UPDATE credit_grant SET remaining = remaining - ${calls}; UPDATE account SET rest = -1`);
  };
  let steps = 0;
  const summed = (forMs = Number.POSITIVE_INFINITY) =>
    withSummedUsage(
      direct,
      (order) => {
        steps += 1;
        return sumUsage(order);
      },
      forMs,
    );
  return { driver, direct, summed, fixture, account, count, fill, stepsOf: () => steps };
}

const EVERYTHING = { from: 0, to: Number.MAX_SAFE_INTEGER };
const UNSUMMED =
  "(SELECT count(*) FROM debit d JOIN account a ON a.no = d.account_no WHERE d.at >= a.summed_until)";

describe("sums of usage in SQLite", () => {
  test("calls are summed in steps, and then read as rows of hours", async (t) => {
    const calls = 60_000;
    const { summed, direct, fixture, account, count, fill, stepsOf } = await open(t);
    fill(calls);
    await assert.rejects(direct.usage({ account, ...EVERYTHING }), UsageNotSummed);
    const ledger = summed();
    const rows = await ledger.usage({ account, ...EVERYTHING });
    assert.equal(
      rows.reduce((sum, row) => sum + row.calls, 0),
      calls,
    );
    assert.equal(stepsOf(), calls / SUM_STEP_DEBITS_MAX);
    assert.ok(count(UNSUMMED) <= UNSUMMED_DEBITS_MAX);
    // An hour has 3,600 calls with two tools, however many calls there are in all.
    assert.ok(count("(SELECT count(*) FROM usage_kept)") <= 2 * Math.ceil(calls / 3_600));
    await assertTotals(fixture.ledger, START);
    const reads = stepsOf();
    await ledger.usage({ account, ...EVERYTHING });
    assert.equal(stepsOf(), reads, "what was summed is not summed again");
  });

  test("a reader who waited long enough gets an error, and the sums so far are kept", async (t) => {
    const { summed, account, fill, stepsOf } = await open(t);
    fill(60_000);
    const impatient = summed(0);
    for (let tries = 1; tries <= 3; tries += 1) {
      await assert.rejects(impatient.usage({ account, ...EVERYTHING }), UsageNotSummed);
      assert.equal(stepsOf(), tries, "each try is one step");
    }
    const rows = await impatient.usage({ account, ...EVERYTHING });
    assert.equal(
      rows.reduce((sum, row) => sum + row.calls, 0),
      60_000,
    );
  });

  test("readers of an account share the steps", async (t) => {
    const { summed, account, fill, stepsOf } = await open(t);
    fill(60_000);
    const ledger = summed();
    const order = { account, ...EVERYTHING };
    const [one, ...others] = await Promise.all([1, 2, 3].map(() => ledger.usage(order)));
    for (const other of others) assert.deepEqual(other, one);
    assert.equal(stepsOf(), 60_000 / SUM_STEP_DEBITS_MAX);
  });

  test("a reader who does not wait starts the steps for the next one", async (t) => {
    const { summed, account, fill, stepsOf } = await open(t);
    fill(60_000);
    const ledger = summed();
    await assert.rejects(callsByKey(ledger, { account, since: 0 }), UsageNotSummed);
    while (stepsOf() < 60_000 / SUM_STEP_DEBITS_MAX) await new Promise(setImmediate);
    assert.equal((await callsByKey(ledger, { account, since: 0 }))[0]?.calls, 60_000);
  });

  test("other work of the thread runs between two steps and between two pages", async (t) => {
    const { summed, account, fill, driver } = await open(t);
    fill(60_000);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    t.after(() => clearInterval(timer));
    const ledger = summed();
    await assert.rejects(callsByKey(ledger, { account, since: 0 }), UsageNotSummed);
    await ledger.usage({ account, ...EVERYTHING });
    assert.equal((await callsByKey(ledger, { account, since: 0 }))[0]?.calls, 60_000);
    assert.ok(turns >= 60_000 / SUM_STEP_DEBITS_MAX - 1, `${turns} turns`);
    driver.exec(`WITH RECURSIVE hour (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM hour WHERE i < 20000)
      INSERT INTO usage_hour SELECT 1, ${START - 1000 * DAY} + i * ${HOUR}, 1, 'echo', 1, 1, 0, NULL FROM hour`);
    turns = 0;
    let pages = 0;
    for await (const rows of usagePages(ledger, { account, ...EVERYTHING })) {
      assert.ok(rows.length <= 5_000);
      pages += 1;
    }
    assert.ok(pages >= 5);
    assert.ok(turns >= pages - 1, `${turns} turns for ${pages} pages`);
  });

  test("an account that makes many calls is summed as they are made", async (t) => {
    const { driver, fixture, account } = await open(t);
    const unsummed: string[] = [];
    const runBatch = createBatchRunner(driver, {
      createReads: createSqliteReads,
      onUnsummed: (each) => unsummed.push(each),
    });
    for (let batch = 1; batch <= 20; batch += 1) {
      runBatch(
        Array.from({ length: 1_000 }, (_, call) => [
          "debit",
          fixture.debitOrder(account, { now: START + batch * 1_000 + call }),
        ]),
      );
      assert.equal(unsummed.length, Math.floor((batch * 1_000) / (2 * SUM_STEP_DEBITS)));
    }
    assert.deepEqual(unsummed, [account, account]);
  });

  test("the audit compares the sums with the debits", async (t) => {
    const { driver, direct, fixture, account, fill } = await open(t);
    fill(SUM_STEP_DEBITS + 1);
    await fixture.sumUsage({ account });
    await assertTotals(fixture.ledger, START);
    driver.exec(
      "UPDATE usage_kept SET calls = calls + 1 WHERE tool = 'uuid' AND hour = (SELECT min(hour) FROM usage_kept)",
    );
    const { faults } = await direct.audit({ account, now: START });
    assert.deepEqual(faults, [
      `${account}: the sums of its calls say 5001 calls and 5000 credits, but its debits are 5000 calls and 5000 credits`,
    ]);
  });
});
