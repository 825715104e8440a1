import { version } from "../node/app-context.ts";
import type { Command } from "./command.ts";
import type { Argument } from "./takes.ts";

/** What `help`, `--help` and a wrong usage say. Everything comes from the commands themselves. */
const CALL = "npm run -s toolbooth --";

export function helpOnAll(commands: readonly Command[]): string {
  const lines = commands.map((command) => [usageOf(command), command.summary] as const);
  const width = Math.max(...lines.map(([usage]) => usage.length));
  return [
    `Toolbooth ${version}, the operator's command line. It works on the data in DATA_DIR, or in the PostgreSQL that DATABASE_URL names, beside running servers, or on a service at an address.`,
    "",
    `Usage: ${CALL} <command> [--remote URL] [--json]`,
    "",
    ...lines.map(([usage, summary]) => `  ${usage.padEnd(width)}  ${summary}`),
    "",
    "With --remote (or TOOLBOOTH_REMOTE) a command works on the service at that address; the token is read from TOOLBOOTH_OPERATOR_TOKEN.",
    "With --json a command prints one JSON object. Exit codes: 0 done, 1 refused, 2 wrong usage.",
    `More on one of them: ${CALL} <command> --help`,
    "",
  ].join("\n");
}

export function helpOn(command: Command): string {
  return [
    `Usage: ${CALL} ${usageOf(command)}${command.hereOnly === undefined ? " [--remote URL]" : ""} [--json]`,
    "",
    `${command.summary}.`,
    ...(command.details ?? []).flatMap((paragraph) => ["", paragraph]),
    ...(command.hereOnly === undefined
      ? []
      : ["", `With --remote: ${command.name} ${command.hereOnly}`]),
    "",
    `Example: ${CALL} ${command.example}`,
    "",
  ].join("\n");
}

export const usageOf = ({ name, takes }: Command) =>
  [name, ...Object.entries(takes).map(([option, its]) => shownAs(option, its))].join(" ");

function shownAs(name: string, { value, isWord, isRequired }: Argument<unknown>): string {
  if (isWord) return `${value}`;
  const text = value === null ? `--${name}` : `--${name} ${value}`;
  return isRequired ? text : `[${text}]`;
}

/** The line under the sentence that says what is wrong. */
export const usageLine = (command: Command | undefined) =>
  command === undefined ? `See: ${CALL} help` : `Usage: ${CALL} ${usageOf(command)}`;
