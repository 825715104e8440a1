import type { ParseArgsOptionsConfig } from "node:util";
import type { Config } from "#config.ts";
import type { Remote } from "./cli-remote-address.ts";

/** What a command of the command line is, what it is given and what it gives. */
export type Command = {
  /** One or two words: `audit`, `key create`. */
  name: string;
  /** What follows the name, as the usage shows it. */
  form: string;
  summary: string;
  /** More that `--help` says, a paragraph each. */
  details?: readonly string[];
  /** The words after the name in a call that works. */
  example: string;
  /** Names of the words that must follow; those in `[]` may. */
  words: readonly string[];
  options?: ParseArgsOptionsConfig;
  /** Where it works: on the data here and on a deployed service, or, where it says so, on one of them alone. */
  only?: { on: "data" | "remote"; otherwise: string };
  run(call: Call): Promise<Outcome>;
};

export type Call = {
  config: Config;
  /** The deployed service that the command is about; null: the data in DATA_DIR or DATABASE_URL. */
  remote: Remote | null;
  json: boolean;
  now: number;
  /** The words after the command's name, in the order of `Command.words`. */
  words: readonly string[];
  option(name: string): string | undefined;
  flag(name: string): boolean;
  /** Says something beside the result: a line on stderr. */
  note(line: string): void;
};

/** `text` is for people and goes out as it is; `json` is the one object that `--json` prints. */
export type Outcome = { json: object; text: string; exitCode?: 0 | 1 };

/** The command is right, but cannot be done: exit 1. The message is one for the operator. */
export class Refusal extends Error {}
/** The command itself is wrong: exit 2. */
export class WrongUsage extends Error {}
