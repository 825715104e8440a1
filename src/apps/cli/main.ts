#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import { AccountError } from "#accounts/accounts.ts";
import { readConfig } from "#config/config.ts";
import { ConfigError } from "#config/read-settings.ts";
import { DataFolderError } from "../node/data-folder.ts";
import { readArguments, readRemote } from "./arguments.ts";
import { type Command, CommandError, type Outcome, UsageError } from "./command.ts";
import { COMMANDS, findCommand } from "./commands.ts";
import { helpOn, helpOnAll, usageLine, usageOf } from "./help.ts";

/**
 * The operator's command line: `npm run toolbooth -- <command>`. Servers on the same data may be running.
 * With --json it writes exactly one JSON object to standard output, and everything else to standard error.
 * Exit codes: 0 success, 1 error, 2 wrong usage.
 */
async function main(typed: readonly string[]): Promise<void> {
  const json = typed.includes("--json");
  let command: Command | undefined;
  try {
    if (isHelpRequested(typed)) return print(json, help(typed));
    if (typed.length === 0) throw new UsageError("No command given.");
    const found = findCommand(typed);
    command = found.command;
    print(json, await run(command, found.rest));
  } catch (error) {
    fail(json, error, command);
  }
}

async function run(command: Command, rest: readonly string[]): Promise<Outcome> {
  const { args, remote, json } = readArguments(command, rest);
  const config = readConfig(process.env);
  const invocation = {
    config,
    remote: readRemote(command, remote, config),
    json,
    now: Date.now(),
    log: (line: string) => void process.stderr.write(`${line}\n`),
  };
  return command.run(invocation, args);
}

function print(json: boolean, { json: object, text, exitCode = 0 }: Outcome): void {
  process.stdout.write(json ? `${JSON.stringify(object)}\n` : text);
  process.exitCode = exitCode;
}

function fail(json: boolean, error: unknown, command: Command | undefined): void {
  const isUsageError = error instanceof UsageError;
  const message = explain(error);
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, error: message })}\n`);
  else process.stderr.write(`${message}\n`);
  if (isUsageError) process.stderr.write(`${usageLine(command)}\n`);
  process.exitCode = isUsageError ? 2 : 1;
}

const isHelpRequested = (typed: readonly string[]) =>
  typed.find((word) => !word.startsWith("-")) === "help" ||
  typed.includes("--help") ||
  typed.includes("-h");

/** Serves `help`, `help key create` and `key create --help`. */
function help(typed: readonly string[]): Outcome {
  const words = typed.filter((word) => word !== "help" && !word.startsWith("-"));
  const only = words.length === 0 ? undefined : findCommand(words).command;
  const shown = only === undefined ? COMMANDS : [only];
  return {
    json: {
      commands: shown.map((one) => ({ name: one.name, usage: usageOf(one), summary: one.summary })),
    },
    text: only === undefined ? helpOnAll(COMMANDS) : helpOn(only),
  };
}

const EXPECTED = [CommandError, UsageError, AccountError, DataFolderError];

/** Returns the message for the operator. Unexpected errors are also written to standard error with their stack. */
function explain(error: unknown): string {
  if (EXPECTED.some((kind) => error instanceof kind)) return (error as Error).message;
  if (error instanceof ConfigError)
    return `The configuration is invalid: ${error.message.replaceAll("\n", " ")}`;
  const { code, errcode, path, message } = error as NodeJS.ErrnoException & { errcode?: number };
  return (
    explainSqlite(Number(errcode) & 0xff) ??
    explainSystem(code, path ?? "The path") ??
    explainUnexpected(error as Error, message)
  );
}

const DISK_FULL =
  "The disk is full. Free some space and run the command again; unfinished changes were rolled back.";

function explainSqlite(code: number): string | null {
  switch (code) {
    case 5:
      return "Another process has locked the database for too long. Try again.";
    case 11:
    case 26:
      return "The database is damaged. Run audit for details, and restore a backup.";
    case 13:
      return DISK_FULL;
  }
  return null;
}

function explainSystem(code: string | undefined, path: string): string | null {
  switch (code) {
    case "ENOENT":
      return `${path} does not exist.`;
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `Permission denied: ${path}.`;
    case "EISDIR":
    case "ENOTDIR":
      return `${path} is not a file.`;
    case "ENOSPC":
      return DISK_FULL;
    case "EPIPE":
      return "The program that reads standard output stopped before the end.";
  }
  return null;
}

function explainUnexpected(error: Error, message: string | undefined): string {
  process.stderr.write(`${error.stack ?? error}\n`);
  return `The command failed: ${message ?? error}`;
}

await main(process.argv.slice(2));
