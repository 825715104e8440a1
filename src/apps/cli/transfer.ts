import { closeSync, mkdirSync, openSync } from "node:fs";
import { isatty } from "node:tty";
import { quotedCommand } from "#command-line.ts";
import type { RecordCounts } from "#ledger/transfer/records.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";
import {
  databaseFile,
  giveToFolderOwner,
  isMissingOrEmpty,
  openDataFolder,
  syncPath,
} from "../node/data-folder.ts";
import { moveSecretOut, secretFile } from "../node/secret-file.ts";
import { exchange, previousDataFile, requireNoServer } from "./backup.ts";
import { CommandError, type Invocation, type Outcome, UsageError } from "./command.ts";
import { withDeployment } from "./deployment.ts";
import {
  checkOutputFile,
  commitFile,
  createPartialFile,
  createSink,
  dropPartialFile,
  linesOf,
  spoolTo,
} from "./files.ts";
import { describeImport, runRecorded } from "./local.ts";
import { placeOf } from "./postgres-faults.ts";
import { integer } from "./text.ts";

export type ExportArgs = { file: string | undefined; "with-secret": boolean; force: boolean };
export type ImportArgs = { file: string | undefined };

export async function exportLines(
  invocation: Invocation,
  { file: target, "with-secret": withSecret, force }: ExportArgs,
): Promise<Outcome> {
  if (target === undefined && invocation.json) {
    throw new UsageError(
      "export --json requires a file for the lines, because standard output has the JSON object.",
    );
  }
  if (withSecret && invocation.remote !== null) {
    throw new UsageError(
      "--with-secret does not work with --remote: a deployed service never sends its secret. Store the service's SECRET with the lines.",
    );
  }
  if (target !== undefined) checkOutputFile(target, force, invocation.config);
  return withDeployment(invocation, async ({ exportLines }) => {
    const exportTo = async (fd: number) => {
      const sink = createSink(fd);
      const counts = await exportLines(withSecret, sink.write);
      sink.end();
      return counts;
    };
    const counts = await withOutcome(
      () =>
        target === undefined
          ? spoolTo(1, exportTo)
          : writeFile(invocation, target, force, exportTo),
      `The export is incomplete. For details, run ${quotedCommand("audit")}.`,
    );
    if (withSecret && counts.secret === undefined) {
      invocation.log(
        "The secret is not included, because the service does not keep one itself: it has the setting SECRET.",
      );
    }
    return presentExport(invocation, target, counts);
  });
}

/** Turns an error in the records into a `CommandError` that ends with `outcome`. */
async function withOutcome<Result>(
  run: () => Result | Promise<Result>,
  outcome: string,
): Promise<Result> {
  // Imported here because loading the record schemas takes as long as running other commands.
  const { TransferError } = await import("#ledger/transfer/records.ts");
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    throw new CommandError(`${error.message}. ${outcome}`);
  }
}

async function writeFile(
  { config }: Invocation,
  target: string,
  force: boolean,
  fill: (fd: number) => Promise<RecordCounts>,
): Promise<RecordCounts> {
  const partial = createPartialFile(target);
  try {
    const fd = openSync(partial, "w");
    let counts: RecordCounts;
    try {
      counts = await fill(fd);
    } finally {
      closeSync(fd);
    }
    // Checked again, because the file may have been created during the export.
    checkOutputFile(target, force, config);
    commitFile(partial, target);
    return counts;
  } finally {
    dropPartialFile(partial);
  }
}

function presentExport(
  invocation: Invocation,
  target: string | undefined,
  counts: RecordCounts,
): Outcome {
  const secretIncluded = counts.secret !== undefined;
  const summary = `Exported ${describeCounts(counts)}. ${secretIncluded ? "The secret is included, so keep the export safe." : "The secret is not included."}\n`;
  // Standard output contains only the lines.
  if (target === undefined) invocation.log(summary.trimEnd());
  return {
    json: { file: target ?? null, counts, secretIncluded },
    text: target === undefined ? "" : `${summary}The lines are in ${target}.\n`,
  };
}

const describeCounts = (counts: RecordCounts) => {
  const parts = Object.entries(counts).map(([kind, count]) => `${kind} ${integer(count)}`);
  return parts.length === 0 ? "no records" : `records (${parts.join(", ")})`;
};

