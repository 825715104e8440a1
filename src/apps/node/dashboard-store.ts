import { existsSync } from "node:fs";
import type { LogError } from "#email/enqueue-emails.ts";
import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import type { DashboardPlatform, DashboardStores, ServiceConfig } from "#service/parts.ts";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { createPostgresMoves } from "#stores/postgres/moves.ts";
import { findDamage, isDamage as isPostgresDamage } from "#stores/postgres/operator.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createPostgresThrottle } from "#stores/postgres/throttle.ts";
import { accountsOfLedger } from "#stores/sql/account-index.ts";
import { createGrantList } from "#stores/sql/grant-list.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import type { SqlDatabase } from "#stores/sql/sql-database.ts";
import { createReaderBesideLedger, createSqliteDashboardStore } from "#stores/sqlite/dashboard.ts";
import { isDamage, mayBeOneOrder } from "#stores/sqlite/faults.ts";
import { createSqliteExports } from "#stores/sqlite/moves.ts";
import { openNodeSqliteReadOnly } from "#stores/sqlite/node.ts";
import { openRemoteLedger } from "#stores/sqlite/thread-orders.ts";
import { createFaultWatch } from "./fault-watch.ts";
import { isBlocked } from "./files-watch.ts";
import { type NodeRequestLog, openNodeRequestLog } from "./request-log.ts";
import { reversalsForOperator } from "./reversals.ts";
import type { SqliteConnection, StoreConnection } from "./store.ts";

type Options = Pick<DashboardPlatform, "now" | "readTurns"> & {
  config: Pick<ServiceConfig, "dataDir" | "requestLog">;
  logError: LogError;
};

/** The dashboard thread's storage. It reads over its own connections, so that its waits delay no call. */
export function openDashboardStores(
  connection: StoreConnection,
  { config, now, readTurns: turns, logError }: Options,
): { stores: DashboardStores; requests: NodeRequestLog; close(): Promise<void> } {
  const { dataDir, requestLog: bounds } = config;
  const { place, close, ...opened } =
    "file" in connection
      ? openBesideLedger(connection, dataDir)
      : openPostgres(connection.databaseUrl, logError);
  const requests = openNodeRequestLog(place, {
    ...{ bounds, turns, now },
    logError: (message, cause) => logError(message, { cause }),
  });
  const isKept = bounds.keptDays > 0;
  const forgetRequests: DashboardStores["forgetRequests"] = (order) =>
    requests.log
      .forget(order)
      .catch((cause) => logError("Requests of a closed account were not deleted", { cause }));
  return {
    stores: {
      ...opened,
      requests: isKept ? requests.log : null,
      forgetRequests: isKept ? forgetRequests : undefined,
      queues: [opened.jobs, reversalsForOperator(dataDir)],
    },
    requests,
    async close() {
      await requests.close();
      await close();
    },
  };
}

/** It writes nothing: the ledger's thread does. */
function openBesideLedger({ file, blocked, orders }: SqliteConnection, dataDir: string) {
  // A new connection would open another file than the main thread has open.
  if (!existsSync(file) || isBlocked(blocked)) throw new NotCarriedOut(REFUSED);
  const { record, rethrowDatabaseErrors } = createFaultWatch();
  const reader = openNodeSqliteReadOnly(file);
  const remote = openRemoteLedger(orders);
  const { database, ledger } = createReaderBesideLedger(reader, remote, () => {
    if (isBlocked(blocked)) throw new NotCarriedOut(REFUSED);
  });
  const exports = createSqliteExports(file);
  return {
    ...createSqliteDashboardStore(database, ledger, (fault) => {
      // Others, such as a value that must be unique, are for the sender.
      if (fault instanceof OutcomeUnknown || (fault instanceof NotCarriedOut && !isRejected(fault)))
        record(fault);
    }),
    rethrowDatabaseErrors,
    // A SQLite service has one node, so counters in memory suffice.
    counts: null,
    operator: {
      ...readsForOperator(database),
      moves: { ...exports, ...remote.imports },
      // A damage check reads the whole file; only the command line on the same machine does that.
      findDamage: async () => [],
      isDamage,
    },
    place: { dataDir },
    async close() {
      exports.close();
      remote.close();
      reader.close();
    },
  };
}

const isRejected = (fault: Error) => "errcode" in fault && mayBeOneOrder(fault);

function openPostgres(databaseUrl: string, logError: LogError) {
  const pool = openPostgresPool(databaseUrl, {
    max: CONNECTIONS_MAX,
    onIdleError: (cause) => logError("PostgreSQL connection lost", { cause }),
  });
  const { ledger, close } = createPostgresLedger(pool);
  const { record, rethrowDatabaseErrors } = createFaultWatch();
  const store = createPostgresDashboardStore(pool, record);
  const moves = createPostgresMoves(pool);
  return {
    ...store,
    ledger,
    rethrowDatabaseErrors,
    counts: createPostgresThrottle(pool),
    operator: {
      ...readsForOperator(store.database),
      moves,
      findDamage: () => findDamage(pool),
      isDamage: isPostgresDamage,
    },
    place: { pool },
    async close() {
      await moves.close();
      await close();
      await pool.close();
    },
  };
}

const readsForOperator = (database: SqlDatabase) => ({
  actions: createOperatorActions(database),
  index: accountsOfLedger(database),
  grants: createGrantList(database),
});

const CONNECTIONS_MAX = 5;
const REFUSED = "The database files were deleted, replaced or damaged; see the log";
