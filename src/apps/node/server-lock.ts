import { chmodSync, existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { primaryCodeOf, SQLITE_BUSY } from "#stores/sqlite/faults.ts";
import { DataFolderError, giveToFolderOwner } from "./data-folder.ts";
import { writePrivateFile } from "./private-file.ts";

/**
 * One server per data folder. The server holds SQLite's lock on the file `server.lock` while it runs. The system releases it with
 * the process, however that ends, so no lock is ever left behind. `server.json` says which server holds it, for people and for the
 * error of the next one.
 */
const lockFile = (dataDir: string) => path.join(dataDir, "server.lock");
const serverFile = (dataDir: string) => path.join(dataDir, "server.json");

export type ServerLock = {
  /** Writes `server.json`. `address` is null until the server listens. */
  describe(address: string | null): void;
  release(): void;
};

/** The command line looks at the lock for a moment. */
const WAIT_MS = 250;

/** Throws `DataFolderError` if another server is running on the folder. */
export function lockDataFolder(dataDir: string, startedAt: number): ServerLock {
  const file = lockFile(dataDir);
  const existed = existsSync(file);
  const database = hold(file, WAIT_MS);
  if (database === null) {
    throw new DataFolderError(
      `Another ${describeServer(dataDir)} is already running on the data folder ${dataDir}. Stop it, or set DATA_DIR to another folder.`,
    );
  }
  if (!existed) {
    chmodSync(file, 0o600);
    giveToFolderOwner(file);
  }
  function describe(address: string | null): void {
    const started = new Date(startedAt).toISOString();
    const server: Server = { pid: process.pid, host: hostname(), address, startedAt: started };
    try {
      writePrivateFile(serverFile(dataDir), `${JSON.stringify(server)}\n`);
    } catch {
      // The lock holds without it, such as on a full disk.
    }
  }
  describe(null);
  return { describe, release: keepUntilReleased(database) };
}

/** The garbage collector closes connections that nothing refers to, and with them their locks. */
const held = new Set<DatabaseSync>();

function keepUntilReleased(database: DatabaseSync): () => void {
  held.add(database);
  return () => {
    held.delete(database);
    database.close();
  };
}

/** Returns what names the server on a data folder, beginning with "server"; null if none is running there. */
export function findServer(dataDir: string): string | null {
  const { server, release } = keepServersOff(dataDir);
  release();
  return server;
}

/** The same, and no server starts there until `release`, unless none ever did: then the folder has no lock. */
export function keepServersOff(dataDir: string): { server: string | null; release(): void } {
  const file = lockFile(dataDir);
  if (!existsSync(file)) return { server: null, release() {} };
  const database = hold(file, 0);
  return database === null
    ? { server: describeServer(dataDir), release() {} }
    : { server: null, release: keepUntilReleased(database) };
}

/** Returns a connection that holds the lock; null if another one does. */
function hold(file: string, waitMs: number): DatabaseSync | null {
  const database = new DatabaseSync(file, { timeout: waitMs });
  try {
    // In memory, because a journal beside the file would stay after a kill.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if (primaryCodeOf(error) === SQLITE_BUSY) return null;
    throw error;
  }
}

type Server = { pid: number; host: string; address: string | null; startedAt: string };

function describeServer(dataDir: string): string {
  try {
    const read: Server = JSON.parse(readFileSync(serverFile(dataDir), "utf8"));
    const { pid, host, address, startedAt } = read;
    const place = address === null ? "" : `, ${address}`;
    return `server (process ${pid} on ${host}${place}, started ${startedAt})`;
  } catch {
    return "server";
  }
}
