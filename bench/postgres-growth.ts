import { createPostgresDebits } from "#stores/postgres/debits.ts";
import {
  type DebitCost,
  fillDebits,
  measureDebits,
  orderAt,
  prepareGrowth,
} from "./postgres-cost.ts";
import {
  closePostgresFixture,
  openPostgresFixture,
  type PostgresFixture,
} from "./postgres-fixture.ts";
import { round, showTable } from "./report.ts";

/** Measures whether debits become more expensive as rows accumulate, and whether the grant of a busy account bloats its table. */
const FIRST = 10_000;
const FILL_STEP = 500_000;
const HOT_DEBITS = 200_000;
const HOT_BATCH = 100;

type Point = DebitCost & { rows: number; fillSeconds: number; databaseMb: number };

export async function measurePostgresGrowth(debits: number) {
  const fixture = await openPostgresFixture();
  try {
    const now = Date.now();
    await prepareGrowth(fixture.pool, now);
    const points: Point[] = [];
    let filled = 0;
    for (let rows = FIRST; rows <= debits; rows *= 10) {
      const started = performance.now();
      for (; filled < rows; filled = Math.min(rows, filled + FILL_STEP)) {
        const to = Math.min(rows, filled + FILL_STEP);
        await fillDebits(fixture.pool, now, { from: filled, to });
      }
      const fillSeconds = round((performance.now() - started) / 1000, 1);
      const cost = await measureDebits(fixture.url, now, String(rows));
      points.push({ rows, ...cost, fillSeconds, databaseMb: await readMegabytes(fixture) });
    }
    const hot = await measureHotGrant(fixture, now);
    return { points, hot, text: show(points, hot) };
  } finally {
    await closePostgresFixture(fixture);
  }
}

async function readMegabytes({ pool }: PostgresFixture): Promise<number> {
  const sql = "SELECT pg_database_size(current_database()) / 1000000 AS mb";
  return (await pool.once<{ mb: number }>("read", sql))[0]?.mb ?? 0;
}

/** Every batch leaves a dead version of the grant. */
async function measureHotGrant({ pool }: PostgresFixture, now: number) {
  const read = async () => {
    const sql = `SELECT pg_relation_size('credit_grant') AS bytes, n_tup_upd AS updates, n_tup_hot_upd AS hot
      FROM pg_stat_user_tables WHERE relname = 'credit_grant'`;
    const [row] = await pool.once<{ bytes: number; updates: number; hot: number }>("read", sql);
    return row ?? { bytes: 0, updates: 0, hot: 0 };
  };
  const before = await read();
  const { submit, close } = createPostgresDebits(pool);
  for (let sent = 0; sent < HOT_DEBITS; sent += HOT_BATCH) {
    const orders = Array.from({ length: HOT_BATCH }, (_, i) =>
      orderAt(0, `call_hot_${sent + i}`, now),
    );
    await Promise.all(orders.map((order) => submit(order)));
  }
  await close();
  return { debits: HOT_DEBITS, before, after: await read() };
}

function show(points: Point[], hot: Awaited<ReturnType<typeof measureHotGrant>>): string {
  const head = ["rows of debits", "pages a debit", "WAL bytes", "WAL bytes, cold"];
  const cells = points.map(({ rows, pages, walBytes, coldWalBytes, databaseMb, fillSeconds }) => [
    rows.toLocaleString("en"),
    pages.toFixed(1),
    walBytes.toFixed(0),
    coldWalBytes.toFixed(0),
    String(databaseMb),
    String(fillSeconds),
  ]);
  const { before, after, debits } = hot;
  return [
    "Growth: batches of 50 debits of as many accounts out of 1,000, debits over 30 days; cold: the first debit after a checkpoint",
    showTable([...head, "database MB", "filled in s"], cells),
    `A busy account: ${debits.toLocaleString("en")} debits in batches of ${HOT_BATCH}; the table of grants grew from ${before.bytes} to ${after.bytes} bytes; ${after.hot} of ${after.updates} updates of the whole run stayed within their page.`,
  ].join("\n");
}
