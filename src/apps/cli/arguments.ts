import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import type { Config } from "#config/config.ts";
import { readAddress } from "#config/read-settings.ts";
import { hostOf, isLoopback } from "#hosts.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { nearestName } from "#tools/nearest-name.ts";
import { type Command, CommandError, type Parameter, type Remote, UsageError } from "./command.ts";
import { endOfDay, startOfDay } from "./text.ts";

/** Parses the command line. Throws a `UsageError` with one sentence for anything that is wrong. */
export type Arguments = {
  args: Record<string, unknown>;
  remote: string | undefined;
  json: boolean;
};

/** Options of every command. */
const COMMON = {
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  remote: { type: "string" },
} as const;

/** Parses the arguments after a command's name. */
export function readArguments(command: Command, rest: readonly string[]): Arguments {
  const parameters = Object.entries(command.parameters);
  const positionals = parameters.filter(([, { isPositional }]) => isPositional);
  const options = parameters.filter(([, { isPositional }]) => !isPositional);
  const parsed = parse(rest, {
    ...COMMON,
    ...Object.fromEntries(
      options.map(([name, { value }]) => [name, { type: value === null ? "boolean" : "string" }]),
    ),
  });
  checkPositionals(command, positionals, parsed.positionals);
  const args = parameters.map(([name, parameter]) => {
    const text = parameter.isPositional
      ? parsed.positionals.shift()
      : parsed.values[name]?.toString();
    return [name, parameter.read(text, `--${name}`)];
  });
  const remote = parsed.values["remote"] as string | undefined;
  return { args: Object.fromEntries(args), remote, json: parsed.values["json"] === true };
}

function parse(rest: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    // parseArgs would read a negative number as a short option.
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
    throw new UsageError(explainOptions(error as Error & { code?: string }, Object.keys(options)));
  }
}

const SHIELD = "\u0000";
const unshield = (value: string | boolean) =>
  typeof value === "string" && value.startsWith(SHIELD) ? value.slice(1) : value;

function explainOptions(error: Error & { code?: string }, known: string[]): string {
  const option = /'([^' ]+)[^']*'/.exec(error.message)?.[1] ?? "";
  if (error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const nearest = nearestName(option.replace(/^-+/, ""), known);
    return `Unknown option ${option}.${nearest === undefined ? "" : ` Did you mean --${nearest}?`}`;
  }
  if (error.code !== "ERR_PARSE_ARGS_INVALID_OPTION_VALUE") return error.message;
  const long = /--[a-z-]+/.exec(option)?.[0] ?? option;
  return /does not take an argument/.test(error.message)
    ? `${long} takes no value.`
    : `${long} requires a value.`;
}

function checkPositionals(
  { name }: Command,
  expected: readonly [string, Parameter<unknown>][],
  typed: readonly string[],
): void {
  const missing = expected.filter(([, { isRequired }]) => isRequired)[typed.length];
  if (missing !== undefined) throw new UsageError(`${name} requires ${missing[1].value}.`);
  const extra = typed[expected.length];
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}" for ${name}.`);
}

/**
 * Returns the service that `--remote` names, or null if it is not given. The token comes only from the
 * environment, because command arguments are visible to other users of the machine and stay in the shell history.
 */
export function readRemote(
  command: Command,
  typed: string | undefined,
  config: Pick<Config, "operatorTokens">,
): Remote | null {
  if (typed === undefined) return null;
  if (command.localOnly !== undefined) throw new CommandError(command.localOnly);
  const url = readServiceUrl(typed);
  const [first] = config.operatorTokens;
  if (first === undefined) {
    throw new CommandError(
      `The service at ${url} requires an operator token. Set TOOLBOOTH_OPERATOR_TOKEN in the environment to one of the service's tokens.`,
    );
  }
  return { url, token: first.token };
}

function readServiceUrl(text: string): string {
  const url = readAddress(text);
  if (url === null) {
    // The message does not repeat the text, which may contain a password.
    throw new UsageError(
      "--remote must be the URL of a service, such as https://tools.example.com, without user, password, query or fragment.",
    );
  }
  if (url.startsWith("http:") && !isLoopback(hostOf(url))) {
    throw new UsageError(
      "--remote uses http, which would send the token unencrypted. Use https. http is allowed only for this machine.",
    );
  }
  return url;
}

/** Parses a number of credits. `subject` starts the error message instead of the option's name. */
export const creditsFrom = (min: 0 | 1, subject?: string) => (text: string, name?: string) =>
  readInteger(text, subject ?? `${name}`, min, GRANT_CREDITS_MAX);

export const integerFrom = (min: number, max: number) => (text: string, name: string) =>
  readInteger(text, name, min, max);

function readInteger(text: string, subject: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`${subject} must be a whole number from ${min} to ${max}; got "${text}".`);
}

/** Returns the end, exclusive: a given time itself, or the UTC midnight after a given date. */
export function readEnd(text: string, name: string): number {
  const end = endOfDay(text) ?? readInstant(text);
  if (end !== undefined) return end;
  throw new UsageError(
    `${name} must be a date such as 2027-01-31 (which includes that day in UTC) or a time with its offset such as 2027-01-31T12:00:00Z; got "${text}".`,
  );
}

export type Day = { start: number; end: number };

export function readDay(text: string, name: string): Day {
  const [start, end] = [startOfDay(text), endOfDay(text)];
  if (start !== undefined && end !== undefined) return { start, end };
  throw new UsageError(`${name} must be a date such as 2027-01-31; got "${text}".`);
}

/** Parses ISO 8601 with an offset. Without an offset, the text would mean a different time on each machine. */
function readInstant(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i.exec(text);
  if (match === null || startOfDay(match[1] as string) === undefined) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
