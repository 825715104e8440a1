import type { Config } from "#config/config.ts";
import type { Remote } from "./remote/address.ts";
import type { Argument } from "./takes.ts";

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
  // biome-ignore lint/suspicious/noExplicitAny: where a command is defined its own types are checked.
  run(call: Call, given: any): Promise<Outcome>;
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
export class ProblemDetails extends Error {}
/** The command itself is wrong: exit 2. */
export class WrongUsage extends Error {}
