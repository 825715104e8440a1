#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import { AccountError } from "#accounts/people.ts";
import { readConfig } from "#config/config.ts";
import { ConfigError } from "#config/read-settings.ts";
import { DataFolderError } from "../node/data-folder.ts";
import { findCommand, readTyped } from "./arguments.ts";
import { type Command, type Outcome, ProblemDetails, WrongUsage } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { helpOn, helpOnAll, usageLine, usageOf } from "./help.ts";
import { readRemote } from "./remote/address.ts";

/**
 * The operator's command line: `npm run toolbooth -- <command>`, on the data of servers that may be running.
 * With --json standard output has exactly one JSON object, and everything else is on standard error.
 * Exit codes: 0 done, 1 refused, 2 wrong usage.
 */
async function main(typed: readonly string[]): Promise<void> {
  const json = typed.includes("--json");
  let command: Command | undefined;
  try {
    if (isHelpWanted(typed)) return say(json, help(typed));
    if (typed.length === 0) throw new WrongUsage("A command is needed.");
    const found = findCommand(typed, COMMANDS);
    command = found.command;
    say(json, await run(command, found.rest));
  } catch (error) {
    fail(json, error, command);
  }
}

async function run(command: Command, rest: readonly string[]): Promise<Outcome> {
  const { given, remote, json } = readTyped(command, rest);
  const config = readConfig(process.env);
  const note = (line: string) => process.stderr.write(`${line}\n`);
  const call = { config, remote: readRemote(command, remote, config), json, now: Date.now(), note };
  return command.run(call, given);
}

function say(json: boolean, { json: object, text, exitCode = 0 }: Outcome): void {
  process.stdout.write(json ? `${JSON.stringify(object)}\n` : text);
  process.exitCode = exitCode;
}

function fail(json: boolean, error: unknown, command: Command | undefined): void {
  const wrongUsage = error instanceof WrongUsage;
  const sentence = explain(error);
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, error: sentence })}\n`);
  else process.stderr.write(`${sentence}\n`);
  if (wrongUsage) process.stderr.write(`${usageLine(command)}\n`);
  process.exitCode = wrongUsage ? 2 : 1;
}

const isHelpWanted = (typed: readonly string[]) =>
  typed.find((word) => !word.startsWith("-")) === "help" ||
  typed.includes("--help") ||
  typed.includes("-h");

/** `help`, `help key create` and `key create --help` alike. */
function help(typed: readonly string[]): Outcome {
  const words = typed.filter((word) => word !== "help" && !word.startsWith("-"));
  const shown = words.length === 0 ? COMMANDS : [findCommand(words, COMMANDS).command];
  const [only] = shown;
  return {
    json: {
      commands: shown.map((one) => ({ name: one.name, usage: usageOf(one), summary: one.summary })),
    },
    text: words.length === 0 || only === undefined ? helpOnAll(COMMANDS) : helpOn(only),
  };
}

const EXPECTED = [ProblemDetails, WrongUsage, AccountError, DataFolderError];

/** One sentence for whatever went wrong; only what nobody has thought of comes with its stack, on standard error. */
function explain(error: unknown): string {
  if (EXPECTED.some((kind) => error instanceof kind)) return (error as Error).message;
  if (error instanceof ConfigError)
    return `The settings are not right: ${error.message.replaceAll("\n", " ")}`;
  const { code, errcode, path, message } = error as NodeJS.ErrnoException & { errcode?: number };
  switch (Number(errcode) & 0xff) {
    case 5:
      return "The database is locked by another process for too long. Try again.";
    case 11:
    case 26:
      return "The database is damaged. Run audit to see where, and restore a backup.";
    case 13:
      return "The disk is full. Make room and try again; what was begun is undone.";
  }
  switch (code) {
    case "ENOENT":
      return `There is no ${path}.`;
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `This user may not read or write ${path}.`;
    case "EISDIR":
    case "ENOTDIR":
      return `${path ?? "What was named"} is not a file.`;
    case "ENOSPC":
      return "The disk is full. Make room and try again; what was begun is undone.";
    case "EPIPE":
      return "The reader of standard output went away before the end.";
  }
  process.stderr.write(`${(error as Error).stack ?? error}\n`);
  return `The command failed: ${message ?? error}`;
}

await main(process.argv.slice(2));
