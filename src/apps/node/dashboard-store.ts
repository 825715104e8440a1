import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { findDamage, isDamage as isPostgresDamage } from "#stores/postgres/operator.ts";
import { createPostgresPeople } from "#stores/postgres/people.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createPostgresThrottle } from "#stores/postgres/throttle.ts";
import { isDamage } from "#stores/sqlite/damage.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openSqlitePeople } from "#stores/sqlite/people.ts";
import type { DashboardSettings } from "./dashboard.ts";
import { createFaultWatch } from "./fault-watch.ts";

/** What the thread of the people's side keeps its things in: connections of its own, whose waits delay no call. */
export function openPeopleStore(
  { data }: Pick<DashboardSettings, "data">,
  onIdleError: (error: Error) => void,
) {
  if ("file" in data) {
    const driver = openNodeSqlite(data.file);
    return {
      ...openSqlitePeople(driver),
      // There is one node alone, and its memory will do.
      throttle: null,
      rethrowDatabaseErrors: undefined,
      // To look for damage reads the whole file: the command line does it where the file is.
      findDamage: async () => [],
      isDamage,
      close: async () => driver.close(),
    };
  }
  const pool = openPostgresPool(data.databaseUrl, { max: CONNECTIONS_MAX, onIdleError });
  const { ledger, close } = createPostgresLedger(pool);
  const { note, rethrowDatabaseErrors } = createFaultWatch();
  return {
    ...createPostgresPeople(pool, note),
    rethrowDatabaseErrors,
    throttle: createPostgresThrottle(pool),
    ledger,
    findDamage: () => findDamage(pool),
    isDamage: isPostgresDamage,
    async close() {
      await close();
      await pool.close();
    },
  };
}

const CONNECTIONS_MAX = 5;
