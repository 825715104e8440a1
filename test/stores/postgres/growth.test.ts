import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createPostgresCalls } from "#stores/postgres/calls.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import {
  type DebitCost,
  fillAccounts,
  fillDebits,
  measureDebits,
  orderAt,
  prepareGrowth,
  readBackend,
  stopVacuum,
} from "./debit-cost.ts";
import { newDatabase } from "./fixture.ts";

/**
 * The cost of a debit does not grow with the number of debits. It is counted in pages and bytes, which other programs
 * on the machine do not affect.
 */
const FEW = 5_000;
const MANY = Number(process.env["TEST_DEBITS"] ?? 60_000);
/** One more level in a tree is one page for each index; a scan would be hundreds of pages. */
const PAGES_RATIO_MAX = 1.3;
const WAL_RATIO_MAX = 1.3;

let url: string;
let pool: PostgresPool;
describe("the cost of a debit in PostgreSQL", () => {
  before(async () => {
    url = await newDatabase();
    pool = openPostgresPool(url, { max: 2 });
  });
  after(() => pool.close());

  test(`a debit, with an idempotency key or without, costs the same among ${MANY} debits as among ${FEW}`, async () => {
    const now = Date.now();
    await prepareGrowth(pool, now);
    await fillDebits(pool, now, { from: 0, to: FEW });
    const few = [
      await measureDebits(url, now, "few"),
      await measureDebits(url, now, "fewer", true),
    ];
    await fillDebits(pool, now, { from: FEW, to: MANY });
    const many = [
      await measureDebits(url, now, "many"),
      await measureDebits(url, now, "more", true),
    ];
    for (const [kind, before] of few.entries()) {
      const after = many[kind] as DebitCost;
      const told = JSON.stringify({ kind, before, after });
      assert.ok(before.pages > 5 && before.walBytes > 100, `nothing was measured: ${told}`);
      assert.ok(after.pages <= before.pages * PAGES_RATIO_MAX, told);
      assert.ok(after.walBytes <= before.walBytes * WAL_RATIO_MAX, told);
    }
  });

  /** Without reuse, 800 debits take 13 pages of 8 kB. */
  const GROWTH_MAX = 2 * 8_192;
  /** A snapshot of another connection, such as that of an automatic vacuum, prevents the reuse as long as it is open. */
  const ROUNDS_MAX = 5;

  test("hundreds of debits of one account reuse the places of a grant's earlier rows", async () => {
    const size = async () => {
      const sql = "SELECT pg_relation_size('credit_grant') AS bytes";
      return (await pool.once<{ bytes: number }>("read", sql))[0]?.bytes ?? Number.NaN;
    };
    const now = Date.now();
    const { submit, close } = createPostgresCalls(pool, "debit");
    const growths: number[] = [];
    do {
      const before = await size();
      for (let number = 0; number < 800; number += 1)
        await submit(orderAt(0, `call_hot_${growths.length}_${number}`, now));
      growths.push((await size()) - before);
    } while ((growths.at(-1) as number) > GROWTH_MAX && growths.length < ROUNDS_MAX);
    await close();
    assert.ok((growths.at(-1) as number) <= GROWTH_MAX, `${growths} bytes`);
  });

  /** A call reads some pages of each index and table. A scan of these tables would be hundreds. */
  const PAGES_OF_CALL_MAX = 40;
  const BATCH = 50;

  test("a connection that planned its statements on empty tables looks rows up by their keys when the tables are large", async (t) => {
    const database = await newDatabase();
    const one = openPostgresPool(database, { max: 1 });
    t.after(() => one.close());
    const { submit, close } = createPostgresCalls(one, "debit");
    const now = Date.now();
    let calls = 0;
    const pagesOf = async (accounts: number[]) => {
      const before = await readBackend(one);
      const orders = accounts.map((account) => orderAt(account, `call_${calls++}`, now));
      for (const { outcome } of await Promise.all(orders.map((order) => submit(order))))
        assert.equal(outcome, "debited");
      return ((await readBackend(one)).pages - before.pages) / accounts.length;
    };
    await stopVacuum(one);
    await fillAccounts(one, 1);
    for (let number = 0; number < 10; number += 1) await pagesOf([0]);
    await fillAccounts(one, 8_000, { from: 1, isAnalyzed: false });
    await one.transaction("upkeep", (query) =>
      query(`INSERT INTO credit_grant (account_no, id, kind, amount, remaining, spent, granted_at)
      SELECT 1, 'more_' || n, 'operator', 1, 1, 0, n FROM generate_series(1, 8000) n`),
    );
    const many = Array.from({ length: BATCH }, (_, i) => 1 + i * 151);
    const measured: Record<string, number> = {};
    // The first time, the backend reads the catalog's pages too.
    for (const time of ["first", "second"]) {
      measured[`${time}, ${BATCH} accounts`] = await pagesOf(many);
      measured[`${time}, an account with 8,000 grants`] = await pagesOf([0]);
      measured[`${time}, ${BATCH} calls of that account`] = await pagesOf(many.map(() => 0));
    }
    await close();
    for (const [what, pages] of Object.entries(measured))
      assert.ok(what.startsWith("first") || pages <= PAGES_OF_CALL_MAX, JSON.stringify(measured));
    t.diagnostic(JSON.stringify(measured));
  });
});
