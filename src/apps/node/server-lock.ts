import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { primaryCodeOf, SQLITE_BUSY } from "#stores/sqlite/faults.ts";
import { DataFolderError, databaseFile, dropFile, giveToFolderOwner } from "./data-folder.ts";

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
  /** Notes in `server.json` that the content of the database was changed, so that no later server starts on it. */
  markDamaged(database: string, what: string): void;
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
  const started = {
    pid: process.pid,
    host: hostname(),
    address: null as string | null,
    startedAt: new Date(startedAt).toISOString(),
  };
  let isDamaged = false;
  function describe(address: string | null): void {
    started.address = address;
    const inodes = inodesOf(databaseFile(dataDir));
    writeServerFile(dataDir, { ...started, ...(inodes === null ? {} : { inodes }) });
  }
  // Otherwise it would name an earlier server until this one has a ledger.
  if (existsSync(serverFile(dataDir))) describe(null);
  return {
    describe,
    markDamaged(database, what) {
      isDamaged = true;
      const inode = inodeOf(database);
      if (inode !== undefined) writeServerFile(dataDir, { ...started, damaged: { inode, what } });
    },
    release(hasFailed = false) {
      if (hasFailed && !existed) dropFile(file);
      // A server that stopped leaves no log, and the numbers of its files may be those of others later.
      if (!hasFailed && !isDamaged) writeServerFile(dataDir, started);
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

type Server = {
  pid: number;
  host: string;
  address: string | null;
  startedAt: string;
  /** The numbers of the database file and of its log. */
  inodes?: { database: number; log: number };
  /** What became of the database file with this number. Another file in its place is not concerned. */
  damaged?: { inode: number; what: string };
};

/**
 * Whether the log beside the database is that of a server that had another database there and was killed. SQLite would apply it all
 * the same, and mix the two.
 */
export function hasForeignLog(dataDir: string): boolean {
  const database = databaseFile(dataDir);
  const [then, now] = [readServerFile(dataDir)?.inodes, inodesOf(database)];
  if (then === undefined || now === null || statSync(`${database}-wal`).size === 0) return false;
  // In a copy of the folder both have other numbers.
  return now.log === then.log && now.database !== then.database;
}

function inodesOf(file: string): { database: number; log: number } | null {
  const [database, log] = [inodeOf(file), inodeOf(`${file}-wal`)];
  return database === undefined || log === undefined ? null : { database, log };
}

/** Returns what an earlier server noted about the database that is in the folder now; null if that is nothing. */
export function findDamage(dataDir: string, database: string): string | null {
  const damaged = readServerFile(dataDir)?.damaged;
  return damaged !== undefined && damaged.inode === inodeOf(database) ? damaged.what : null;
}

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
    const { pid, host, address, startedAt, damaged, inodes } = read ?? {};
    if (typeof pid !== "number" || typeof host !== "string" || typeof startedAt !== "string")
      return null;
    const place = typeof address === "string" ? address : null;
    const isMarked = typeof damaged?.inode === "number" && typeof damaged.what === "string";
    const known = typeof inodes?.database === "number" && typeof inodes.log === "number";
    return {
      ...{ pid, host, address: place, startedAt },
      ...(known ? { inodes } : {}),
      ...(isMarked ? { damaged } : {}),
    };
  } catch {
    return null;
  }
}