export async function importLines(
  invocation: Invocation,
  { file: source }: ImportArgs,
): Promise<Outcome> {
  if (source === undefined && isatty(0))
    throw new UsageError("import requires a file, or the lines on standard input.");
  const fd = source === undefined ? 0 : openSync(source, "r");
  try {
    const { remote } = invocation;
    if (remote !== null) {
      const { importRemote } = await import("./remote/import.ts");
      const counts = await withOutcome(
        () => importRemote(invocation, remote, linesOf(fd)),
        NOTHING_IMPORTED,
      );
      return presentImport(counts, remote.url);
    }
    const { place, write } = await targetOf(invocation);
    const counts = await withOutcome(() => write(fd), NOTHING_IMPORTED);
    logSecret(invocation, counts);
    return presentImport(counts, place);
  } finally {
    if (fd !== 0) closeSync(fd);
  }
}

const NOTHING_IMPORTED = "Nothing was imported.";

type ImportTarget = { place: string; write(fd: number): Promise<RecordCounts> };

async function targetOf(invocation: Invocation): Promise<ImportTarget> {
  const { dataDir, databaseUrl } = invocation.config;
  if (databaseUrl !== null) {
    const { importIntoPostgres } = await import("./open-postgres.ts");
    const write = (fd: number) => importIntoPostgres(invocation, databaseUrl, linesOf(fd));
    return { place: placeOf(databaseUrl), write };
  }
  const importInto = !isMissingOrEmpty(databaseFile(dataDir))
    ? importIntoEmptyLedger
    : importIntoNewFile;
  return { place: dataDir, write: (fd) => importInto(invocation, fd) };
}

async function importIntoEmptyLedger(invocation: Invocation, fd: number): Promise<RecordCounts> {
  const { isEmptyLedger } = await import("#stores/sqlite/transfer.ts");
  const driver = openDataFolder(invocation.config.dataDir);
  try {
    if (isEmptyLedger(driver)) {
      const counts = await importIntoSqlite(driver, invocation, fd);
      keepImportedSecret(driver, invocation);
      return counts;
    }
    throw new CommandError(
      `The data in ${invocation.config.dataDir} is not empty, and an import never merges ledgers. Set DATA_DIR to a new folder.`,
    );
  } finally {
    driver.close();
  }
}

async function importIntoSqlite(
  driver: NodeSqlite,
  { now }: Invocation,
  fd: number,
): Promise<RecordCounts> {
  const { importSqlite } = await import("#stores/sqlite/transfer.ts");
  const importAll = async () => importSqlite(driver, linesOf(fd), now);
  return runRecorded(createSqliteDatabase(driver), "import", importAll, describeImport);
}

/** Builds the database under another name, so that invalid lines leave no incomplete data. */
async function importIntoNewFile(invocation: Invocation, fd: number): Promise<RecordCounts> {
  const { dataDir } = invocation.config;
  const file = databaseFile(dataDir);
  requireNoServer(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const partial = createPartialFile(file);
  try {
    const driver = openNodeSqlite(partial);
    let counts: RecordCounts;
    try {
      counts = await importIntoSqlite(driver, invocation, fd);
    } finally {
      driver.close();
    }
    giveToFolderOwner(partial);
    syncPath(partial);
    exchange(file, partial, previousDataFile(dataDir, invocation.now), false);
    syncPath(dataDir);
    const imported = openDataFolder(dataDir);
    try {
      keepImportedSecret(imported, invocation);
    } finally {
      imported.close();
    }
    return counts;
  } finally {
    dropPartialFile(partial);
  }
}

/** The import stores the secret with the records, all or nothing, and it leaves the database once they are committed. */
const keepImportedSecret = (driver: NodeSqlite, { config: { dataDir, secrets } }: Invocation) =>
  moveSecretOut(driver, dataDir, secrets ?? [], () => {});

function logSecret({ config, log }: Invocation, counts: RecordCounts): void {
  if (counts.secret === undefined) {
    if (config.secrets !== null) return;
    log(
      "The lines included no secret. Copy the DATA_DIR/secret of the original service, or set SECRET to its secret; otherwise the server rejects its keys.",
    );
  } else if (config.secrets === null) {
    const place = config.databaseUrl === null ? secretFile(config.dataDir) : "PostgreSQL";
    log(
      `The lines included the secret, which is now in ${place}. If a server is running on this data, restart it so that it uses the secret.`,
    );
  } else {
    log(
      "The lines included the secret. If it is not in SECRET, append it there, after a comma; otherwise the server rejects the imported keys.",
    );
  }
}

const presentImport = (counts: RecordCounts, place: string): Outcome => ({
  json: { counts, secretIncluded: counts.secret !== undefined },
  text: `Imported ${describeCounts(counts)} into ${place}. The ledger reconciles.\n`,
});
