import path from "node:path";
import type { AccountDeps } from "#accounts/accounts.ts";
import type { Config } from "#config/config.ts";
import type { Ledger } from "#ledger/port.ts";
import type { DatabaseMeasures } from "#stores/postgres/measure.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { isEmptyOrUnfinished } from "#stores/sqlite/settings.ts";
import { openSqliteThread, type SqliteThreadOptions } from "#stores/sqlite/thread.ts";
import {
  databaseFile,
  explainFolder,
  folderError,
  makeFolder,
  openDataFolder,
} from "./data-folder.ts";
import { NO_PATIENCE, type Patience } from "./database-startup.ts";
import { watchFiles } from "./files-watch.ts";
import type { LastingFault } from "./lasting-faults.ts";
import { createSecretKeeper, openSecrets } from "./secret-file.ts";
import { lockDataFolder } from "./server-lock.ts";

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
  /** For threads with a connection of their own: see files-watch.ts. Undefined with PostgreSQL. */
  blocked?: SharedArrayBuffer;
  /** Writes the server's address to the data folder, for the next server that starts there. */
  announce?(address: string): void;
  close(): Promise<void>;
};

export type StoreEvents = Required<Pick<SqliteThreadOptions, "onBatch" | "onCrash" | "onFault">> &
  Pick<SqliteThreadOptions, "onWal"> & {
    /** Called when a database file was deleted, replaced or truncated, and with null when it is back. */
    onFiles?: (fault: LastingFault | null) => void;
  };

/** Opens the storage and reports every problem with it before anything else starts. `patience` says how long to wait for PostgreSQL. */
export async function openNodeStore(
  config: Config,
  events: StoreEvents,
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
  const { dataDir } = config;
  const file = databaseFile(dataDir);
  const lock = explainFolder(dataDir, () => {
    makeFolder(path.resolve(dataDir));
    return lockDataFolder(dataDir, Date.now());
  });
  try {
    const driver = openDataFolder(dataDir);
    const secrets = openSecrets(driver, config, log);
    const watch = watchFiles(file, events.onFiles ?? (() => {}));
    const thread = await openSqliteThread({ file, ...events, blockedBy: watch.blockedBy });
    const keepSecret = createSecretKeeper(dataDir, secrets, log);
    const keeping = config.secrets === null ? setInterval(keepSecret, SECRET_EVERY_MS).unref() : 0;
    return {
      ledger: thread.ledger,
      directory: openSqliteDirect(driver).directory,
      secrets,
      waiting: thread.waiting,
      measure: null,
      isEmptyOrUnfinished: async (email) => isEmptyOrUnfinished(driver, email),
      blocked: watch.shared,
      announce: lock.describe,
      async close() {
        clearInterval(keeping);
        await thread.close();
        driver.close();
        watch.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw folderError(error, dataDir);
  }
}

const SECRET_EVERY_MS = 1_000;
