import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { quotedCommand } from "#command-line.ts";
import { DataFolderError, databaseFile, outboxFolder } from "./data-folder.ts";

import { findDamage, hasForeignLog, serverFile } from "./server-lock.ts";

/**
 * A data folder without a database, but with files that only a service with a ledger leaves there, has lost its ledger. Creating a
 * new one would hide the loss behind a demo account and make the rest harder to recover.
 */

/** Throws `DataFolderError` if the folder has lost its ledger, or has the log of another one. */
export function requireNoLostLedger(dataDir: string): void {
  if (!isMissingOrEmpty(databaseFile(dataDir))) {
    requireOwnLog(dataDir);
    return;
  }
  const remains = findRemains(dataDir);
  if (remains.length === 0) return;
  const source = sourceIn(remains, dataDir);
  const state = statSync(databaseFile(dataDir), { throwIfNoEntry: false }) ? "empty" : "missing";
  throw new DataFolderError(
    `The ledger is lost: ${databaseFile(dataDir)} is ${state}, but the folder has files of an earlier ledger (${namesOf(remains)}). ` +
      `Move the database back, or run ${quotedCommand("restore", source)}. ` +
      "If your data is elsewhere, correct DATA_DIR or DATABASE_URL. To start a new ledger on purpose, move these files to another folder first.",
  );
}

function requireOwnLog(dataDir: string): void {
  if (!hasForeignLog(dataDir)) return;
  const file = databaseFile(dataDir);
  throw new DataFolderError(
    `${file} was replaced after its server was killed, and ${file}-wal is still that of the earlier database: together they would be damaged. ` +
      `Put the earlier database back. To go on with this one, move ${file}-wal and ${file}-shm to another folder first.`,
  );
}

/** Throws `DataFolderError` if an earlier server saw that the content of the database was changed. */
export function requireUndamaged(dataDir: string): void {
  const what = findDamage(dataDir, databaseFile(dataDir));
  if (what === null) return;
  throw new DataFolderError(
    `${what} in ${dataDir} while an earlier server was running, so it is not complete. Run ${quotedCommand("restore", sourceIn(findRemains(dataDir), dataDir))}. To use the file as it is, delete ${serverFile(dataDir)}.`,
  );
}

/** The latest file that a server saved is better than any backup. */
function sourceIn(remains: readonly string[], dataDir: string): string {
  const rescued = remains.filter((name) => name.startsWith("toolbooth-rescued-")).at(-1);
  return rescued === undefined ? "<backup file>" : path.join(dataDir, rescued);
}

export const isMissingOrEmpty = (file: string): boolean =>
  !((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0);

const NAMED_MAX = 5;
const namesOf = (names: readonly string[]) =>
  names.length <= NAMED_MAX
    ? names.join(", ")
    : `${names.slice(0, NAMED_MAX).join(", ")} and ${names.length - NAMED_MAX} more`;

/** Returns the names of files that an earlier ledger left. A first start that was killed leaves none of them. */
function findRemains(dataDir: string): string[] {
  return namesIn(dataDir).filter(
    (name) =>
      REMAINS.test(name) ||
      (name === path.basename(outboxFolder(dataDir)) &&
        namesIn(path.join(dataDir, name)).length > 0),
  );
}

const REMAINS =
  /^(?:toolbooth\.sqlite-(?:wal|shm)|secret|server\.json|reversals\.sqlite|requests\.sqlite|toolbooth-(?:before|rescued)-.*\.sqlite)$/;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
