import { randomBytes } from "node:crypto";
import type { AccountDeps } from "#accounts/accounts.ts";
import type { Config } from "#config/config.ts";
import { randomBase62 } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { keepPartitions } from "#stores/postgres/partitions.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import {
  isEmptyOrUnfinished as isEmptyPostgres,
  keepSecret as keepPostgresSecret,
} from "#stores/postgres/settings.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { isEmptyOrUnfinished } from "#stores/sqlite/settings.ts";
import { openSqliteThread, type SqliteThreadOptions } from "#stores/sqlite/thread.ts";
import { databaseFile, openDataFolder, readSecrets } from "./data-folder.ts";
import {
  explainDatabase,
  NO_PATIENCE,
  type Patience,
  StartupDatabaseError,
  waitForDatabase,
} from "./database-startup.ts";

/** A node's storage: its own SQLite file, or the PostgreSQL database that a fleet shares. */
export type NodeStore = {
  ledger: Ledger;
  directory: AccountDeps["directory"];
  secrets: readonly string[];
  /** Returns the number of orders that wait for the ledger. */
  waiting(): number;
  /** Returns whether there is no account yet, or only one with this email address and without a key. */
  isEmptyOrUnfinished(email: string): Promise<boolean>;
  close(): Promise<void>;
};

export type StoreEvents = Pick<SqliteThreadOptions, "onBatch" | "onCrash" | "onFault">;

/** Opens the storage and reports every problem with it before anything else starts. `patience` says how long to wait for PostgreSQL. */
export const openNodeStore = (
  config: Config,
  events: Required<StoreEvents>,
  patience: Patience = NO_PATIENCE,
): Promise<NodeStore> =>
  config.databaseUrl === null
    ? openSqliteStore(config, events)
    : openPostgresStore(config.databaseUrl, config, events, patience);

async function openSqliteStore(config: Config, events: StoreEvents): Promise<NodeStore> {
  const driver = openDataFolder(config.dataDir);
  const secrets = readSecrets(driver, config.secrets);
  const thread = await openSqliteThread({ file: databaseFile(config.dataDir), ...events });
  return {
    ledger: thread.ledger,
    directory: openSqliteDirect(driver).directory,
    secrets,
    waiting: thread.waiting,
    isEmptyOrUnfinished: async (email) => isEmptyOrUnfinished(driver, email),
    async close() {
      await thread.close();
      driver.close();
    },
  };
}

/** One connection is reserved for batches of debits. Two stay open while the node is idle. */
const CONNECTIONS_MAX = 10;
const CONNECTIONS = { max: CONNECTIONS_MAX, min: 2, reserved: 1 };

async function openPostgresStore(
  url: string,
  config: Config,
  { onBatch, onCrash }: Required<StoreEvents>,
  patience: Patience,
): Promise<NodeStore> {
  const pool = openPostgresPool(url, { ...CONNECTIONS, onIdleError: onCrash });
  try {
    const secrets = await waitForDatabase(() => prepare(pool, config.secrets), patience);
    const { ledger, waiting, close } = createPostgresLedger(pool, onBatch);
    return {
      ledger,
      secrets,
      waiting,
      directory: createPostgresDashboardStore(pool).directory,
      isEmptyOrUnfinished: (email) => isEmptyPostgres(pool, email),
      async close() {
        await close();
        await pool.close();
      },
    };
  } catch (error) {
    await pool.close().catch(() => {});
    throw new StartupDatabaseError(explainDatabase(error), { cause: error });
  }
}

/** Migrates the schema, creates the first partitions and returns the secrets. */
async function prepare(
  pool: PostgresPool,
  configured: readonly string[] | null,
): Promise<readonly string[]> {
  await migratePostgres(pool);
  // Before the first call, so that today's debits go to today's partition.
  await keepPartitions(pool, Date.now(), 0);
  return configured ?? [await keepPostgresSecret(pool, () => randomBase62(43, randomBytes))];
}
