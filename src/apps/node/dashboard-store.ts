import { existsSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { LogError } from "#email/email-queue.ts";
import { type Ledger, NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import type { DashboardPlatform, DashboardStores, ServiceConfig } from "#service/parts.ts";
import { patientReads } from "#stores/ledger/store-ledger.ts";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresImports, exportPostgres } from "#stores/postgres/imports.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { checkPostgres } from "#stores/postgres/operator.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { findSecret } from "#stores/postgres/settings.ts";
import { createPostgresThrottle } from "#stores/postgres/throttle.ts";
import { countHolds, type HoldCounts } from "#stores/sql/count-holds.ts";
import { createGrantList } from "#stores/sql/credits.ts";
import { accountsOfLedger } from "#stores/sql/directory.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import type { SqlDatabase } from "#stores/sql/sql-database.ts";
import { createReaderBesideLedger, createSqliteDashboardStore } from "#stores/sqlite/dashboard.ts";
import { mayBeOneOrder } from "#stores/sqlite/faults.ts";
import { openNodeSqliteReadOnly } from "#stores/sqlite/node.ts";
import { openRemoteLedger } from "#stores/sqlite/thread-orders.ts";
import { openDatabaseCopies } from "./database-copies.ts";
import { createFaultWatch } from "./fault-watch.ts";
import { isBlocked } from "./files-watch.ts";
import { type NodeRequestLog, openNodeRequestLog } from "./request-log.ts";
import { reversalsForOperator } from "./reversals.ts";
import { readSecretFile } from "./secret-file.ts";
import type { SqliteConnection, StoreConnection } from "./store.ts";

type Options = Pick<DashboardPlatform, "now" | "readTurns"> & {
  config: Pick<ServiceConfig, "dataDir" | "requestLog" | "secrets">;
  logError: LogError;
};

/** The dashboard thread's storage. It reads over its own connections, so that its waits delay no call. */
export function openDashboardStores(
  connection: StoreConnection,
  { config, now, readTurns: turns, logError }: Options,
): {
  stores: DashboardStores;
  requests: NodeRequestLog;
  countHolds(): Promise<HoldCounts>;
  close(): Promise<void>;
} {
  const { dataDir, requestLog: bounds } = config;
  const { database, place, close, ...opened } =
    "file" in connection
      ? openBesideLedger(connection, config)
      : openPostgres(connection.databaseUrl, config, logError);
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
    countHolds: () => countHolds(database),
    async close() {
      await requests.close();
      await close();
    },
  };
}

/** It writes nothing: the ledger's thread does. */
function openBesideLedger({ file, blocked, orders }: SqliteConnection, config: Options["config"]) {
  // A new connection would open another file than the main thread has open.
  if (!existsSync(file) || isBlocked(blocked)) throw new NotCarriedOut(REFUSED);
  const { record, rethrowDatabaseErrors } = createFaultWatch();
  const reader = openNodeSqliteReadOnly(file);
  const remote = openRemoteLedger(orders);
  const { database, ledger } = createReaderBesideLedger(reader, remote, () => {
    if (isBlocked(blocked)) throw new NotCarriedOut(REFUSED);
  });
  return {
    ...createSqliteDashboardStore(database, ledger, (fault) => {
      // Others, such as a value that must be unique, are for the sender.
      if (fault instanceof OutcomeUnknown || (fault instanceof NotCarriedOut && !isRejected(fault)))
        record(fault);
    }),
    database,
    rethrowDatabaseErrors,
    // A SQLite service has one node, so counters in memory suffice.
    counts: null,
    operator: {
      ...forOperators(database, ledger, wholeSqlite(file, config)),
      imports: remote.imports,
    },
    place: { dataDir: config.dataDir },
    async close() {
      remote.close();
      reader.close();
    },
  };
}

const isRejected = (fault: Error) => "errcode" in fault && mayBeOneOrder(fault);

function openPostgres(databaseUrl: string, { secrets }: Options["config"], logError: LogError) {
  const pool = openPostgresPool(databaseUrl, {
    max: CONNECTIONS_MAX,
    onIdleError: (cause) => logError("PostgreSQL connection lost", { cause }),
  });
  const { ledger, close } = createPostgresLedger(pool);
  const { record, rethrowDatabaseErrors } = createFaultWatch();
  const store = createPostgresDashboardStore(pool, record);
  return {
    ...store,
    ledger,
    rethrowDatabaseErrors,
    counts: createPostgresThrottle(pool),
    operator: {
      ...forOperators(store.database, ledger, wholePostgres(pool, secrets)),
      imports: createPostgresImports(pool),
    },
    place: { pool },
    async close() {
      await close();
      await pool.close();
    },
  };
}

type ForOperators = DashboardStores["operator"];
type Whole = Pick<ForOperators, "backup" | "exportRecords" | "keptSecrets"> &
  Pick<NonNullable<ForOperators["whole"]>, "check">;

const forOperators = (
  database: SqlDatabase,
  ledger: Ledger,
  { check, ...whole }: Whole,
): Omit<ForOperators, "imports"> => ({
  ledger: patientReads(ledger),
  actions: createOperatorActions(database),
  index: accountsOfLedger(database),
  whole: { check, grants: createGrantList(database) },
  ...whole,
  pause,
});

const pause = () => nextTurn();

/** Null if one of the service is not among them: a file, or PostgreSQL, may have earlier ones although SECRET is set. */
const ifInUse = (kept: readonly string[] | null, secrets: readonly string[]) =>
  kept !== null && secrets.every((each) => kept.includes(each)) ? kept : null;

function wholeSqlite(file: string, { dataDir, secrets }: Options["config"]): Whole {
  const keptSecrets = async () => ifInUse(readSecretFile(dataDir), secrets);
  return { ...openDatabaseCopies(file, keptSecrets), keptSecrets };
}

const wholePostgres = (pool: PostgresPool, secrets: readonly string[]): Whole => ({
  check: (order) => checkPostgres(pool, order),
  async *exportRecords() {
    yield* exportPostgres(pool, pause);
    return null;
  },
  backup:
    "Back up PostgreSQL with its own tools: pg_dump while nodes run, pg_restore into an empty database, or continuous archiving for point-in-time recovery. See docs/backup.md.",
  keptSecrets: async () => ifInUse((await findSecret(pool))?.split(",") ?? null, secrets),
});

const CONNECTIONS_MAX = 5;
const REFUSED = "The database files were deleted, replaced or damaged; see the log";
