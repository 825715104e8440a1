import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { randomBase62 } from "#ids.ts";
import { SchemaTooNew } from "#store/sqlite-migrate.ts";
import { type NodeSqlite, openNodeSqlite } from "#store/sqlite-node.ts";
import { keepSecret } from "#store/sqlite-settings.ts";

/** The folder with the database. Every way in which it cannot be used gets one plain sentence. */
export class DataFolderFault extends Error {}

export const databaseFile = (dataDir: string) => path.join(dataDir, "toolbooth.sqlite");

export function openDataFolder(dataDir: string): NodeSqlite {
  const file = databaseFile(dataDir);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return openNodeSqlite(file);
  } catch (error) {
    throw new DataFolderFault(explain(error, dataDir, file), { cause: error });
  }
}

/** The secrets of the settings, or the one that is kept with the data. */
export function readSecrets(
  driver: NodeSqlite,
  configured: readonly string[] | null,
): readonly string[] {
  return configured ?? [keepSecret(driver, () => randomBase62(43, randomBytes))];
}

function explain(error: unknown, dataDir: string, file: string): string {
  if (error instanceof SchemaTooNew) return `${file}: ${error.message}`;
  const { code, errcode, message } = error as { code?: string; errcode?: number; message: string };
  switch (Number(errcode) & 0xff) {
    case 5:
      return `${file} is locked by another process. Stop it, or use another DATA_DIR.`;
    case 8:
    case 14:
      return `${file} cannot be written. Make the folder writable for this user, or set DATA_DIR to one that is.`;
    case 11:
    case 26:
      return `${file} is damaged or not a database of Toolbooth. Move it away and restore a backup.`;
    case 13:
      return `The disk that holds ${file} is full. Make room and start again.`;
  }
  if (code === "ENOSPC")
    return `The disk that holds ${dataDir} is full. Make room and start again.`;
  if (code === "EACCES" || code === "EROFS" || code === "EPERM") {
    return `The data folder ${dataDir} cannot be written. Make it writable for this user, or set DATA_DIR to one that is.`;
  }
  if (code === "EEXIST" || code === "ENOTDIR")
    return `${dataDir} is not a folder. Set DATA_DIR to a folder.`;
  return `The data folder ${dataDir} cannot be opened: ${message}`;
}
