import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  rmSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { isStartUnder } from "#accounts/key-format.ts";
import { counted, formatNumber } from "#counted.ts";
import { done } from "#operator/operation.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import {
  copySqlite,
  DatabaseInUse,
  type Ended,
  endRequests,
  exchangeSqlite,
  type Inspection,
  inspectSqlite,
  SIDECARS,
} from "#stores/sqlite/backup.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import {
  primaryCodeOf,
  SQLITE_CANTOPEN,
  SQLITE_FULL,
  SQLITE_READONLY,
} from "#stores/sqlite/faults.ts";
import { openNodeSqlite, openNodeSqliteReadOnly } from "#stores/sqlite/node.ts";
import { activeKeyStarts } from "#stores/sqlite/settings.ts";
import { databaseFile, giveToFolderOwner, isFull, syncPath } from "../node/data-folder.ts";
import { moveSecretOut, readSecretFile, secretFile } from "../node/secret-file.ts";
import { keepServersOff } from "../node/server-lock.ts";
import { userName } from "./client.ts";
import type { Invocation, Outcome } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { createPartialFile, isSameFile } from "./files.ts";

/** What works on files without a server: `restore`, and `audit --file`. */

/** Checks a database that no server has open. It is only read. */
export function auditFile(file: string, now: number) {
  if (statSync(file).isDirectory()) throw new CommandError(`${file} is not a file.`);
  requireReadable(file);
  const { audit, damage, tooNew } = inspectSqlite(file, now, false);
  if (tooNew !== null) throw new CommandError(`${file}: ${tooNew}`);
  if (audit === null && damage.length === 0)
    throw new CommandError(
      `${file} is not a database of this version of Toolbooth. A backup of an earlier one can be restored.`,
    );
  const { accounts = 0, totals = null, faults = [] } = audit ?? {};
  return { accounts, totals, faults, damage };
}

/** Throws where SQLite cannot read a file for another reason than damage, which its messages do not say. */
function requireReadable(file: string): void {
  accessSync(file, constants.R_OK);
  try {
    const driver = openNodeSqliteReadOnly(file);
    try {
      driver.prepare("PRAGMA schema_version").get();
    } finally {
      driver.close();
    }
  } catch (error) {
    if (![SQLITE_READONLY, SQLITE_CANTOPEN].includes(primaryCodeOf(error))) return;
    throw new CommandError(
      `${file} cannot be read where it is (${(error as Error).message}): SQLite keeps the index of a log beside the database. Copy the file, with its -wal if there is one, to a folder to which this user may write.`,
    );
  }
}

export async function restore(
  invocation: Invocation,
  { file: source, force = false }: { file: string; force?: boolean | undefined },
): Promise<Outcome> {
  const { dataDir, databaseUrl } = invocation.config;
  if (databaseUrl !== null)
    throw new CommandError(
      "restore replaces the database of a data folder. Restore PostgreSQL with its own tools, such as pg_restore: see docs/backup.md. Unset DATABASE_URL to work on the data in DATA_DIR.",
    );
  const file = databaseFile(dataDir);
  checkSource(source, file);
  const release = lockOut(dataDir);
  try {
    return await replaceBy(source, invocation, force);
  } finally {
    release();
  }
}

