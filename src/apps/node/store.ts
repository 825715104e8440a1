import path from "node:path";
import type { AccountDeps } from "#accounts/accounts.ts";
import type { Config } from "#config/config.ts";
import type { Ledger } from "#ledger/port.ts";
import type { DatabaseMeasures } from "#stores/postgres/measure.ts";
import { copySqliteOpen } from "#stores/sqlite/backup.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { isEmptyOrUnfinished } from "#stores/sqlite/settings.ts";
import {
  openSqliteThread,
  type SqliteThread,
  type SqliteThreadOptions,
} from "#stores/sqlite/thread.ts";
import {
  databaseFile,
  explainFolder,
  folderError,
  makeFolder,
  openDataFolder,
} from "./data-folder.ts";
import { openDatabaseFiles } from "./database-files.ts";
import { NO_PATIENCE, type Patience } from "./database-startup.ts";
import { requireNoLostLedger, requireUndamaged } from "./earlier-ledger.ts";
import { type FilesWatchOptions, watchFiles } from "./files-watch.ts";
import { createSecretKeeper, openSecrets } from "./secret-file.ts";
import { lockDataFolder, type ServerLock } from "./server-lock.ts";

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
    /** Called when the database files were deleted, replaced or damaged, and with null when they are back. */
    onFiles?: FilesWatchOptions["onFault"];
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
  const lock = openOwnFolder(dataDir);
  try {
    const driver = openDataFolder(dataDir);
    const secrets = openSecrets(driver, config, log);
    lock.describe(null);
    const files = openDatabaseFiles(databaseFile(dataDir));
    let isDamaged = false;
    let running: SqliteThread | null = null;
    const watch = watchFiles({
      files,
      dataDir,
      // Without the thread, the main thread copies: no call waits for it then.
      copy: async (order) => running?.copy(order) ?? copySqliteOpen(driver, order),
      onDamage(what) {
        isDamaged = true;
        lock.markDamaged(databaseFile(dataDir), what);
      },
      onReplaced: (what) => lock.markDamaged(databaseFile(dataDir), what),
      onFault: events.onFiles ?? (() => {}),
      log,
    });
    const thread = await openSqliteThread({
      file: databaseFile(dataDir),
      ...events,
      blockedBy: watch.blockedBy,
    });
    running = thread;
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
        await watch.close();
        await thread.close();
        // The last connection to close would move the log into the damaged file. Apart, they are worth more.
        if (!isDamaged) {
          driver.close();
          files.close();
        }
        lock.release();
      },
    };
  } catch (error) {
    lock.release(true);
    throw folderError(error, dataDir);
  }
}

const SECRET_EVERY_MS = 1_000;

/** Makes sure that no other server runs on the folder, and that it has not lost a ledger. */
function openOwnFolder(dataDir: string): ServerLock {
  return explainFolder(dataDir, () => {
    makeFolder(path.resolve(dataDir));
    requireNoLostLedger(dataDir);
    requireUndamaged(dataDir);
    return lockDataFolder(dataDir, Date.now());
  });
}
