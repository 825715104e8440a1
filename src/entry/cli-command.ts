import { existsSync } from "node:fs";
import type { ParseArgsOptionsConfig } from "node:util";
import type { Desk } from "#accounts/people.ts";
import type { Config } from "#config.ts";
import { findSecret } from "#store/sqlite-backup.ts";
import { openSqliteDirect } from "#store/sqlite-direct.ts";
import type { NodeSqlite } from "#store/sqlite-node.ts";
import { DataFolderFault, databaseFile, openDataFolder, readSecrets } from "./data-folder.ts";
import { hashKey, random } from "./node-house.ts";

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
  run(call: Call): Promise<Outcome>;
};

export type Call = {
  config: Config;
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

/** The data of the service, open for one command. */
export type Books = Omit<Desk, "secrets"> & {
  driver: NodeSqlite;
  /** With the secrets, for what makes keys or hashes addresses. */
  desk(): Promise<Desk>;
};

export async function withBooks<Result>(
  call: Call,
  body: (books: Books) => Promise<Result>,
  options = { create: false },
): Promise<Result> {
  const { dataDir } = call.config;
  const isNew = !existsSync(databaseFile(dataDir));
  if (isNew && !options.create) throw new Refusal(noData(dataDir));
  const driver = await openPatiently(dataDir);
  try {
    const books = { ...openSqliteDirect(driver), driver, random, hashKey };
    const desk = async () => {
      const secrets = isNew
        ? readSecrets(driver, call.config.secrets)
        : await findSecrets(driver, call.config);
      return { ...books, secrets };
    };
    return await body({ ...books, desk });
  } finally {
    driver.close();
  }
}

export const noData = (dataDir: string) =>
  `There is no data in ${dataDir}. Start the server once or run account create, or set DATA_DIR to where the data is.`;

const PATIENCE_MS = 1_000;
const BETWEEN_TRIES_MS = 50;
const pause = () => new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));

/** Opens the database; where another process is just making it, SQLite does not wait for the lock by itself. */
async function openPatiently(dataDir: string): Promise<NodeSqlite> {
  for (const until = performance.now() + PATIENCE_MS; ; await pause()) {
    try {
      return openDataFolder(dataDir);
    } catch (error) {
      const cause = error instanceof DataFolderFault ? error.cause : undefined;
      const isLocked = (cause as { errcode?: number } | undefined)?.errcode === 5;
      if (!isLocked || performance.now() > until) throw error;
    }
  }
}

/**
 * The secrets under which the server that uses this data works. A server without SECRET keeps one with the data as
 * soon as it makes it; so where none is kept the server has SECRET, and a key made under another one would be refused.
 */
async function findSecrets(driver: NodeSqlite, config: Config): Promise<readonly string[]> {
  if (config.secrets !== null) return config.secrets;
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await pause()) {
    const secret = findSecret(driver);
    if (secret !== null) return [secret];
  }
  throw new Refusal(
    `The data in ${config.dataDir} has no secret of its own: its server is given one. Set SECRET to the same value for this command.`,
  );
}
