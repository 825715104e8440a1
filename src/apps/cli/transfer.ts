import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { isatty } from "node:tty";
import type { RecordCounts } from "#ledger/transfer/records.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";
import { databaseFile, openDataFolder } from "../node/data-folder.ts";
import { type Call, type Command, type Outcome, ProblemDetails, WrongUsage } from "./command.ts";
import { asideName, exchange } from "./data.ts";
import { commandOnFiles } from "./define-command.ts";
import { withDeployment } from "./deployment.ts";
import {
  beginFile,
  checkTarget,
  createSink,
  dropFile,
  finishFile,
  giveToFolderOwner,
  linesOf,
  syncPath,
} from "./files.ts";
import { actHere, importedOutcome } from "./in-process.ts";
import { placeOf } from "./postgres-faults.ts";
import { flag, optionalWord } from "./takes.ts";
import { whole } from "./text.ts";

/** `export` and `import`: the ledger as lines of JSON, for another store or another machine. */
export const TRANSFER_COMMANDS: readonly Command[] = [
  commandOnFiles({
    name: "export",
    summary: "Write everything as lines of JSON, to a file or to standard output",
    details: [
      "One consistent snapshot, beside a running server. The same ledger gives the same lines. The secret comes along only with --with-secret. With --json a file is needed.",
      "With --remote each account stands for itself: all of it is of one moment, but not of the same one as the others.",
    ],
    example: "export ledger.jsonl",
    takes: { file: optionalWord("[file]"), "with-secret": flag, force: flag },
    run: exportLines,
  }),
  commandOnFiles({
    name: "import",
    summary: "Take in lines that export wrote, into an empty ledger",
    details: [
      "All or nothing: the lines are checked and the books audited before anything is kept.",
      "With --remote each account stands for itself: it opens when all of it has come and its books reconcile. An import that was stopped is run again, with the same lines, to its end.",
    ],
    example: "import ledger.jsonl",
    takes: { file: optionalWord("[file]") },
    run: importLines,
  }),
];

type ExportGiven = { file: string | undefined; "with-secret": boolean; force: boolean };

async function exportLines(
  call: Call,
  { file: target, "with-secret": withSecret, force }: ExportGiven,
): Promise<Outcome> {
  if (target === undefined && call.json) {
    throw new WrongUsage(
      "export --json needs a file: the lines go there, and standard output has the one object.",
    );
  }
  if (withSecret && call.remote !== null) {
    throw new WrongUsage(
      "--with-secret is for the data here: the secret of a deployed service is in nobody's reach. Keep the one that it was given with the lines.",
    );
  }
  if (target !== undefined) checkTarget(target, force);
  return withDeployment(call, async ({ exportLines }) => {
    const exportTo = async (fd: number) => {
      const sink = createSink(fd);
      const made = await exportLines(withSecret, sink.write);
      sink.end();
      return made;
    };
    const counts = await transfer(
      () => (target === undefined ? exportTo(1) : intoFile(target, force, exportTo)),
      "The export is not whole: run audit.",
    );
    if (withSecret && counts.secret === undefined) {
      call.note(
        "There is no secret with the data, because the service is given one in SECRET: it is not included.",
      );
    }
    return presentExport(call, target, counts);
  });
}

/** What is wrong with lines or records, as a refusal. */
async function transfer<Result>(
  act: () => Result | Promise<Result>,
  outcome: string,
): Promise<Result> {
  // Loaded when it is needed: the checks of the format take as long to load as any other command takes to run.
  const { TransferError } = await import("#ledger/transfer/records.ts");
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    throw new ProblemDetails(`${error.message}. ${outcome}`);
  }
}

async function intoFile(
  target: string,
  force: boolean,
  fill: (fd: number) => Promise<RecordCounts>,
): Promise<RecordCounts> {
  const begun = beginFile(target);
  try {
    const fd = openSync(begun, "w");
    let counts: RecordCounts;
    try {
      counts = await fill(fd);
    } finally {
      closeSync(fd);
    }
    // Looked for again, because the export took its time.
    checkTarget(target, force);
    finishFile(begun, target);
    return counts;
  } finally {
    dropFile(begun);
  }
}

