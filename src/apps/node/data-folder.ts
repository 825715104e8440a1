import { chownSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { SchemaMismatch, SchemaTooNew } from "#stores/schema/migrations.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";
import { COMMIT_MARK_SUFFIX, detectLostCommits } from "#stores/sqlite/node-commit-mark.ts";

/** The data folder cannot be used. The message explains each cause in one sentence. */
export class DataFolderError extends Error {}

export const databaseFile = (dataDir: string) => path.join(dataDir, "toolbooth.sqlite");

/** The folder for emails while no mail server is configured. */
export const outboxFolder = (dataDir: string) => path.join(dataDir, "outbox");

/** `log` gets a sentence for the operator if the folder is incomplete. */
export function openDataFolder(
  dataDir: string,
  log: (sentence: string) => void = () => {},
): NodeSqlite {
  const file = databaseFile(dataDir);
  try {
    makeFolder(path.resolve(dataDir));
    const driver = openNodeSqlite(file);
    // Before anything is written, so that every process that may be the first one after a crash notices.
    const { isMarkMissing } = detectLostCommits(driver, file, Date.now());
    if (isMarkMissing)
      log(
        `${file}${COMMIT_MARK_SUFFIX} is missing or torn. It names the last commit; without it, this start cannot tell whether commits were lost. The next commit writes a new one.`,
      );
    return driver;
  } catch (error) {
    throw new DataFolderError(explain(error, dataDir, file), { cause: error });
  }
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

/** Gives a file created by root to the owner of its folder, so that the server can open it. */
export function giveToFolderOwner(file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(path.dirname(file));
  chownSync(file, uid, gid);
}

function explain(error: unknown, dataDir: string, file: string): string {
  if (error instanceof SchemaTooNew || error instanceof SchemaMismatch)
    return `${file}: ${error.message}`;
  const { code, errcode, message } = error as { code?: string; errcode?: number; message: string };
  switch (Number(errcode) & 0xff) {
    case 5:
      return `${file} is locked by another process. Stop it, or use another DATA_DIR.`;
    case 8:
    case 14:
      return `${file} is not writable. Make the folder writable for this user or set DATA_DIR to another folder.`;
    case 11:
    case 26:
      return `${file} is damaged or not a Toolbooth database. Move it away and restore a backup.`;
    case 13:
      return `The disk that holds ${file} is full. Free some space and start again.`;
  }
  if (code === "ENOSPC")
    return `The disk that holds ${dataDir} is full. Free some space and start again.`;
  // ENOENT here means that the parent exists but does not allow new folders.
  if (["EACCES", "EROFS", "EPERM", "ENOENT"].includes(code ?? "")) {
    return `The data folder ${dataDir} is not writable. Make it writable for this user or set DATA_DIR to another folder.`;
  }
  if (code === "EEXIST" || code === "ENOTDIR")
    return `${dataDir} is not a folder. Set DATA_DIR to a folder.`;
  return `The data folder ${dataDir} cannot be opened: ${message}`;
}
