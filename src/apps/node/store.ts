import type { AccountDeps } from "#accounts/accounts.ts";
import type { Config } from "#config/config.ts";
import type { Ledger } from "#ledger/port.ts";
import type { DatabaseMeasures } from "#stores/postgres/measure.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { isEmptyOrUnfinished } from "#stores/sqlite/settings.ts";
import { openSqliteThread, type SqliteThreadOptions } from "#stores/sqlite/thread.ts";
import { databaseFile, openDataFolder } from "./data-folder.ts";
import { NO_PATIENCE, type Patience } from "./database-startup.ts";
import { openSecrets } from "./secret-file.ts";

/** A node's storage: its own SQLite file, or the PostgreSQL database that a fleet shares. */
export type NodeStore = {
  ledger: Ledger;
  directory: AccountDeps["directory"];
  secrets: readonly string[];
  /** Returns the number of orders that wait for the ledger. */
  waiting(): number;
  /** Measures what PostgreSQL holds; null with SQLite. */
  measure: (() => Promise<DatabaseMeasures>) | null;
  /** Returns whether there is no account yet, or only one with this email address and without a key. */
  isEmptyOrUnfinished(email: string): Promise<boolean>;
  close(): Promise<void>;
};

export type StoreEvents = Pick<SqliteThreadOptions, "onBatch" | "onCrash" | "onFault" | "onWal">;

/** Opens the storage and reports every problem with it before anything else starts. `patience` says how long to wait for PostgreSQL. */
export async function openNodeStore(
  config: Config,
  events: Required<StoreEvents>,
  patience: Patience = NO_PATIENCE,
): Promise<NodeStore> {
  if (config.databaseUrl === null) return openSqliteStore(config, events, patience.log);
  // Imported here so that a node on SQLite starts without the driver of PostgreSQL.
  const { openPostgresStore } = await import("./postgres-store.ts");
  return openPostgresStore(config.databaseUrl, config, events, patience);
}

async function openSqliteStore(
  config: Config,
  events: StoreEvents,
  log: Patience["log"],
): Promise<NodeStore> {
  const driver = openDataFolder(config.dataDir);
  const secrets = openSecrets(driver, config, log);
  const thread = await openSqliteThread({ file: databaseFile(config.dataDir), ...events });
  return {
    ledger: thread.ledger,
    directory: openSqliteDirect(driver).directory,
    secrets,
    waiting: thread.waiting,
    measure: null,
    isEmptyOrUnfinished: async (email) => isEmptyOrUnfinished(driver, email),
    async close() {
      await thread.close();
      driver.close();
    },
  };
}
