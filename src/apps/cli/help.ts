import { commandLine, PROGRAM } from "#command-line.ts";
import { version } from "../node/runtime.ts";
import type { Command, Parameter } from "./command.ts";

/** Texts of `help`, `--help` and usage errors, all derived from the commands. */

/** Also the error of `backup` and `restore` with DATABASE_URL. */
export const USE_POSTGRES_TOOLS =
  "Back up PostgreSQL with its own tools: pg_dump while nodes run, pg_restore into an empty database, or continuous archiving for point-in-time recovery. See docs/backup.md. Unset DATABASE_URL to work on the data in DATA_DIR.";

export function helpOnAll(commands: readonly Command[]): string {
  return [
    `Toolbooth ${version} command line`,
    "",
    `Usage: ${PROGRAM} <command> [--remote URL] [--json]`,
    "",
    "Works on the data in DATA_DIR, on the PostgreSQL database in DATABASE_URL, or on a deployed service. The server can keep running.",
    "",
    "Commands:",
    ...listOf(commands),
    "",
    "<email> can also be the id of an account (acc_…), except where an account is created.",
    "",
    "Options:",
    "  --remote URL  Work on the service at this URL, with the token in TOOLBOOTH_OPERATOR_TOKEN",
    "  --json        Print one JSON object on standard output, and everything else on standard error",
    "  -h, --help    Show help for a command, with all its options",
    "  --version     Show the version",
    "",
    "Exit codes: 0 success, 1 error, 2 wrong usage.",
    "",
  ].join("\n");
}

/** Help on the commands that start with the same word, such as `key`. */
export function helpOnGroup(group: string, commands: readonly Command[]): string {
  return [
    `Usage: ${PROGRAM} ${group} <subcommand> [--remote URL] [--json]`,
    "",
    "Commands:",
    ...listOf(commands),
    "",
    `Details: ${commandLine(`${commands[0]?.name} --help`)}`,
    "",
  ].join("\n");
}

function listOf(commands: readonly Command[]): string[] {
  const lines = commands.map((command) => [briefUsageOf(command), command.summary] as const);
  const width = Math.max(...lines.map(([usage]) => usage.length));
  return lines.map(([usage, summary]) => `  ${usage.padEnd(width)}  ${summary}`);
}

export function helpOn(command: Command): string {
  const { summary, details = [], example, localOnly } = command;
  return [
    `Usage: ${PROGRAM} ${usageOf(command)}${localOnly === undefined ? " [--remote URL]" : ""} [--json]`,
    "",
    `${summary}.`,
    ...details.flatMap((paragraph) => ["", paragraph]),
    ...(localOnly === undefined ? [] : ["", `With --remote: ${localOnly}`]),
    "",
    `Example: ${PROGRAM} ${example}`,
    "",
  ].join("\n");
}

/** In the list of commands, several options stand as one word: with those of `key create` no line would fit a terminal. */
function briefUsageOf(command: Command): string {
  const options = Object.values(command.parameters).filter(
    ({ isPositional, isRequired }) => !isPositional && !isRequired,
  );
  if (options.length <= 2) return usageOf(command);
  const parameters = Object.entries(command.parameters).filter(
    ([, { isPositional, isRequired }]) => isPositional || isRequired,
  );
  return `${usageOf({ ...command, parameters: Object.fromEntries(parameters) })} [options]`;
}

export const usageOf = ({ name, parameters }: Command) =>
  [
    name,
    ...Object.entries(parameters).map(([option, each]) => usageOfParameter(option, each)),
  ].join(" ");

function usageOfParameter(
  name: string,
  { value, isPositional, isRequired }: Parameter<unknown>,
): string {
  if (isPositional) return `${value}`;
  const text = value === null ? `--${name}` : `--${name} ${value}`;
  return isRequired ? text : `[${text}]`;
}

/** The line after the message of a usage error. */
export const usageLine = (command: Command | undefined) =>
  command === undefined
    ? `For a list of commands, use: ${PROGRAM} help`
    : `Usage: ${PROGRAM} ${usageOf(command)}`;
