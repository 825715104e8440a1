import { constants, copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import {
  copySqlite,
  DatabaseInUse,
  exchangeSqlite,
  type Inspection,
  inspectSqlite,
  SIDECARS,
} from "#stores/sqlite/backup.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { type Ended, endRequests } from "#stores/sqlite/operator.ts";
import { databaseFile } from "../node/data-folder.ts";
import { type Call, type Command, type Outcome, ProblemDetails } from "./command.ts";
import { commandOnFiles } from "./define-command.ts";
import {
  beginFile,
  checkTarget,
  dropFile,
  finishFile,
  giveToFolderOwner,
  isSameFile,
  syncPath,
} from "./files.ts";
import { actHere } from "./in-process.ts";
import { noData } from "./open-sqlite.ts";
import { flag, word } from "./takes.ts";
import { counted, instant, whole } from "./text.ts";

const OF_A_DEPLOYMENT =
  "Over the network use export and import; PostgreSQL and Cloudflare have backups of their own, and docs/cli.md says how. Run it on the machine that has the service's DATA_DIR, without --remote and TOOLBOOTH_REMOTE.";

const OF_POSTGRES =
  "PostgreSQL has its own: pg_dump copies it beside running nodes, pg_restore puts the copy into an empty database, and continuous archiving brings back any moment; docs/cli.md says how. Leave DATABASE_URL unset to work on the data in DATA_DIR.";

/** `backup` and `restore`: the database as one file. */
export const DATA_COMMANDS: readonly Command[] = [
  commandOnFiles({
    name: "backup",
    summary: "Write a consistent copy of the data into one file, beside a running server",
    details: [
      "The copy is of one moment, is checked, and holds hashes of keys, addresses and, where the service made its own, the secret: keep it safe. An existing file is replaced only with --force.",
      `With DATABASE_URL: ${OF_POSTGRES}`,
    ],
    example: "backup /backups/toolbooth.sqlite",
    takes: { file: word("<file>"), force: flag },
    hereOnly: `copies a data folder. ${OF_A_DEPLOYMENT}`,
    run: backup,
  }),
  commandOnFiles({
    name: "restore",
    summary: "Put a backup in the place of the data, while no server runs",
    details: [
      "The backup is checked before anything is changed, and the data that was there is kept beside under a dated name. --force is for data so damaged that it cannot be told whether a server has it open: stop the server yourself first.",
      `With DATABASE_URL: ${OF_POSTGRES}`,
    ],
    example: "restore /backups/toolbooth.sqlite",
    takes: { file: word("<file>"), force: flag },
    hereOnly: `replaces a data folder. ${OF_A_DEPLOYMENT}`,
    run: restore,
  }),
];

/** These two are about a file, and the file would be another one than the nodes use. */
function checkFolder({ config }: Call, act: string): void {
  if (config.databaseUrl !== null) throw new ProblemDetails(`${act} a data folder. ${OF_POSTGRES}`);
}

type Given = { file: string; force: boolean };

async function backup(call: Call, { file: target, force }: Given): Promise<Outcome> {
  checkFolder(call, "backup copies");
  const file = databaseFile(call.config.dataDir);
  if (!existsSync(file)) throw new ProblemDetails(noData(call.config.dataDir));
  if (["", ...SIDECARS].some((suffix) => isSameFile(target, file + suffix))) {
    throw new ProblemDetails(`${target} is the data itself. Name another file.`);
  }
  checkTarget(target, force);
  const begun = beginFile(target);
  try {
    copySqlite(file, begun);
    const looked = inspectSqlite(begun, call.now, false);
    // Looked for again, because the copy took its time.
    checkTarget(target, force);
    finishFile(begun, target);
    return presentBackup(call, target, looked);
  } finally {
    dropFile(begun);
  }
}

function presentBackup(call: Call, target: string, looked: Inspection): Outcome {
  const { audit, damage, secretIncluded, schemaVersion } = looked;
  const bytes = statSync(target).size;
  const ok = damage.length === 0 && audit?.ok !== false;
  const faults = [...damage, ...(audit?.faults ?? [])];
  const accounts = audit?.accounts ?? null;
  if (!ok)
    call.note(
      "The backup was written, but what is in it is not right, and restore will refuse it. Run audit.",
    );
  const holds =
    accounts === null
      ? "Its books were not checked"
      : `It holds ${counted(accounts, "account")}, and the books reconcile`;
  return {
    json: { ok, file: target, bytes, accounts, schemaVersion, secretIncluded, faults },
    text:
      `The data was copied to ${target}, ${counted(bytes, "byte")}.\n` +
      `${ok ? `${holds}.` : faults.map((fault) => `- ${fault}`).join("\n")}\n` +
      `${secretIncluded ? "The secret is included: keep the file as safe as the service." : SECRET_OUTSIDE}\n`,
    exitCode: ok ? 0 : 1,
  };
}

const SECRET_OUTSIDE =
  "The secret is not included, because the service is given one in SECRET: keep that with the backup.";

async function restore(call: Call, { file: source, force }: Given): Promise<Outcome> {
  checkFolder(call, "restore replaces");
  const { dataDir } = call.config;
  const file = databaseFile(dataDir);
  checkSource(source, file);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const aside = asideName(dataDir, call.now);
  const fresh = beginFile(file);
  try {
    copyFileSync(source, fresh, constants.COPYFILE_FICLONE);
    const looked = inspectSqlite(fresh, call.now, true);
    checkInspection(source, looked);
    const ended = await endRequestsIn(fresh);
    giveToFolderOwner(fresh);
    syncPath(fresh);
    const kept = exchange(file, fresh, aside, force) ? aside : null;
    syncPath(dataDir);
    return presentRestore(call, source, { kept, looked, ended });
  } finally {
    dropFile(fresh);
  }
}

/** In the copy, before anybody uses it. */
async function endRequestsIn(fresh: string): Promise<Ended> {
  const driver = openNodeSqlite(fresh);
  try {
    const db = createSqliteDatabase(driver);
    return await actHere(
      db,
      "restore",
      async () => endRequests(driver),
      () => "from a backup",
    );
  } finally {
    driver.close();
  }
}

/** Beside the data, so that it can be kept without a copy. */
export const asideName = (dataDir: string, now: number) =>
  path.join(dataDir, `toolbooth-before-${instant(now).replaceAll(/[:.]/g, "-")}.sqlite`);

function checkSource(source: string, file: string): void {
  const found = statSync(source, { throwIfNoEntry: false });
  if (found === undefined) throw new ProblemDetails(`There is no file ${source}.`);
  if (!found.isFile())
    throw new ProblemDetails(`${source} is not a file. Name a file that backup has written.`);
  if (isSameFile(source, file))
    throw new ProblemDetails(`${source} is the data itself. Name a file that backup has written.`);
  // Part of a database that was not closed: without what lies beside it, it is not whole.
  const wal = statSync(`${source}-wal`, { throwIfNoEntry: false });
  if (wal !== undefined && wal.size > 0) {
    throw new ProblemDetails(
      `${source}-wal lies beside it: this is a database in use, or a copy of one that is not whole. Make a backup of it with DATA_DIR set to its folder.`,
    );
  }
}

function checkInspection(source: string, { audit, damage, tooNew }: Inspection): void {
  const unchanged = "Nothing was changed.";
  if (damage.length > 0) {
    throw new ProblemDetails(
      `${source} is damaged or not a database (${damage[0]}). ${unchanged} Take another backup.`,
    );
  }
  if (tooNew !== null) throw new ProblemDetails(`${source}: ${tooNew} ${unchanged}`);
  if (audit === null)
    throw new ProblemDetails(`${source} is a database, but not one of Toolbooth. ${unchanged}`);
  if (!audit.ok) {
    throw new ProblemDetails(
      `The books in ${source} do not reconcile (${audit.faults[0]}). ${unchanged} Take another backup.`,
    );
  }
}

export function exchange(file: string, fresh: string, aside: string, force: boolean): boolean {
  try {
    return exchangeSqlite(file, fresh, aside, force);
  } catch (error) {
    if (error instanceof DatabaseInUse) {
      throw new ProblemDetails(
        error.unreadable
          ? `${file} is damaged, so that it cannot be told whether a server has it open. Nothing was changed. Stop the server and add --force.`
          : `A server or another process has ${file} open. Nothing was changed. Stop it and try again.`,
      );
    }
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new ProblemDetails(
        `Another process has put a file in ${path.dirname(file)} meanwhile. Nothing was changed. Try again.`,
      );
    }
    throw error;
  }
}

function presentRestore(
  call: Call,
  source: string,
  came: { kept: string | null; looked: Inspection; ended: Ended },
): Outcome {
  const { kept, looked, ended } = came;
  const accounts = looked.audit?.accounts ?? 0;
  const { secretIncluded } = looked;
  if (!secretIncluded && call.config.secrets === null) {
    call.note(
      "SECRET is not set here. Set it for the server as it was when the backup was made, or every key is refused.",
    );
  }
  return {
    json: { file: source, accounts, keptAside: kept, secretIncluded, ended },
    text:
      `The data in ${call.config.dataDir} is now that of ${source}: ${whole(accounts)} ${accounts === 1 ? "account" : "accounts"}, and the books reconcile.\n` +
      `${kept === null ? "There was no data before." : `The data that was there before is kept in ${kept}.`}\n` +
      `${secretIncluded ? "The secret is included." : "The secret is not included: the service is given one in SECRET."}\n` +
      "Sessions, links and waiting letters of that time were removed, and waiting webhooks were given up: everybody signs in again. Keys that were revoked since, accounts that were closed and passwords that were changed are again as they were: revoke and close them anew.\n",
  };
}
