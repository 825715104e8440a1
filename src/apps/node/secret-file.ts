import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { readSecrets } from "#config/read-settings.ts";
import { randomBase62 } from "#ids.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { dropStoredSecret, findStoredSecret, hasKeys } from "#stores/sqlite/settings.ts";
import { DataFolderError } from "./data-folder.ts";
import { requirePrivateFile, writePrivateFile } from "./private-file.ts";

/**
 * The file in the data folder that holds the secret of a service without the setting SECRET. It is beside the database and not in
 * it, so that a copy of the database does not contain it. Like SECRET it may hold a comma-separated list.
 */
export const secretFile = (dataDir: string) => path.join(dataDir, "secret");

/** Returns the secrets in the file; null if there is no file. Throws if the file cannot be trusted or read. */
export function readSecretFile(dataDir: string): readonly string[] | null {
  const file = secretFile(dataDir);
  if (!requirePrivateFile(file)) return null;
  return parse(file, readText(file));
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DataFolderError(
      `${file} cannot be read (${code}). Give it to the user that runs the service, or set SECRET.`,
      { cause: error },
    );
  }
}

function parse(file: string, text: string): readonly string[] {
  const problems: string[] = [];
  const secrets = readSecrets(text.trim(), problems);
  if (secrets !== null && problems.length === 0) return secrets;
  throw new DataFolderError(
    `${file} does not contain a secret of at least 16 characters. Restore the file from where you keep it, or set SECRET.`,
  );
}

/**
 * Returns the secrets of the service on a data folder: those of the setting SECRET, or those in the file, which the first of
 * several processes creates.
 *
 * A backup that was made with its secret has it in the database. It is moved to the file and deleted there. A new secret would make
 * every key invalid, so none is created for data that has keys.
 */
export function openSecrets(
  driver: NodeSqlite,
  { dataDir, secrets: configured }: { dataDir: string; secrets: readonly string[] | null },
  log: (sentence: string) => void,
): readonly string[] {
  moveSecretOut(driver, dataDir, configured ?? [], log);
  if (configured !== null) return configured;
  const kept = readSecretFile(dataDir);
  if (kept !== null) return kept;
  // Read again, because another process may have created the file and a key in between.
  if (hasKeys(driver) && readSecretFile(dataDir) === null) {
    throw new DataFolderError(
      `The data in ${dataDir} has API keys, but the secret that they were made with is missing: there is no file ${secretFile(dataDir)}, and SECRET is not set. Restore the file, or set SECRET. If the secret is lost, set SECRET to a new one; then the existing keys stop working.`,
    );
  }
  return createSecretFile(dataDir, randomBase62(43, randomBytes));
}

/** Moves a secret that the database contains to the file. Does nothing if there is none. */
export function moveSecretOut(
  driver: NodeSqlite,
  dataDir: string,
  configured: readonly string[],
  log: (sentence: string) => void,
): void {
  const stored = findStoredSecret(driver);
  if (stored === null) return;
  const found = stored.split(",");
  if (!found.every((secret) => configured.includes(secret))) addToSecretFile(dataDir, found);
  dropStoredSecret(driver);
  log(`The secret was moved from the database to ${secretFile(dataDir)}.`);
}

/** Creates the file. If another process is faster, its secrets count. */
function createSecretFile(dataDir: string, text: string): readonly string[] {
  const file = secretFile(dataDir);
  writeComplete(file, text, (partial) => {
    try {
      // Unlike a rename, this fails where the file exists.
      linkSync(partial, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(partial, { force: true });
    }
  });
  return readSecretFile(dataDir) as readonly string[];
}

/**
 * Writes the file again if it was deleted while the server runs: the server has the only copy, and without it the next start would
 * make every key invalid. Call it regularly; it acts the second time in a row that the file is missing, because editors delete a
 * file for a moment.
 */
export function createSecretKeeper(
  dataDir: string,
  secrets: readonly string[],
  log: (sentence: string) => void,
): () => void {
  const file = secretFile(dataDir);
  let missed = 0;
  return () => {
    missed = statSync(file, { throwIfNoEntry: false }) === undefined ? missed + 1 : 0;
    if (missed !== 2) return;
    try {
      createSecretFile(dataDir, secrets.join(","));
      missed = 0;
      log(`${file} was deleted while the server was running. The server has written it again.`);
    } catch (error) {
      log(
        `${file} was deleted while the server was running, and cannot be written again: ${(error as Error).message}. Restore it before the server stops; without it the next start rejects every key.`,
      );
    }
  };
}

/** Adds secrets behind those in the file, which keep signing, so that keys made under either stay valid. */
function addToSecretFile(dataDir: string, secrets: readonly string[]): void {
  const known = readSecretFile(dataDir) ?? createSecretFile(dataDir, secrets.join(","));
  const all = [...new Set([...known, ...secrets])];
  if (all.length === known.length) return;
  const file = secretFile(dataDir);
  writeComplete(file, all.join(","));
}

/** Writes the secrets to a file beside `file`; `publish` puts it in place. */
function writeComplete(file: string, text: string, publish?: (partial: string) => void): void {
  parse(file, text);
  writePrivateFile(file, `${text}\n`, publish);
}
