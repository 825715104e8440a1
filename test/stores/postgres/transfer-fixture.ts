import type { TestContext } from "node:test";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { findSecret } from "#stores/postgres/settings.ts";
import { exportPostgres, importPostgres, isEmptyLedger } from "#stores/postgres/transfer.ts";
import { bytesOf, NOW } from "../transfer-fixture.ts";
import { newDatabase } from "./fixture.ts";

/** A ledger in PostgreSQL that imports and exports lines. */
export function openStore(url: string) {
  const pool = openPostgresPool(url, { max: 4 });
  const { ledger, close } = createPostgresLedger(pool, undefined, "caller");
  return {
    ...{ pool, ledger, ...createPostgresDashboardStore(pool) },
    isEmpty: () => isEmptyLedger((sql) => pool.once("read", sql)),
    take: (lines: readonly string[], keptFrom = NOW) =>
      importPostgres(pool, bytesOf(lines), { now: NOW, keptFrom }),
    /** The number of calls in each table. */
    async places() {
      const sql =
        "SELECT tableoid::regclass::text AS place, count(*) AS calls FROM debit GROUP BY 1 ORDER BY 1";
      const rows = await pool.once<{ place: string; calls: number }>("read", sql);
      return Object.fromEntries(rows.map(({ place, calls }) => [place, calls]));
    },
    async lines(withSecret = false) {
      const chunks: Uint8Array[] = [];
      const secret = withSecret ? await findSecret(pool) : null;
      await exportPostgres(pool, { secret }, (bytes) => chunks.push(bytes));
      return Buffer.concat(chunks).toString().trimEnd().split("\n");
    },
    async close() {
      await close();
      await pool.close();
    },
  };
}

export async function openFresh(t: TestContext) {
  const store = openStore(await newDatabase());
  t.after(store.close);
  return store;
}