async function replaceBy(source: string, invocation: Invocation, force: boolean): Promise<Outcome> {
  const { dataDir } = invocation.config;
  const file = databaseFile(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const previous = previousDataFile(dataDir, invocation.now);
  const partial = createPartialFile(file);
  try {
    copySource(source, partial);
    // The copy has the mode of the backup, which may be read-only.
    chmodSync(partial, 0o600);
    const inspection = inspectSqlite(partial, invocation.now, true);
    // A copy that cannot be brought up to date for lack of space is not damaged.
    if (inspection.damage.length > 0 && isFull(dataDir)) throw new CommandError(FULL);
    checkInspection(source, inspection);
    const ended = await endRequestsIn(partial, invocation.now);
    giveToFolderOwner(partial);
    syncPath(partial);
    const kept = exchange(file, partial, previous, force) ? previous : null;
    const keys = finish(invocation, source, kept);
    return presentRestore(invocation, source, { previous: kept, inspection, ended, keys });
  } catch (error) {
    const code = primaryCodeOf(error);
    if (code !== SQLITE_FULL && (code === 0 || !isFull(dataDir))) throw error;
    throw new CommandError(FULL);
  } finally {
    for (const suffix of ["", ...SIDECARS]) rmSync(partial + suffix, { force: true });
  }
}

const FULL = "The disk is full. Nothing was changed. Free some space and try again.";

/**
 * A server keeps serving the database that it has open, even if another one takes its place; and one that starts meanwhile deletes the
 * copy. Returns what lets servers start again.
 */
function lockOut(dataDir: string): () => void {
  const { server, release } = lockOf(dataDir);
  if (server === null) return release;
  throw new CommandError(
    `A ${server} is running on the data folder ${dataDir}. Nothing was changed. Stop it and try again.`,
  );
}

function lockOf(dataDir: string): ReturnType<typeof keepServersOff> {
  try {
    return keepServersOff(dataDir);
  } catch (cause) {
    throw new CommandError(
      `The lock of the data folder ${dataDir} cannot be opened (${(cause as Error).message}), so the command cannot tell whether a server is running. Nothing was changed. Run the command as the user that runs the server, such as with sudo -u.`,
      { cause },
    );
  }
}

/** Ends sessions and pending work in the copy, before a server opens it, and records that an operator restored it. */
async function endRequestsIn(file: string, now: number): Promise<Ended> {
  const driver = openNodeSqlite(file);
  try {
    const actions = createOperatorActions(createSqliteDatabase(driver));
    const action = { at: now, by: userName(), action: "restore", subject: null, address: null };
    const { id } = await actions.start(action);
    const ended = endRequests(driver);
    await actions.end({ id, end: done("from a backup") });
    return ended;
  } finally {
    driver.close();
  }
}

/** What is left once the database has been replaced. A later start of the server does it, too. */
function finish(invocation: Invocation, source: string, previous: string | null): KeysRestored {
  const { dataDir } = invocation.config;
  try {
    syncPath(dataDir);
    return checkKeys(invocation, databaseFile(dataDir));
  } catch (error) {
    const reason = (error as Error).message.replace(/\.?$/, ".");
    throw new CommandError(
      `Restored ${source} to ${dataDir}, but the command failed afterwards: ${reason} ${previousText(previous)} If the backup included the secret, it may still be in the database. Remove the cause, then start the server: it moves the secret to ${secretFile(dataDir)}.`,
      { cause: error },
    );
  }
}

const previousText = (previous: string | null): string =>
  previous === null
    ? "There was no previous database."
    : `The previous database is now ${previous}.`;

/**
 * Moves a secret that the backup included to its file, and counts the active keys that were made with a secret which this folder
 * and the configuration lack.
 */
function checkKeys({ config }: Invocation, file: string): KeysRestored {
  const driver = openNodeSqlite(file);
  try {
    moveSecretOut(driver, config.dataDir, config.secrets ?? [], () => {});
    const secrets = config.secrets ?? readSecretFile(config.dataDir);
    const keys = { active: 0, unknown: 0, hasSecret: secrets !== null };
    for (const start of activeKeyStarts(driver)) {
      keys.active += 1;
      if (!isStartUnder(start, secrets ?? [])) keys.unknown += 1;
    }
    return keys;
  } finally {
    driver.close();
  }
}

type KeysRestored = { active: number; unknown: number; hasSecret: boolean };

/** Where the replaced database is kept: in the same folder, so that a rename is enough. */
const previousDataFile = (dataDir: string, now: number) =>
  path.join(
    dataDir,
    `toolbooth-before-${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}.sqlite`,
  );

function checkSource(source: string, file: string): void {
  const found = statSync(source, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandError(`${source} does not exist.`);
  if (!found.isFile())
    throw new CommandError(`${source} is not a file. Choose a file that backup wrote.`);
  if (isSameFile(source, file))
    throw new CommandError(`${source} is the database itself. Choose a file that backup wrote.`);
}

/** Copies a backup, or a database with the commits in the log beside it, as of one moment, even if it is in use. */
function copySource(source: string, copy: string): void {
  const log = statSync(`${source}-wal`, { throwIfNoEntry: false });
  if (log === undefined || log.size === 0) {
    copyFileSync(source, copy, constants.COPYFILE_FICLONE);
    return;
  }
  requireReadable(source);
  try {
    copySqlite(source, copy, null);
  } catch (error) {
    if (primaryCodeOf(error) === SQLITE_FULL || isFull(path.dirname(copy))) throw error;
    throw new CommandError(
      `${source} cannot be read with its log (${(error as Error).message}). Nothing was changed. Use another backup, or salvage the file as docs/runbooks.md describes.`,
      { cause: error },
    );
  }
}

function checkInspection(source: string, { audit, damage, tooNew }: Inspection): void {
  const unchanged = "Nothing was changed.";
  if (damage.length > 0) {
    throw new CommandError(
      `${source} is damaged or not a database (${damage[0]}). ${unchanged} Use another backup.`,
    );
  }
  if (tooNew !== null) throw new CommandError(`${source}: ${tooNew} ${unchanged}`);
  if (audit === null)
    throw new CommandError(`${source} is a database, but not a Toolbooth database. ${unchanged}`);
  if (!audit.ok) {
    throw new CommandError(
      `The ledger in ${source} does not reconcile (${audit.faults[0]}). ${unchanged} Use another backup.`,
    );
  }
}

/** Replaces the database and keeps the previous one. Returns whether there was one. */
function exchange(file: string, replacement: string, previous: string, force: boolean): boolean {
  try {
    return exchangeSqlite(file, replacement, previous, force);
  } catch (error) {
    if (error instanceof DatabaseInUse) {
      throw new CommandError(
        error.unreadable
          ? `${file} is so damaged that the command cannot tell whether a server has it open. Nothing was changed. Stop the server and add --force.`
          : `${file} is open in a server or another process. Nothing was changed. Stop that process and try again.`,
      );
    }
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new CommandError(
        `Another process created a file in ${path.dirname(file)} at the same time. Nothing was changed. Try again.`,
      );
    }
    throw error;
  }
}

function presentRestore(
  invocation: Invocation,
  source: string,
  result: {
    previous: string | null;
    inspection: Inspection;
    ended: Ended;
    keys: KeysRestored;
  },
): Outcome {
  const { previous, inspection, ended, keys } = result;
  const { dataDir } = invocation.config;
  const accounts = inspection.audit?.accounts ?? 0;
  const { secretIncluded } = inspection;
  if (keys.unknown > 0 || !keys.hasSecret) {
    invocation.log(
      `The secret of the original service is missing here${keys.unknown > 0 ? `, so ${formatNumber(keys.unknown)} of ${counted(keys.active, "key")} would get 401` : ""}. Before you start the server, copy that service's DATA_DIR/secret to ${secretFile(dataDir)}, or set SECRET as it was there.`,
    );
  }
  return {
    json: {
      file: source,
      accounts,
      previous,
      secretIncluded,
      unknownKeys: keys.unknown,
      ended,
    },
    text:
      `Restored ${source} to ${dataDir}, with ${counted(accounts, "account")}. The ledger reconciles.\n` +
      `${previousText(previous)}\n` +
      `${secretIncluded ? "The backup included the secret." : `The backup did not include the secret.${keys.unknown === 0 && keys.active > 0 ? " The current secret works for its keys." : ""}`}\n` +
      "Sessions, sign-in codes, links in emails and queued emails were deleted, and queued webhook deliveries were canceled. Users must sign in again.\nKeys revoked, accounts closed and addresses changed since the backup are back to their earlier state. Revoke and close them again.\n",
  };
}
