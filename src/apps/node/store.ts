import path from "node:path";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { AccountDeps } from "#accounts/accounts.ts";
import type { Config } from "#config/config.ts";
import type { Ledger } from "#ledger/port.ts";
import type { DatabaseMeasures } from "#stores/postgres/operator.ts";
import type { ToolPrints } from "#stores/postgres/settings.ts";
import { createDirectory, isEmptyOrUnfinished } from "#stores/sql/directory.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqliteReadOnly } from "#stores/sqlite/node.ts";
import type { Tasks } from "#stores/sqlite/tasks.ts";
import { openSqliteThread, type SqliteThreadOptions } from "#stores/sqlite/thread.ts";
import { serveOrders } from "#stores/sqlite/thread-orders.ts";
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
  /** Says which tools this node serves, and returns what other nodes serve that do not serve the same; null with SQLite. */
  exchangeTools:
    | ((mine: { print: string; tools: ToolPrints; liveMs: number }) => Promise<ToolPrints[]>)
    | null;
  /** Returns whether there is no account yet, or only one with this email address and without a key. */
  isEmptyOrUnfinished(email: string): Promise<boolean>;
  /** Connects another thread. */
  connect(): StoreConnection;
  /** Writes the server's address to the data folder, for the next server that starts there. */
  announce?(address: string): void;
  close(): Promise<void>;
};

/** What a thread beside this one needs to use the storage. It is sent to it; `orders` is transferred. */
export type StoreConnection = SqliteConnection | { databaseUrl: string };

export type SqliteConnection = {
  file: string;
  /** Set while the files of the database are not those that were opened: see files-watch.ts. */
  blocked: SharedArrayBuffer;
  /** The way to the ledger's thread, which alone writes to the file: see thread-orders.ts. */
  orders: MessagePort;
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
    const { reader, secrets } = prepareFile(config, log);
    const watch = watchFiles(file, events.onFiles ?? (() => {}));
    const thread = await openSqliteThread({ file, ...events, blockedBy: watch.blockedBy });
    const database = {
      batch: (queries: Tasks["statements"][0]) => thread.perform("statements", queries),
    };
    const keepSecret = createSecretKeeper(dataDir, secrets, log);
    const keeping = config.secrets === null ? setInterval(keepSecret, SECRET_EVERY_MS).unref() : 0;
    return {
      ledger: thread.ledger,
      directory: createDirectory(database),
      secrets,
      waiting: thread.waiting,
      measure: null,
      exchangeTools: null,
      isEmptyOrUnfinished: (email) => isEmptyOrUnfinished(createSqliteDatabase(reader), email),
      connect() {
        const { port1, port2 } = new MessageChannel();
        serveOrders(port1, thread);
        return { file, blocked: watch.shared, orders: port2 };
      },
      announce: lock.describe,
      async close() {
        clearInterval(keeping);
        watch.stop();
        // The last connection to be closed writes the log into the database, for which it must be the one that writes.
        reader.close();
        await thread.close();
        watch.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw folderError(error, dataDir);
  }
}

/**
 * Brings the schema up to date and finds the secrets, before the ledger's thread opens the file. The connection that stays open only reads:
 * while it does, the files of the write-ahead log stay in place even if the thread dies.
 */
function prepareFile(config: Config, log: Patience["log"]) {
  const driver = openDataFolder(config.dataDir);
  try {
    const secrets = openSecrets(driver, config, log);
    return { reader: openNodeSqliteReadOnly(databaseFile(config.dataDir)), secrets };
  } finally {
    driver.close();
  }
}

const SECRET_EVERY_MS = 1_000;
