import type { Config } from "#config.ts";
import type { Remote } from "./remote/address.ts";

/** What a command of the command line is, what it is given and what it gives. */
export type Command = {
  /** One or two words: `audit`, `key create`. */
  name: string;
  summary: string;
  /** More that `--help` says, a paragraph each. */
  details?: readonly string[];
  /** The words after the name in a call that works. */
  example: string;
  /** What follows the name, in the order in which the usage shows it: words by any name, options by their own. */
  takes: Readonly<Record<string, Argument<unknown>>>;
  /** Why it works on the data of this machine alone, and what to do instead; left out, it works everywhere. */
  hereOnly?: string;
  // biome-ignore lint/suspicious/noExplicitAny: `command` below has the types of each.
  run(call: Call, given: any): Promise<Outcome>;
};

/** A command whose `run` is given what `takes` says. */
export const command = <Given>(
  its: Omit<Command, "takes" | "run"> & {
    takes: { [Name in keyof Given]: Argument<Given[Name]> };
    run(call: Call, given: Given): Promise<Outcome>;
  },
): Command => its as unknown as Command;

/** A word or an option; `read` throws `WrongUsage` for what cannot be its value. */
export type Argument<Value> = {
  /** As the usage shows it: a word `<email>`, what follows an option `N`; null for an option that has no value. */
  value: string | null;
  isWord: boolean;
  isRequired: boolean;
  /** `name`: the option as it is typed. */
  read(text: string | undefined, name: string): Value;
};

const asTyped = (text: string) => text;

export const word = <Value = string>(
  value: string,
  read: (text: string) => Value = asTyped as never,
): Argument<Value> => ({
  ...{ value, isWord: true, isRequired: true, read: (text) => read(text as string) },
});

export const optionalWord = (value: string): Argument<string | undefined> => ({
  ...{ value, isWord: true, isRequired: false, read: (text) => text },
});

export const option = <Value = string>(
  value: string,
  read: (text: string, name: string) => Value = asTyped as never,
): Argument<Value | undefined> => ({
  ...{ value, isWord: false, isRequired: false },
  read: (text, name) => (text === undefined ? undefined : read(text, name)),
});

/** `what`: said after the option's name where it is missing. */
export const requiredOption = <Value = string>(
  value: string,
  what: string,
  read: (text: string, name: string) => Value = asTyped as never,
): Argument<Value> => ({
  ...{ value, isWord: false, isRequired: true },
  read(text, name) {
    if (text === undefined) throw new WrongUsage(`${name} is needed: ${what}`);
    return read(text, name);
  },
});

export const flag: Argument<boolean> = {
  ...{ value: null, isWord: false, isRequired: false, read: (text) => text !== undefined },
};

export type Call = {
  config: Config;
  /** The service that the command is about; null: the data in DATA_DIR or DATABASE_URL. */
  remote: Remote | null;
  json: boolean;
  now: number;
  /** Says something beside the result: a line on stderr. */
  note(line: string): void;
};

/** `text` is for people and goes out as it is; `json` is the one object that `--json` prints. */
export type Outcome = { json: object; text: string; exitCode?: 0 | 1 };

/** The command is right, but cannot be done: exit 1. The message is one for the operator. */
export class Refusal extends Error {}
/** The command itself is wrong: exit 2. */
export class WrongUsage extends Error {}
