import { randomBytes } from "node:crypto";
import type { AccountDeps } from "#accounts/people.ts";
import type { Config } from "#config/config.ts";
import { randomBase62 } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { keepPartitions } from "#stores/postgres/partitions.ts";
import { createPostgresPeople } from "#stores/postgres/people.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import {
  isEmptyOrUnfinished as isEmptyPostgres,
  keepSecret as keepPostgresSecret,
} from "#stores/postgres/settings.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { isEmptyOrUnfinished } from "#stores/sqlite/settings.ts";
import { openSqliteThread, type SqliteThreadOptions } from "#stores/sqlite/thread.ts";
import { databaseFile, openDataFolder, readSecrets } from "./data-folder.ts";
import { explainDatabase, StartupDatabaseError } from "./database-fault.ts";
import { NO_PATIENCE, type Patience, whenFit } from "./database-wait.ts";

/** Where a node keeps its data: a file of its own, or a PostgreSQL that the nodes of a fleet share. */
export type NodeStore = {
  ledger: Ledger;
  directory: AccountDeps["directory"];
  secrets: readonly string[];
  /** Orders that wait for the ledger. */
  waiting(): number;
  /** Whether there is no account yet, or only one of this address whose first key was never made. */
  isEmptyOrUnfinished(email: string): Promise<boolean>;
  close(): Promise<void>;
};

export type StoreEvents = Pick<SqliteThreadOptions, "onBatch" | "onCrash" | "onFault">;

/** Whatever is wrong with the data is said here, before anything runs. `patience`: with a PostgreSQL that is not there yet. */
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

/** One is kept for batches of debits; the others are for all else. Two stay open when the node rests. */
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
    const secrets = await whenFit(() => prepare(pool, config.secrets), patience);
    const { ledger, waiting, close } = createPostgresLedger(pool, onBatch);
    return {
      ...{ ledger, secrets, waiting },
      directory: createPostgresPeople(pool).directory,
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

/** Gives the secrets. */
async function prepare(
  pool: PostgresPool,
  configured: readonly string[] | null,
): Promise<readonly string[]> {
  await migratePostgres(pool);
  // Before the first call, so that today's do not begin among the others.
  await keepPartitions(pool, Date.now(), 0);
  return configured ?? [await keepPostgresSecret(pool, () => randomBase62(43, randomBytes))];
}
