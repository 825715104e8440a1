import { AccountError } from "#accounts/accounts.ts";
import { PROGRAM, quotedCommand } from "#command-line.ts";
import { readConfig } from "#config/config.ts";
import { ConfigError } from "#config/read-settings.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { OutcomeNotRecorded } from "#operator/perform.ts";
import { version } from "../node/runtime.ts";
import { readArguments, readRemote } from "./arguments.ts";
import { type Command, CommandError, type Outcome, UsageError } from "./command.ts";
import { COMMANDS, findCommand, groupOf, wordsOf } from "./commands.ts";
import { helpOn, helpOnAll, helpOnGroup, usageLine, usageOf } from "./help.ts";

/** Where a command line writes. */
export type Terminal = { stdout(text: string): void; stderr(text: string): void };

/**
 * Runs what the operator typed and returns the exit code: 0 success, 1 error, 2 wrong usage. With --json it writes exactly one
 * JSON object to standard output, and everything else to standard error.
 */
export async function runCommandLine(
  typed: readonly string[],
  env: Record<string, string | undefined>,
  screen: Terminal,
): Promise<0 | 1 | 2> {
  const json = typed.includes("--json");
  const terminal = withRemoteInCommands(typed, screen);
  let command: Command | undefined;
  try {
    if (isHelpRequested(typed)) return print(terminal, json, help(typed));
    if (typed.includes("--version"))
      return print(terminal, json, { json: { version }, text: `${version}\n` });
    const found = findCommand(typed);
    command = found.command;
    return print(terminal, json, await run(command, found.rest, env, terminal));
  } catch (error) {
    return fail(terminal, json, error, command, env["TOOLBOOTH_LOG_LEVEL"] === "debug");
  }
}

async function run(
  command: Command,
  rest: readonly string[],
  env: Record<string, string | undefined>,
  { stderr }: Terminal,
): Promise<Outcome> {
  const { args, remote, json } = readArguments(command, rest);
  const config = readConfig(env);
  const invocation = {
    config,
    remote: readRemote(command, remote, config),
    json,
    now: Date.now(),
    log: (line: string) => stderr(`${line}\n`),
  };
  return command.run(invocation, args);
}

function print(
  { stdout }: Terminal,
  json: boolean,
  { json: object, text, exitCode = 0 }: Outcome,
): 0 | 1 {
  stdout(json ? `${JSON.stringify(object)}\n` : text);
  return exitCode;
}

/** Without the stack, which helps only developers. */
const unexpected = (error: unknown) =>
  `The command failed because of an unexpected error (${(error as Error).message ?? error}). Please report it, with the lines that TOOLBOOTH_LOG_LEVEL=debug adds.`;

async function fail(
  { stdout, stderr }: Terminal,
  json: boolean,
  error: unknown,
  command: Command | undefined,
  isDebugging: boolean,
): Promise<1 | 2> {
  const message = await explain(error);
  if (message === null && isDebugging) stderr(`${(error as Error).stack ?? error}\n`);
  const shown = message ?? unexpected(error);
  if (json) stdout(`${JSON.stringify({ ok: false, error: shown })}\n`);
  else stderr(`${shown}\n`);
  if (!(error instanceof UsageError)) return 1;
  stderr(`${usageLine(command)}\n`);
  return 2;
}

/** Nothing but options counts too, because a user who types only the name of the program wants to see what it can do. */
function isHelpRequested(typed: readonly string[]): boolean {
  const [first, second] = wordsOf(typed);
  return (
    typed.includes("--help") ||
    typed.includes("-h") ||
    first === "help" ||
    (first === undefined && !typed.includes("--version")) ||
    (second === "help" && groupOf(first as string).length > 0)
  );
}

/** Serves `help`, `help key`, `key --help`, `help key create` and `key create --help`. */
function help(typed: readonly string[]): Outcome {
  const words = wordsOf(typed).filter((word) => word !== "help");
  const [first, second] = words;
  if (first === undefined) {
    const [unknown] = typed.filter((word) => word.startsWith("-") && !isKnownAlone(word));
    if (unknown !== undefined)
      throw new UsageError(`${unknown} needs a command. Options follow the command's name.`);
    return helpOf(COMMANDS, helpOnAll(COMMANDS));
  }
  const group = groupOf(first);
  if (second === undefined && group.length > 0) return helpOf(group, helpOnGroup(first, group));
  const { command } = findCommand(words);
  return helpOf([command], helpOn(command));
}

