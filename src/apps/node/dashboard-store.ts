import { existsSync } from "node:fs";
import { NotCarriedOut } from "#ledger/port.ts";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { createPostgresMoves } from "#stores/postgres/moves.ts";
import { findDamage, isDamage as isPostgresDamage } from "#stores/postgres/operator.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createPostgresThrottle } from "#stores/postgres/throttle.ts";
import { openSqliteDashboardStore } from "#stores/sqlite/dashboard.ts";
import { isDamage } from "#stores/sqlite/faults.ts";
import { createSqliteMoves } from "#stores/sqlite/moves.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import type { DashboardSettings } from "./dashboard.ts";
import { createFaultWatch } from "./fault-watch.ts";
import { isBlocked } from "./files-watch.ts";

/** The dashboard thread's storage. It has its own connections, so that its waits delay no call. */
export function openDashboardStore(
  { data }: Pick<DashboardSettings, "data">,
  onIdleError: (error: Error) => void,
) {
  if ("file" in data) {
    const { blocked } = data;
    // A new connection would open another file than the main thread has open, or create one.
    const isLost = blocked !== undefined && !existsSync(data.file);
    if (isLost || isBlocked(blocked)) throw new NotCarriedOut(REFUSED);
    const { record, rethrowDatabaseErrors } = createFaultWatch();
    const driver = openNodeSqlite(data.file);
    const dashboard = openSqliteDashboardStore(driver, () => {
      if (!isBlocked(blocked)) return;
      const fault = new NotCarriedOut(REFUSED);
      record(fault);
      throw fault;
    });
    const moves = createSqliteMoves(driver, data.file, dashboard.turns);
    return {
      ...dashboard,
      moves,
      // A SQLite service has one node, so counters in memory suffice.
      throttle: null,
      pool: null,
      rethrowDatabaseErrors,
      // A damage check reads the whole file; only the command line on the same machine does that.
      findDamage: async () => [],
      isDamage,
      async close() {
        moves.close();
        driver.close();
      },
    };
  }
  const pool = openPostgresPool(data.databaseUrl, { max: CONNECTIONS_MAX, onIdleError });
  const { ledger, close } = createPostgresLedger(pool);
  const moves = createPostgresMoves(pool);
  const { record, rethrowDatabaseErrors } = createFaultWatch();
  return {
    ...createPostgresDashboardStore(pool, record),
    rethrowDatabaseErrors,
    throttle: createPostgresThrottle(pool),
    pool,
    ledger,
    moves,
    findDamage: () => findDamage(pool),
    isDamage: isPostgresDamage,
    async close() {
      await moves.close();
      await close();
      await pool.close();
    },
  };
}

const CONNECTIONS_MAX = 5;
const REFUSED = "The database files were deleted, replaced or damaged; see the log";
