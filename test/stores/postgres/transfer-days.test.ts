import assert from "node:assert/strict";
import { test } from "node:test";
import { assertTotals, DAY, maintainFully } from "../../contract/ledger/fixture.ts";
import { HASH, linesOf, NOW, openEmpty } from "../transfer-fixture.ts";
import { openFresh } from "./transfer-fixture.ts";

/** An import creates the day tables of its calls before it inserts them. */
const TODAY = Math.floor(NOW / DAY) * DAY;
const nameOf = (day: number) =>
  `debit_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;

/** A call at noon of each of the last 45 days. */
const fillDays = (from: ReturnType<typeof openEmpty>) =>
  from.exec(`
    INSERT INTO account (id, created_at, free_call) VALUES ('acc_One000000000', 1, 'withheld');
    INSERT INTO api_key (account_no, id, sha256, start, label, created_at)
      VALUES (1, 'key_One0000000000000000001', '${HASH}', 'tb_', 'l', 1);
    INSERT INTO credit_grant (account_no, id, kind, amount, remaining, spent, granted_at) VALUES (1, 'g', 'pack', 45, 0, 1, 1);
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 44)
    INSERT INTO debit_by_account SELECT 1, ${TODAY + DAY / 2} - i * ${DAY}, 'call_' || i, 1, 'hash', 1, 0, 1, NULL, NULL, NULL FROM n;`);

test("an import creates partitions first, so that each debit is in the partition of its day, and older ones are rolled up at once", async (t) => {
  const [from, to] = [openEmpty(t), await openFresh(t)];
  fillDays(from);
  const keptFrom = NOW - 30 * DAY;
  await to.take(linesOf(from), keptFrom);
  const days = Array.from({ length: 31 }, (_, ago) => nameOf(TODAY - ago * DAY));
  const inDays = Object.fromEntries(days.map((day) => [day, 1]));
  assert.deepEqual(await to.places(), { ...inDays, debit_other: 14 });
  assert.deepEqual(await to.lines(), linesOf(from));
  await maintainFully(to.ledger, { now: NOW, rollUpBefore: keptFrom, rowsMax: 9 });
  const { debit_other: left = 0 } = await to.places();
  assert.equal(left, 0);
  await assertTotals(to.ledger, NOW);
});

test("partitions ahead are created too, so that a starting node scans nothing", async (t) => {
  const [from, to] = [openEmpty(t), await openFresh(t)];
  fillDays(from);
  await to.take(linesOf(from), NOW - 2 * DAY);
  const ahead = Array.from({ length: 4 }, (_, days) => nameOf(TODAY + days * DAY));
  const sql =
    "SELECT relname AS name FROM pg_class WHERE relname = ANY ($1::text[]) ORDER BY relname";
  const made = await to.pool.once<{ name: string }>("read", sql, [ahead]);
  assert.deepEqual(
    made.map(({ name }) => name),
    ahead,
  );
});

test("partitions go back at most some hundred days, however long calls are kept", async (t) => {
  const [from, to] = [openEmpty(t), await openFresh(t)];
  fillDays(from);
  await to.take(linesOf(from), NOW - 36_500 * DAY);
  const days = await to.pool.once<{ count: number }>(
    "read",
    "SELECT count(*) FROM pg_inherits WHERE inhparent = 'debit'::regclass",
  );
  assert.equal(days[0]?.count, 1 + 400 + 1 + 3, "the others, the days back, today and those ahead");
  assert.deepEqual(await to.lines(), linesOf(from));
});
