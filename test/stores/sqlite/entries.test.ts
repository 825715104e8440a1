import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LedgerOperations } from "#ledger/port.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import type { ReadName } from "#stores/ledger/store-ledger.ts";
import { createLedgerReads } from "#stores/sql/ledger-reads.ts";
import type { SqlQuery } from "#stores/sql/sql-database.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { createSqliteReads } from "#stores/sqlite/reads.ts";
import { START } from "../../contract/ledger/fixture.ts";
import { openDriver as open } from "./fixture.ts";

/** Every query of a read, with SQLite's query plan. */
function plansOf<Name extends ReadName>(
  driver: NodeSqlite,
  name: Name,
  order: LedgerOperations[Name][0],
) {
  const queries = createLedgerReads<{
    [Each in ReadName]: (order: LedgerOperations[Each][0]) => SqlQuery[];
  }>("sqlite", (read, given) => read.queries(given));
  return queries[name](order).map(({ sql, values }) => ({
    sql,
    plan: driver
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map(({ detail }) => String(detail)),
  }));
}

const ADA = { account: "ada", now: START };

describe("the cost of entries in SQLite", () => {
  test("a page is read along an index from its position, without scanning or sorting a list", (t) => {
    const plans = plansOf(open(t), "entries", { ...ADA, after: null, max: 50 });
    const searches = plans.flatMap(({ sql, plan }) => {
      for (const step of plan) assert.doesNotMatch(step, /SCAN|TEMP B-TREE/, sql);
      return plan.filter((step) => /\(\w+(?:,\w+)+\)</.test(step));
    });
    assert.deepEqual(
      searches.map((step) => step.match(/SEARCH (\w+) USING (?:INDEX )?(.*?) \(/)?.slice(1)).sort(),
      [
        ["credit_grant", "credit_grant_by_age"],
        ["credit_grant", "credit_grant_by_end"],
        ["credit_grant", "credit_grant_voided"],
        ["debit_by_account", "PRIMARY KEY"],
        // The journal is in order of time and never has more debits than its slices allow.
        ["debit_journal", "PRIMARY KEY"],
        ["reversal", "reversal_by_age"],
        ["reversal", "reversal_rolled_up"],
        ["usage_hour", "PRIMARY KEY"],
      ],
    );
  });

  test("a page reads no more rows when thousands of calls, hours and grants follow it", (t) => {
    const driver = open(t);
    driver.exec("INSERT INTO account (id, created_at, free_call) VALUES ('ada', 1, 'open')");
    driver.exec(`INSERT INTO api_key (account_no, id, sha256, start, label, created_at)
      VALUES (1, 'key_1', 'a', 'tb_1', 'first', 1)`);
    const grow = (from: number, to: number) => {
      const numbers = `WITH RECURSIVE n (n) AS (VALUES (${from}) UNION ALL SELECT n + 1 FROM n WHERE n < ${to - 1})`;
      for (const statement of [
        `INSERT INTO debit_by_account (account_no, at, call_id, key_no, tool, credits, is_free)
         ${numbers} SELECT 1, ${START} - n, 'd' || n, 1, 'hash', 0, 0 FROM n`,
        `INSERT INTO usage_hour (account_no, hour, key_no, tool, calls, free_calls, credits)
         ${numbers} SELECT 1, ${START} - n * ${HOUR_MS}, 1, 'hash', 1, 0, 0 FROM n`,
        `INSERT INTO credit_grant (account_no, id, kind, amount, remaining, spent, granted_at, expires_at)
         ${numbers} SELECT 1, 'g' || n, 'pack', 1, 1, 0, ${START} - n, ${START} + 1 FROM n`,
        `INSERT INTO reversal (account_no, debit_at, call_id, reversed_at, credits)
         ${numbers} SELECT 1, ${START} - n, 'd' || n, ${START} - n, 0 FROM n`,
      ])
        driver.exec(statement);
    };
    let rows = 0;
    const counted = {
      ...driver,
      prepare(sql: string) {
        const statement = driver.prepare(sql);
        const all: typeof statement.all = (...values) => {
          const read = statement.all(...values);
          rows += read.length;
          return read;
        };
        return { ...statement, all };
      },
    };
    const { entries } = createSqliteReads(counted);
    const rowsOfPages = () => {
      rows = 0;
      for (let page = 0, after: string | null = null; page < 4; page += 1)
        after = entries({ ...ADA, after, max: 50 }).next;
      return rows;
    };
    grow(1, 500);
    const few = rowsOfPages();
    grow(500, 20_000);
    assert.equal(rowsOfPages(), few);
    assert.ok(few > 200 && few < 2_000, `${few} rows`);
  });

  test("usage is read along the keys of its tables, from the requested time", (t) => {
    const after = { hour: START, key: "key", tool: "hash" };
    const order = { account: "ada", from: START, to: START + 9 * DAY_MS, after };
    const [, usage] = plansOf(open(t), "usage", order);
    for (const step of [
      "SEARCH usage_hour USING PRIMARY KEY (account_no=? AND (hour,key_no,tool)>(?,?,?) AND hour<?)",
      "SEARCH usage_kept USING PRIMARY KEY (account_no=? AND (hour,key_no,tool)>(?,?,?) AND hour<?)",
      "SEARCH debit_by_account USING PRIMARY KEY (account_no=? AND at>? AND at<?)",
      "SEARCH debit_journal USING PRIMARY KEY (at>? AND at<?)",
    ])
      assert.ok(usage?.plan.includes(step), String(usage?.plan));
  });

  test("a balance is summed along the index of spendable grants", (t) => {
    const [account] = plansOf(open(t), "findAccount", ADA);
    const step =
      "SEARCH credit_grant USING INDEX credit_grant_to_spend (account_no=? AND <expr>>?)";
    assert.ok(account?.plan.includes(step), String(account?.plan));
  });
});
