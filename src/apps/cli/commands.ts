import { nearestName } from "#tools/nearest-name.ts";
import { ACCOUNT_COMMANDS } from "./accounts.ts";
import { ACTIVITY_COMMANDS } from "./activity.ts";
import { CALL_COMMANDS } from "./calls.ts";
import { type Command, UsageError } from "./command.ts";
import { CREDITS_COMMANDS } from "./credits.ts";
import { DATA_COMMANDS } from "./data.ts";
import { KEY_COMMANDS } from "./keys.ts";
import { PAYMENT_COMMANDS } from "./payments.ts";
import { REPORT_COMMANDS } from "./report.ts";

/** All commands, in the order of `help`. */
export const COMMANDS: readonly Command[] = [
  ...ACCOUNT_COMMANDS,
  ...KEY_COMMANDS,
  ...CREDITS_COMMANDS,
  ...CALL_COMMANDS,
  ...PAYMENT_COMMANDS,
  ...REPORT_COMMANDS,
  ...DATA_COMMANDS,
  ...ACTIVITY_COMMANDS,
];

/** The words that are not options: options may come before the command, and `--remote` has a value. */
export const wordsOf = (typed: readonly string[]): string[] =>
  typed.filter((word, at) => !word.startsWith("-") && typed[at - 1] !== "--remote");

/** The commands that start with this word and have a second one. */
export const groupOf = (word: string): Command[] =>
  COMMANDS.filter(({ name }) => name.startsWith(`${word} `));

/** Returns the command that the first words name, and the other words. Throws `UsageError` if there is no such command. */
export function findCommand(typed: readonly string[]): { command: Command; rest: string[] } {
  const [first = "", second] = wordsOf(typed);
  for (const name of second === undefined ? [first] : [`${first} ${second}`, first]) {
    const command = COMMANDS.find((known) => known.name === name);
    if (command !== undefined) return { command, rest: without(typed, name.split(" ")) };
  }
  throw new UsageError(explainUnknown(first, second));
}

function without(typed: readonly string[], names: readonly string[]): string[] {
  const rest = [...typed];
  for (const name of names) rest.splice(rest.indexOf(name), 1);
  return rest;
}

/** Finds `key create` for `create key` and `create-key`. */
function nearestOfOtherOrder(first: string, second: string | undefined, names: string[]) {
  const [verb = "", noun = second] = first.split(/[-:]/);
  return noun === undefined ? undefined : nearestName(`${noun} ${verb}`, names);
}

function explainUnknown(first: string, second: string | undefined): string {
  const names = COMMANDS.map(({ name }) => name);
  const subcommands = names.filter((name) => name.startsWith(`${first} `));
  if (subcommands.length > 0 && second === undefined)
    return `"${first}" needs a subcommand: ${subcommands.join(", ")}.`;
  const typed = second === undefined ? first : `${first} ${second}`;
  const groups = new Set(names.map((name) => name.split(" ")[0] as string));
  const nearest =
    (second === undefined ? nearestName(first, [...groups]) : undefined) ??
    nearestName(typed, subcommands.length > 0 ? subcommands : names) ??
    nearestOfOtherOrder(first, second, names) ??
    nearestName(first, [...groups]);
  const unknown = subcommands.length > 0 || nearest?.includes(" ") ? typed : first;
  const remedy =
    nearest === undefined ? `Commands: ${names.join(", ")}.` : `Did you mean "${nearest}"?`;
  return `Unknown command "${unknown}". ${remedy}`;
}
