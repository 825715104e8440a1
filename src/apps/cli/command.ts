import type { Config } from "#config/config.ts";
import type { RecordCounts } from "#ledger/transfer/records.ts";
import type { OperatorClient } from "#operator/operations.ts";

/** A command of the command line. */
export type Command = {
  /** One or two words: `audit`, `key create`. */
  name: string;
  /** One line for the list of commands, without a period. */
  summary: string;
  /** More paragraphs for `--help`. */
  details?: readonly string[];
  /** A complete example, starting with the command's name. */
  example: string;
  /** In the order of the usage line. Users type the name of an option; the name of a positional is internal. */
  parameters: Readonly<Record<string, Parameter<unknown>>>;
  /** Why the command cannot run with `--remote`, and what to do instead. Undefined for commands that can. */
  localOnly?: string;
  // biome-ignore lint/suspicious/noExplicitAny: `command` and `fileCommand` check the type of `args`.
  run(invocation: Invocation, args: any): Promise<Outcome>;
};

/** How the command line was started: configuration, common options and time. */
export type Invocation = {
  config: Config;
  /** The service to work on. Null for the data in DATA_DIR or DATABASE_URL. */
  remote: Remote | null;
  json: boolean;
  now: number;
  /** Writes a line to standard error. */
  log(line: string): void;
};

/** A service that is reached over the network, and the operator's token for it. */
export type Remote = { url: string; token: string };

/** What a command works on: the data folder, a PostgreSQL database or a remote service, with the same operations. */
export type Deployment = {
  /** Its name in messages: the data folder, the database or the URL. */
  place: string;
  client: OperatorClient;
  /** Writes all data as JSON lines. */
  exportLines(withSecret: boolean, write: (bytes: Uint8Array) => void): Promise<RecordCounts>;
  /** A warning about the links in emails, with a leading space; empty if the links are right. */
  linkWarning: string;
  /** Returns an error with a message for the operator, or the same error. */
  explain?(error: unknown): unknown;
  close(): Promise<void>;
};

/** A running command with its open deployment. */
export type Session = Invocation & Deployment;

/** `text` is printed as it is; `--json` prints `json` instead. */
export type Outcome = { json: object; text: string; exitCode?: 0 | 1 };

/** The command is valid but failed: exit code 1. The message is for the operator. */
export class CommandError extends Error {}
/** The command line is invalid: exit code 2. */
export class UsageError extends Error {}

/** A positional parameter or an option, with or without a value. */
export type Parameter<Value> = {
  /** The placeholder in the usage line: `<email>` for a positional, `N` for the value of an option; null for a flag. */
  value: string | null;
  isPositional: boolean;
  isRequired: boolean;
  /** Parses the text; `name` is the option as typed. Throws `UsageError` if the text is not valid. */
  read(text: string | undefined, name: string): Value;
};

const asTyped = (text: string) => text;

export const positional = <Value = string>(
  value: string,
  read: (text: string) => Value = asTyped as never,
): Parameter<Value> => ({
  value,
  isPositional: true,
  isRequired: true,
  read: (text) => read(text as string),
});

export const optionalPositional = (value: string): Parameter<string | undefined> => ({
  value,
  isPositional: true,
  isRequired: false,
  read: (text) => text,
});

export const option = <Value = string>(
  value: string,
  read: (text: string, name: string) => Value = asTyped as never,
): Parameter<Value | undefined> => ({
  value,
  isPositional: false,
  isRequired: false,
  read: (text, name) => (text === undefined ? undefined : read(text, name)),
});

/** `hint` follows "--name is required: " if the option is missing. */
export const requiredOption = <Value = string>(
  value: string,
  hint: string,
  read: (text: string, name: string) => Value = asTyped as never,
): Parameter<Value> => ({
  value,
  isPositional: false,
  isRequired: true,
  read(text, name) {
    if (text === undefined) throw new UsageError(`${name} is required: ${hint}`);
    return read(text, name);
  },
});

export const flag: Parameter<boolean> = {
  value: null,
  isPositional: false,
  isRequired: false,
  read: (text) => text !== undefined,
};

/** The declaration of a command, with parameters of the types that its `run` expects. */
export type Declaration<Args> = Omit<Command, "parameters" | "run"> & {
  parameters: { [Name in keyof Args]: Parameter<Args[Name]> };
};

/** A command that opens files and data itself. Commands that work on a deployment use `command`. */
export const fileCommand = <Args>(
  declaration: Declaration<Args> & { run(invocation: Invocation, args: Args): Promise<Outcome> },
): Command => declaration;
