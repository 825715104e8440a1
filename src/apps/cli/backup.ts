import { constants, copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { isStartUnder } from "#accounts/key-format.ts";
import { quotedCommand } from "#command-line.ts";
import type { LedgerTotals } from "#ledger/port.ts";
import {
  copySqlite,
  DatabaseInUse,
  type Ended,
  endRequests,
  exchangeSqlite,
  type Inspection,
  inspectSqlite,
} from "#stores/sqlite/backup.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { activeKeyStarts } from "#stores/sqlite/transfer-rows.ts";
import {
  databaseFile,
  giveToFolderOwner,
  isMissingOrEmpty,
  syncPath,
} from "../node/data-folder.ts";
import { moveSecretOut, readSecretFile, secretFile } from "../node/secret-file.ts";
import { findServer } from "../node/server-lock.ts";
import { CommandError, type Invocation, type Outcome } from "./command.ts";
import {
  checkOutputFile,
  commitFile,
  createPartialFile,
  dropPartialFile,
  isSameFile,
} from "./files.ts";
import { USE_POSTGRES_TOOLS } from "./help.ts";
import { runRecorded } from "./local.ts";
import { noData } from "./open-sqlite.ts";
import { counted, instant, integer } from "./text.ts";

/** With DATABASE_URL the nodes do not use the data folder, so backing it up would be a mistake. */
function requireDataFolder({ config }: Invocation, action: string): void {
  if (config.databaseUrl !== null)
    throw new CommandError(`${action} a data folder. ${USE_POSTGRES_TOOLS}`);
}

export type BackupArgs = { file: string; "with-secret": boolean; force: boolean };
export type RestoreArgs = { file: string; force: boolean };

export async function backup(
  invocation: Invocation,
  { file: target, "with-secret": withSecret, force }: BackupArgs,
): Promise<Outcome> {
  requireDataFolder(invocation, "backup copies");
  const file = databaseFile(invocation.config.dataDir);
  if (isMissingOrEmpty(file)) throw new CommandError(noData(invocation.config.dataDir));
  checkOutputFile(target, force, invocation.config);
  const partial = createPartialFile(target);
  try {
    const secret = withSecret ? secretsToInclude(invocation) : null;
    copySqlite(file, partial, secret?.join(",") ?? null);
    const inspection = inspectSqlite(partial, invocation.now, false);
    // Checked again, because the file may have been created during the copy.
    checkOutputFile(target, force, invocation.config);
    commitFile(partial, target);
    return presentBackup(invocation, target, inspection);
  } finally {
    dropPartialFile(partial);
  }
}

/** Returns the secrets that the service keeps itself, and reports if there are none. */
function secretsToInclude({ config: { dataDir }, log }: Invocation): readonly string[] | null {
  const secrets = readSecretFile(dataDir);
  if (secrets === null)
    log(
      `The secret is not included, because there is no file ${secretFile(dataDir)}: the service has the setting SECRET.`,
    );
  return secrets;
}

function presentBackup(invocation: Invocation, target: string, inspection: Inspection): Outcome {
  const { audit, damage, secretIncluded, schemaVersion } = inspection;
  const bytes = statSync(target).size;
  const ok = damage.length === 0 && audit?.ok !== false;
  const faults = [...damage, ...(audit?.faults ?? [])];
  const { accounts = null, totals = null } = audit ?? {};
  if (!ok)
    invocation.log(
      `The backup was written, but it is damaged or does not reconcile, so restore will reject it. For details, run ${quotedCommand("audit")}.`,
    );
  const content =
    audit === null
      ? "Its ledger was not checked."
      : `It contains ${counted(audit.accounts, "account")}, and the ledger reconciles: ${sumsOf(audit.totals)}.`;
  return {
    json: { ok, file: target, bytes, accounts, totals, schemaVersion, secretIncluded, faults },
    text:
      `Copied the data to ${target} (${counted(bytes, "byte")}).\n` +
      `${ok ? content : faults.map((fault) => `- ${fault}`).join("\n")}\n` +
      `${secretIncluded ? "The secret is included, so keep the file safe." : secretOutside(invocation)}\n`,
    exitCode: ok ? 0 : 1,
  };
}

/** "100 granted, 4 debited, 96 remaining": the sums that are not 0. */
function sumsOf(totals: LedgerTotals): string {
  const sums = Object.entries(totals).filter(([name, sum]) => name === "granted" || sum !== 0);
  return sums.map(([name, sum]) => `${integer(sum)} ${name}`).join(", ");
}

const secretOutside = ({ config: { dataDir } }: Invocation) =>
  `The secret is not included. Keep ${existsSync(secretFile(dataDir)) ? secretFile(dataDir) : "the value of SECRET"} in another safe place: without it a restored service rejects every key.`;

export async function restore(
  invocation: Invocation,
  { file: source, force }: RestoreArgs,
): Promise<Outcome> {
  requireDataFolder(invocation, "restore replaces");
  const { dataDir } = invocation.config;
  const file = databaseFile(dataDir);
  checkSource(source, file);
  requireNoServer(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const previous = previousDataFile(dataDir, invocation.now);
  const partial = createPartialFile(file);
  try {
    copyFileSync(source, partial, constants.COPYFILE_FICLONE);
    const inspection = inspectSqlite(partial, invocation.now, true);
    checkInspection(source, inspection);
    const ended = await endRequestsIn(partial);
    giveToFolderOwner(partial);
    syncPath(partial);
    // Again, because copying and checking take a while.
    requireNoServer(dataDir);
    const hadData = exchange(file, partial, previous, force);
    syncPath(dataDir);
    return presentRestore(invocation, source, {
      previous: hadData ? previous : null,
      inspection,
      ended,
      keys: checkKeys(invocation, file),
    });
  } finally {
    dropPartialFile(partial);
  }
}

/** A server keeps serving the database that it has open, even if another one takes its place. */
export function requireNoServer(dataDir: string): void {
  const server = findServer(dataDir);
  if (server === null) return;
  throw new CommandError(
    `A ${server} is running on the data folder ${dataDir}. Nothing was changed. Stop it and try again.`,
  );
}

/** Ends sessions and pending work in the copy, before a server opens it. */
async function endRequestsIn(file: string): Promise<Ended> {
  const driver = openNodeSqlite(file);
  try {
    const db = createSqliteDatabase(driver);
    return await runRecorded(
      db,
      "restore",
      async () => endRequests(driver),
      () => "from a backup",
    );
  } finally {
    driver.close();
  }
}

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
export const previousDataFile = (dataDir: string, now: number) =>
  path.join(dataDir, `toolbooth-before-${instant(now).replaceAll(/[:.]/g, "-")}.sqlite`);

function checkSource(source: string, file: string): void {
  const found = statSync(source, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandError(`${source} does not exist.`);
  if (!found.isFile())
    throw new CommandError(`${source} is not a file. Choose a file that backup wrote.`);
  if (isSameFile(source, file))
    throw new CommandError(`${source} is the database itself. Choose a file that backup wrote.`);
  // Without its write-ahead log, a database that was not closed is incomplete.
  const wal = statSync(`${source}-wal`, { throwIfNoEntry: false });
  if (wal !== undefined && wal.size > 0) {
    throw new CommandError(
      `${source} is a database in use, or an incomplete copy of one, because ${source}-wal exists. Set DATA_DIR to its folder and make a backup.`,
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
export function exchange(
  file: string,
  replacement: string,
  previous: string,
  force: boolean,
): boolean {
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
      `The secret of the original service is missing here${keys.unknown > 0 ? `, so ${integer(keys.unknown)} of ${counted(keys.active, "key")} would get 401` : ""}. Before you start the server, copy that service's DATA_DIR/secret to ${secretFile(dataDir)}, or set SECRET as it was there.`,
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
      `${previous === null ? "There was no previous database." : `The previous database is now ${previous}.`}\n` +
      `${secretIncluded ? "The backup included the secret." : `The backup did not include the secret.${keys.unknown === 0 && keys.active > 0 ? " The current secret works for its keys." : ""}`}\n` +
      "Sessions, sign-in codes, links in emails and queued emails were deleted, and queued webhook deliveries were canceled. Users must sign in again.\nKeys revoked, accounts closed and addresses changed since the backup are back to their earlier state. Revoke and close them again.\n",
  };
}
