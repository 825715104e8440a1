import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { nearestName } from "#tools/nearest-name.ts";
import { type Command, WrongUsage } from "./command.ts";
import type { Argument } from "./takes.ts";
import { endOfDay, startOfDay } from "./text.ts";

/** What was typed after `toolbooth`, taken apart. Whatever is wrong with it is `WrongUsage`, in one sentence. */
export type Typed = {
  given: Record<string, unknown>;
  remote: string | undefined;
  json: boolean;
};

/** The command that the first words name, and what follows it; help is asked for without a command as well. */
export function findCommand(
  typed: readonly string[],
  commands: readonly Command[],
): { command: Command; rest: string[] } {
  // The value of an option may stand before the command too.
  const words = typed.filter((word, at) => !word.startsWith("-") && typed[at - 1] !== "--remote");
  const [first = "", second] = words;
  for (const name of second === undefined ? [first] : [`${first} ${second}`, first]) {
    const command = commands.find((known) => known.name === name);
    if (command !== undefined) return { command, rest: without(typed, name.split(" ")) };
  }
  throw new WrongUsage(explainUnknown(first, second, commands));
}

function without(typed: readonly string[], names: readonly string[]): string[] {
  const rest = [...typed];
  for (const name of names) rest.splice(rest.indexOf(name), 1);
  return rest;
}

function explainUnknown(
  first: string,
  second: string | undefined,
  commands: readonly Command[],
): string {
  const names = commands.map(({ name }) => name);
  const themes = names.filter((name) => name.startsWith(`${first} `));
  if (themes.length > 0 && second === undefined)
    return `"${first}" needs another word: ${themes.join(", ")}.`;
  const given = second === undefined ? first : `${first} ${second}`;
  const nearest =
    nearestName(given, themes.length > 0 ? themes : names) ??
    nearestName(
      first,
      names.filter((name) => !name.includes(" ")),
    );
  const remedy =
    nearest === undefined ? `Commands: ${names.join(", ")}.` : `Did you mean "${nearest}"?`;
  return `"${themes.length > 0 || nearest?.includes(" ") ? given : first}" is no command. ${remedy}`;
}

/** Options that every command knows. */
const COMMON = {
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  remote: { type: "string" },
} as const;

/** Reads what was typed after a command's name, before anything else is looked at. */
export function readTyped(command: Command, rest: readonly string[]): Typed {
  const isWord = ([, { isWord }]: [string, Argument<unknown>]) => isWord;
  const takes = Object.entries(command.takes);
  const [words, others] = [takes.filter(isWord), takes.filter((each) => !isWord(each))];
  const { values, positionals } = parse(rest, {
    ...COMMON,
    ...Object.fromEntries(
      others.map(([name, { value }]) => [name, { type: value === null ? "boolean" : "string" }]),
    ),
  });
  checkWords(command, words, positionals);
  const given = takes.map(([name, argument]) => {
    const typed = argument.isWord ? positionals.shift() : values[name]?.toString();
    return [name, argument.read(typed, `--${name}`)];
  });
  const remote = values["remote"] as string | undefined;
  return { given: Object.fromEntries(given), remote, json: values["json"] === true };
}

function parse(rest: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    // A negative number is a value that will be refused by what it means, not an option of one letter.
    const args = rest.map((word) => (/^-\d/.test(word) ? `${SHIELD}${word}` : word));
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const plain = Object.entries(values).map(([name, value]) => [
      name,
      unshield(value as string | boolean),
    ]);
    return {
      values: Object.fromEntries(plain) as Record<string, string | boolean | undefined>,
      positionals: positionals.map((word) => unshield(word) as string),
    };
  } catch (error) {
    throw new WrongUsage(explainOptions(error as Error & { code?: string }, Object.keys(options)));
  }
}

const SHIELD = "\u0000";
const unshield = (value: string | boolean) =>
  typeof value === "string" && value.startsWith(SHIELD) ? value.slice(1) : value;

function explainOptions(error: Error & { code?: string }, known: string[]): string {
  const option = /'([^' ]+)[^']*'/.exec(error.message)?.[1] ?? "";
  if (error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const nearest = nearestName(option.replace(/^-+/, ""), known);
    return `There is no option ${option} here.${nearest === undefined ? "" : ` Did you mean --${nearest}?`}`;
  }
  if (error.code !== "ERR_PARSE_ARGS_INVALID_OPTION_VALUE") return error.message;
  const long = /--[a-z-]+/.exec(option)?.[0] ?? option;
  return /does not take an argument/.test(error.message)
    ? `${long} takes no value.`
    : `${long} needs a value.`;
}

function checkWords(
  { name }: Command,
  known: readonly [string, Argument<unknown>][],
  words: readonly string[],
): void {
  const missing = known.filter(([, { isRequired }]) => isRequired)[words.length];
  if (missing !== undefined) throw new WrongUsage(`${name} needs ${missing[1].value}.`);
  const extra = words[known.length];
  if (extra !== undefined) throw new WrongUsage(`"${extra}" is one word too many for ${name}.`);
}

/** Reads a number of credits; `what` begins the sentence that refuses it, in place of the option's name. */
export const creditsFrom = (min: 0 | 1, what?: string) => (text: string, name?: string) =>
  readWhole(text, what ?? `${name}`, min, GRANT_CREDITS_MAX);

export const wholeFrom = (min: number, max: number) => (text: string, name: string) =>
  readWhole(text, name, min, max);

function readWhole(text: string, what: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new WrongUsage(`${what} must be a whole number from ${min} to ${max}; got "${text}".`);
}

/** The first millisecond that is too late: an instant itself, or the midnight in UTC that ends a day. */
export function readEnd(text: string, what: string): number {
  const end = endOfDay(text) ?? readInstant(text);
  if (end !== undefined) return end;
  throw new WrongUsage(
    `${what} must be a day (2027-01-31, to its end in UTC) or an instant with its offset (2027-01-31T12:00:00Z); got "${text}".`,
  );
}

export type Day = { start: number; end: number };

export function readDay(text: string, what: string): Day {
  const [start, end] = [startOfDay(text), endOfDay(text)];
  if (start !== undefined && end !== undefined) return { start, end };
  throw new WrongUsage(`${what} must be a day as in 2027-01-31; got "${text}".`);
}

/** ISO 8601 with an offset: without one it would mean another moment on another machine. */
function readInstant(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i.exec(text);
  if (match === null || startOfDay(match[1] as string) === undefined) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
