import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageNotSummed } from "#ledger/port.ts";
import { SUM_STEP_DEBITS, UNSUMMED_DEBITS_MAX } from "#limits.ts";
import { createPostgresReads } from "#stores/postgres/database.ts";
import {
  assertTotals,
  createFixture,
  DAY,
  HOUR,
  maintainFully,
  START,
} from "../../contract/ledger/fixture.ts";
import { newDatabase, openNode } from "./fixture.ts";

test("on PostgreSQL many calls are summed by the upkeep, or before their usage is read", async (t) => {
  // The statistics of a database that was used before would mislead its plans.
  const node = await openNode(await newDatabase());
  t.after(() => node.close());
  const fixture = createFixture({ ledger: node.ledger });
  const accounts = [await fixture.account("Ada"), await fixture.account("Bob")];
  const calls = UNSUMMED_DEBITS_MAX + SUM_STEP_DEBITS;
  for (const [index, account] of accounts.entries()) {
    await fixture.grant(account, "many", 100_000);
    await node.pool.once(
      "write",
      `INSERT INTO debit SELECT a.no, $2 + i * 1000, 'c' || i, k.no,
         CASE i % 2 WHEN 0 THEN 'hash' ELSE 'uuid' END, 1, 0, g.no, NULL, NULL
       FROM account a JOIN api_key k ON k.account_no = a.no JOIN credit_grant g ON g.account_no = a.no,
         generate_series(1, $3) i WHERE a.id = $1`,
      [account, START + index, calls],
    );
    await node.pool.once(
      "write",
      "UPDATE credit_grant SET remaining = remaining - $1 WHERE account_no = (SELECT no FROM account WHERE id = $2)",
      [calls, account],
    );
  }
  await node.pool.once("write", "UPDATE account SET rest = -1");
  const [ada = "", bob = ""] = accounts;
  const reads = createPostgresReads(node.pool);
  const whole = (account: string) => ({ account, from: 0, to: START + 30 * DAY });
  const callsOf = (rows: readonly { calls: number }[]) =>
    rows.reduce((sum, row) => sum + row.calls, 0);
  await assert.rejects(reads.usage(whole(ada)), UsageNotSummed);
  assert.equal(callsOf(await node.ledger.usage(whole(ada))), calls);
  await assert.rejects(reads.usage(whole(bob)), UsageNotSummed);
  // The upkeep sums while it has nothing to roll up.
  await maintainFully(node.ledger, { now: START + DAY, rollUpBefore: START, rowsMax: 500 });
  assert.equal(callsOf(await reads.usage(whole(bob))), calls);
  const unsummed = await node.pool.once<{ rows: number }>(
    "read",
    "SELECT count(*) AS rows FROM debit d JOIN account a ON a.no = d.account_no WHERE d.at >= a.summed_until GROUP BY a.no",
  );
  for (const { rows } of unsummed) assert.ok(Number(rows) <= SUM_STEP_DEBITS, String(rows));
  await assertTotals(node.ledger, START);
  const before = await reads.usage(whole(ada));
  await maintainFully(node.ledger, {
    ...{ now: START + 2 * DAY, rollUpBefore: START + 3 * HOUR, rowsMax: 8_000 },
  });
  assert.deepEqual(await reads.usage(whole(ada)), before);
  const [kept] = await node.pool.once<{ rows: number }>(
    "read",
    "SELECT count(*) AS rows FROM usage_kept WHERE hour < $1",
    [START + 3 * HOUR],
  );
  assert.equal(Number(kept?.rows), 0);
  await assertTotals(node.ledger, START);
});