function presentExport(call: Call, target: string | undefined, counts: RecordCounts): Outcome {
  const secretIncluded = counts.secret !== undefined;
  const said = `${listed(counts)} exported. The secret is ${secretIncluded ? "included: keep them safe" : "not included"}.\n`;
  // On standard output are the lines, and nothing else.
  if (target === undefined) call.note(said.trimEnd());
  return {
    json: { file: target ?? null, counts, secretIncluded },
    text: target === undefined ? "" : `${said}They are in ${target}.\n`,
  };
}

const listed = (counts: RecordCounts) => {
  const parts = Object.entries(counts).map(([kind, count]) => `${kind} ${whole(count)}`);
  return `Records ${parts.length === 0 ? "(none)" : `(${parts.join(", ")})`} were`;
};

async function importLines(
  call: Call,
  { file: source }: { file: string | undefined },
): Promise<Outcome> {
  if (source === undefined && isatty(0))
    throw new WrongUsage("import needs a file, or the lines on standard input.");
  const fd = source === undefined ? 0 : openSync(source, "r");
  try {
    const { remote } = call;
    if (remote !== null) {
      const { importRemote } = await import("./remote/import.ts");
      const made = await transfer(() => importRemote(call, remote, linesOf(fd)), NOTHING);
      return presentImport(made, remote.url);
    }
    const { place, take } = await goalOf(call);
    const made = await transfer(() => take(fd), NOTHING);
    recordSecret(call, made);
    return presentImport(made, place);
  } finally {
    if (fd !== 0) closeSync(fd);
  }
}

const NOTHING = "Nothing was imported.";

type Goal = { place: string; take(fd: number): Promise<RecordCounts> };

/** Where the lines go, and how they get there. */
async function goalOf(call: Call): Promise<Goal> {
  const { dataDir, databaseUrl } = call.config;
  if (databaseUrl !== null) {
    const { importIntoPostgres } = await import("./open-postgres.ts");
    const take = (fd: number) => importIntoPostgres(call, databaseUrl, linesOf(fd));
    return { place: placeOf(databaseUrl), take };
  }
  const into = existsSync(databaseFile(dataDir)) ? intoEmptyLedger : intoNewData;
  return { place: dataDir, take: (fd) => into(call, fd) };
}

async function intoEmptyLedger(call: Call, fd: number): Promise<RecordCounts> {
  const { isEmptyLedger } = await import("#stores/sqlite/transfer.ts");
  const driver = openDataFolder(call.config.dataDir);
  try {
    if (isEmptyLedger(driver)) return await intoSqlite(driver, call, fd);
    throw new ProblemDetails(
      `The data in ${call.config.dataDir} is not empty, and an import never mixes ledgers. Set DATA_DIR to a new folder.`,
    );
  } finally {
    driver.close();
  }
}

async function intoSqlite(driver: NodeSqlite, { now }: Call, fd: number): Promise<RecordCounts> {
  const { importSqlite } = await import("#stores/sqlite/transfer.ts");
  const take = async () => importSqlite(driver, linesOf(fd), now);
  return actHere(createSqliteDatabase(driver), "import", take, importedOutcome);
}

/** Built under another name: where the lines are no good, no half-made data folder is left to be misread. */
async function intoNewData(call: Call, fd: number): Promise<RecordCounts> {
  const { dataDir } = call.config;
  const file = databaseFile(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const fresh = beginFile(file);
  try {
    const driver = openNodeSqlite(fresh);
    let counts: RecordCounts;
    try {
      counts = await intoSqlite(driver, call, fd);
    } finally {
      driver.close();
    }
    giveToFolderOwner(fresh);
    syncPath(fresh);
    exchange(file, fresh, asideName(dataDir, call.now), false);
    syncPath(dataDir);
    return counts;
  } finally {
    dropFile(fresh);
  }
}

function recordSecret(call: Call, counts: RecordCounts): void {
  if (counts.secret !== undefined) {
    call.note(
      "The secret came with the lines. A server that runs on this data has another one: start it again.",
    );
  } else if (call.config.secrets === null) {
    call.note(
      "No secret came with the lines. Set SECRET to that of the service they are from, or its keys are refused.",
    );
  }
}

const presentImport = (counts: RecordCounts, place: string): Outcome => ({
  json: { counts, secretIncluded: counts.secret !== undefined },
  text: `${listed(counts)} imported into ${place}, and the books reconcile.\n`,
});