const isKnownAlone = (option: string) =>
  ["--json", "--help", "-h", "--", "--remote"].includes(option) || option.startsWith("--remote=");

const helpOf = (commands: readonly Command[], text: string): Outcome => ({
  json: {
    commands: commands.map((one) => ({
      name: one.name,
      usage: usageOf(one),
      summary: one.summary,
    })),
  },
  text,
});

/** The commands that messages print work on the same service if it was named by an option. */
function withRemoteInCommands(typed: readonly string[], screen: Terminal): Terminal {
  const at = typed.indexOf("--remote");
  const url = at < 0 ? undefined : typed[at + 1];
  // Anything else than a plain URL would have to be quoted, and is rejected.
  if (url === undefined || !/^https?:\/\/[\w.:/[\]-]+$/.test(url)) return screen;
  const replaced = (text: string) => text.replaceAll(`${PROGRAM} `, `${PROGRAM} --remote ${url} `);
  return {
    stdout: (text) => screen.stdout(replaced(text)),
    stderr: (text) => screen.stderr(replaced(text)),
  };
}

/** Returns the message for the operator, or null if the error is unexpected. */
async function explain(error: unknown): Promise<string | null> {
  if (
    [CommandError, UsageError, AccountError, OutcomeNotRecorded].some(
      (kind) => error instanceof kind,
    )
  )
    return (error as Error).message;
  if (error instanceof NotCarriedOut && error.cause instanceof Error) return explain(error.cause);
  if (error instanceof ConfigError)
    return `The configuration is invalid: ${error.message.replaceAll("\n", " ")}`;
  // Imported here because it loads SQLite, which most command lines with an error have not needed.
  const { DataFolderError } = await import("../node/data-folder.ts");
  if (error instanceof DataFolderError) return error.message;
  const { code, errcode, path } = error as NodeJS.ErrnoException & { errcode?: number };
  const explained =
    explainSqlite(Number(errcode) & 0xff) ?? explainSystem(code, path ?? "The path");
  if (explained !== null || !(error instanceof Error) || error.cause === undefined)
    return explained;
  return explain(error.cause);
}

const DISK_FULL =
  "The disk is full. Free some space and run the command again; unfinished work was undone.";

function explainSqlite(code: number): string | null {
  switch (code) {
    case 1:
      return "The schema of the database is damaged or of another version, so the command cannot read it. Restore a backup.";
    case 5:
      return "Another process has locked the database for too long. Try again.";
    case 11:
    case 26:
      return `The database is damaged. Restore a backup with ${quotedCommand("restore <file>")}. Without a recent one, salvage the file with sqlite3 as docs/runbooks.md describes.`;
    case 8:
      return "The database is read-only for this user. Run the command as the user that runs the server.";
    case 10:
      return "The disk is full or does not work (disk I/O error). Free some space, check the log of the system, and run the command again; unfinished work was undone.";
    case 13:
      return DISK_FULL;
    case 14:
      return "A database file cannot be opened or created. Check that its folder exists, is writable for this user and has free space.";
  }
  return null;
}

function explainSystem(code: string | undefined, path: string): string | null {
  switch (code) {
    case "ENOENT":
      return `${path} does not exist.`;
    case "EACCES":
    case "EPERM":
      return `Permission denied: ${path}.`;
    case "EROFS":
      return `The file system is read-only: ${path}.`;
    case "EISDIR":
    case "ENOTDIR":
      return `${path} is not a file.`;
    case "ENOSPC":
    case "EDQUOT":
      return DISK_FULL;
    case "EIO":
      return `The disk does not work (I/O error): ${path}. Check the disk and the log of the system.`;
    case "EMFILE":
    case "ENFILE":
      return "The command may not open more files. Raise the limit on open files (ulimit -n).";
    case "EPIPE":
      return "The program that reads standard output stopped before the end.";
  }
  return null;
}
