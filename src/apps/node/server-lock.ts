import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { primaryCodeOf, SQLITE_BUSY } from "#stores/sqlite/faults.ts";
import { DataFolderError, dropFile, giveToFolderOwner } from "./data-folder.ts";

/**
 * One server per data folder. The server holds SQLite's lock on the file `server.lock` while it runs. The system releases it with
 * the process, however that ends, so no lock is ever left behind. `server.json` says which server holds it, for people and for the
 * error of the next one. It stays when the server stops, as a trace of the ledger in this folder.
 */
const lockFile = (dataDir: string) => path.join(dataDir, "server.lock");
export const serverFile = (dataDir: string) => path.join(dataDir, "server.json");

export type ServerLock = {
  /** Writes `server.json`. `address` is null until the server listens. */
  describe(address: string | null): void;
  /** `hasFailed`: the start failed, so it leaves nothing behind. */
  release(hasFailed?: boolean): void;
};

/** The command line looks at the lock for a moment. */
const WAIT_MS = 250;
const TRIES_MAX = 5;

/** Throws `DataFolderError` if another server is running on the folder. */
export function lockDataFolder(dataDir: string, startedAt: number): ServerLock {
  const file = lockFile(dataDir);
  const existed = existsSync(file);
  let database: DatabaseSync | null;
  try {
    database = hold(file, WAIT_MS);
  } catch (error) {
    if (!existed) dropFile(file);
    throw error;
  }
  if (database === null) {
    throw new DataFolderError(
      `Another ${describeServer(dataDir)} is already running on the data folder ${dataDir}. Stop it, or set DATA_DIR to another folder.`,
    );
  }
  held.add(database);
  if (!existed) {
    chmodSync(file, 0o600);
    giveToFolderOwner(file);
  }
  function describe(address: string | null): void {
    const startedIso = new Date(startedAt).toISOString();
    writeServerFile(dataDir, {
      pid: process.pid,
      host: hostname(),
      address,
      startedAt: startedIso,
    });
  }
  // Otherwise it would name an earlier server until this one has a ledger.
  if (existsSync(serverFile(dataDir))) describe(null);
  return {
    describe,
    release(hasFailed = false) {
      if (hasFailed && !existed) dropFile(file);
      held.delete(database);
      database.close();
    },
  };
}

/** The garbage collector closes connections that nothing refers to, and with them their locks. */
const held = new Set<DatabaseSync>();

/** Returns what names the server on a data folder, beginning with "server"; null if none is running there. */
export function findServer(dataDir: string): string | null {
  const file = lockFile(dataDir);
  if (!existsSync(file)) return null;
  const database = hold(file, 0);
  database?.close();
  return database === null ? describeServer(dataDir) : null;
}

/** Returns a connection that holds the lock; null if another one does. */
function hold(file: string, waitMs: number): DatabaseSync | null {
  for (let tries = 1; ; tries += 1) {
    const database = new DatabaseSync(file, { timeout: waitMs });
    try {
      const before = inodeOf(file);
      // In memory, because a journal beside the file would stay after a kill.
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      // A failed start may have deleted the file that was opened.
      if (before !== undefined && before === inodeOf(file)) return database;
    } catch (error) {
      database.close();
      if (primaryCodeOf(error) === SQLITE_BUSY) return null;
      throw error;
    }
    database.close();
    if (tries === TRIES_MAX) return null;
  }
}

const inodeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino;

type Server = { pid: number; host: string; address: string | null; startedAt: string };

/** In one step, because others read the file at any time. The service works without it, such as on a full disk. */
function writeServerFile(dataDir: string, server: Server): void {
  const file = serverFile(dataDir);
  const partial = `${file}.partial`;
  try {
    writeFileSync(partial, `${JSON.stringify(server)}\n`, { mode: 0o600 });
    giveToFolderOwner(partial);
    renameSync(partial, file);
  } catch {
    dropFile(partial);
  }
}

function describeServer(dataDir: string): string {
  const server = readServerFile(dataDir);
  if (server === null) return "server";
  const { pid, host, address, startedAt } = server;
  const place = address === null ? "" : `, ${address}`;
  return `server (process ${pid} on ${host}${place}, started ${startedAt})`;
}

function readServerFile(dataDir: string): Server | null {
  try {
    const read = JSON.parse(readFileSync(serverFile(dataDir), "utf8")) as Partial<Server> | null;
    const { pid, host, address, startedAt } = read ?? {};
    if (typeof pid !== "number" || typeof host !== "string" || typeof startedAt !== "string")
      return null;
    return { pid, host, address: typeof address === "string" ? address : null, startedAt };
  } catch {
    return null;
  }
}
