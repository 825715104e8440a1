import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { DataFolderError, databaseFile, outboxFolder } from "./data-folder.ts";

/**
 * A data folder without a database, but with files that only a service with a ledger leaves there, has lost its ledger. Creating a
 * new one would hide the loss behind a demo account and make the rest harder to recover.
 */

/** Throws `DataFolderError` if the folder has lost its ledger. */
export function requireNoLostLedger(dataDir: string): void {
  if (!isMissingOrEmpty(databaseFile(dataDir))) return;
  const traces = findTraces(dataDir);
  if (traces.length === 0) return;
  const rescued = traces.filter((name) => name.startsWith("toolbooth-rescued-")).at(-1);
  const source = rescued === undefined ? "<backup file>" : path.join(dataDir, rescued);
  const state = statSync(databaseFile(dataDir), { throwIfNoEntry: false }) ? "empty" : "missing";
  throw new DataFolderError(
    `The ledger is lost: ${databaseFile(dataDir)} is ${state}, but the folder has files of an earlier ledger (${namesOf(traces)}). ` +
      `Move the database back, or run \`npm run -s toolbooth -- restore ${source}\`. ` +
      "If your data is elsewhere, correct DATA_DIR or DATABASE_URL. To start a new ledger on purpose, move these files to another folder first.",
  );
}

export const isMissingOrEmpty = (file: string): boolean =>
  !((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0);

const NAMED_MAX = 5;
const namesOf = (names: readonly string[]) =>
  names.length <= NAMED_MAX
    ? names.join(", ")
    : `${names.slice(0, NAMED_MAX).join(", ")} and ${names.length - NAMED_MAX} more`;

/** Returns the names of files that an earlier ledger left. A first start that was killed leaves none of them. */
function findTraces(dataDir: string): string[] {
  return namesIn(dataDir).filter(
    (name) =>
      TRACES.test(name) ||
      (name === path.basename(outboxFolder(dataDir)) &&
        namesIn(path.join(dataDir, name)).length > 0),
  );
}

const TRACES =
  /^(?:toolbooth\.sqlite-(?:wal|shm)|secret|server\.json|reversals\.sqlite|toolbooth-(?:before|rescued)-.*\.sqlite)$/;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
