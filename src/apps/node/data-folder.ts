import {
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statfsSync,
  statSync,
  unlinkSync,
} from "node:fs";
import path from "node:path";
import { quotedCommand } from "#command-line.ts";
import { SchemaMismatch, SchemaTooNew } from "#stores/schema/migrations.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";

/** The data folder cannot be used. The message explains each cause in one sentence. */
export class DataFolderError extends Error {}

export const databaseFile = (dataDir: string) => path.join(dataDir, "toolbooth.sqlite");

/** The folder for emails while no mail server is configured. */
export const outboxFolder = (dataDir: string) => path.join(dataDir, "outbox");

export function openDataFolder(dataDir: string): NodeSqlite {
  return explainFolder(dataDir, () => {
    makeFolder(path.resolve(dataDir));
    return openNodeSqlite(databaseFile(dataDir));
  });
}

/** Runs what uses the folder, and turns its errors into `DataFolderError`. */
export function explainFolder<Result>(dataDir: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw folderError(error, dataDir);
  }
}

/** Returns a `DataFolderError` for an error of the system or of SQLite, and others unchanged. */
export function folderError(error: unknown, dataDir: string): unknown {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const isOfSchema = error instanceof SchemaTooNew || error instanceof SchemaMismatch;
  if (code === undefined && errcode === undefined && !isOfSchema) return error;
  return new DataFolderError(explain(error, dataDir, databaseFile(dataDir)), { cause: error });
}

/**
 * Creates a folder and its parents. Node's `recursive` option never returns for folders in /proc and reports ENOENT on a
 * read-only disk.
 */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Flushes a file's content, or a folder's names, to disk. Not for an open database: that would drop SQLite's locks on it. */
export function syncPath(file: string): void {
  const fd = openSync(file, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Deletes a file if there is one and it can be deleted. `rmSync` with `force` still throws if the folder is gone. */
export function dropFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {}
}

/** Gives a file created by root to the owner of its folder, so that the server can open it. */
export function giveToFolderOwner(file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(path.dirname(file));
  // A sandbox may deny a change of owners, even one that changes nothing.
  if (uid !== 0 || gid !== 0) chownSync(file, uid, gid);
}

const full = (place: string) =>
  `The disk that holds ${place} is full. Free some space and start again.`;
const failing = (place: string, message: string) =>
  `The disk that holds ${place} does not work (${message}). Check the disk and the log of the system.`;

const OR_RESTORE = `Restore a backup with ${quotedCommand("restore <file>")}. Without a recent one, salvage the file with sqlite3 as docs/runbooks.md describes.`;

export const TOO_MANY_FILES =
  "This process may not open more files. Raise the limit on open files (ulimit -n).";

/** SQLite reports a disk without space as an I/O error where it extends the shared memory of its log. */
export function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < FREE_BYTES_MIN;
  } catch {
    return false;
  }
}
/** The shared memory grows by 32 KB. */
const FREE_BYTES_MIN = 64 * 1024;

function explain(error: unknown, dataDir: string, file: string): string {
  if (error instanceof SchemaTooNew || error instanceof SchemaMismatch)
    return `${file}: ${error.message}`;
  const { code, errcode, message } = error as { code?: string; errcode?: number; message: string };
  switch (Number(errcode) & 0xff) {
    case 1:
      return `${file} is damaged: its schema cannot be used (${message}). ${OR_RESTORE}`;
    case 5:
      return `${file} is locked by another process. Stop it, or use another DATA_DIR.`;
    case 8:
    case 14:
      if (isFull(dataDir)) return full(file);
      return `${file} is not writable. Make the folder writable for this user or set DATA_DIR to another folder.`;
    case 10:
      return isFull(dataDir) ? full(file) : failing(file, message);
    case 11:
    case 26:
      return `${file} is damaged or not a Toolbooth database. ${OR_RESTORE}`;
    case 13:
      return full(file);
  }
  if (code === "ENOSPC" || code === "EDQUOT") return full(dataDir);
  if (code === "EIO") return failing(dataDir, message);
  if (code === "EMFILE" || code === "ENFILE") return TOO_MANY_FILES;
  // ENOENT here means that the parent exists but does not allow new folders.
  if (["EACCES", "EROFS", "EPERM", "ENOENT"].includes(code ?? "")) {
    return `The data folder ${dataDir} is not writable. Make it writable for this user or set DATA_DIR to another folder.`;
  }
  if (code === "EEXIST" || code === "ENOTDIR")
    return `${dataDir} is not a folder. Set DATA_DIR to a folder.`;
  return `The data folder ${dataDir} cannot be opened: ${message}`;
}
