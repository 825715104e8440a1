import { statSync } from "node:fs";
import { CommanderError, Command as CommandLine, Option } from "commander";
import * as z from "zod";
import { commandLine, PROGRAM } from "#command-line.ts";
import { readConfig } from "#config/config.ts";
import { ConfigError, readAddress } from "#config/read-settings.ts";
import { hostOf, isLoopback } from "#hosts.ts";
import { IN_WORDS } from "#issue-text.ts";
import { version } from "../node/runtime.ts";
import { ACCOUNT_COMMANDS } from "./accounts.ts";
import { AUDIT_COMMANDS } from "./audit.ts";
import { BUILD_COMMANDS } from "./build.ts";
import { CALL_COMMANDS } from "./calls.ts";
import { createClient, type Remote } from "./client.ts";
import { type Command, defineCommand, type Outcome } from "./command.ts";
import { CommandError, UsageError } from "./command-error.ts";
import { CREDITS_COMMANDS } from "./credits.ts";
import { DATA_COMMANDS } from "./data.ts";
import { explainSystem } from "./files.ts";
import { JOB_COMMANDS } from "./jobs.ts";
import { KEY_COMMANDS } from "./keys.ts";
import { PAYMENT_COMMANDS } from "./payments.ts";
import { PRICE_COMMANDS } from "./prices.ts";
import { REPORT_COMMANDS } from "./report.ts";
import { TOOL_COMMANDS } from "./tools.ts";

/** Without other words, the start file runs the server instead of the command line (`apps/start.js`). */
const START = defineCommand({
  name: "start",
  summary: "Start the service",
  details: [
    "It serves until it gets SIGTERM or SIGINT. Its settings are those of the environment and of the file .env in the current folder; those of the environment take precedence. The data is in DATA_DIR (data by default).",
  ],
  example: "start",
  input: z.object({}),
  isOnFiles: () => true,
  run() {
    throw new UsageError(
      "start takes no options. Its settings are those of the environment and of the file .env in the current folder.",
    );
  },
});

/** All commands, in the order of `help`. */
export const COMMANDS: readonly Command[] = [
  START,
  ...TOOL_COMMANDS,
  ...BUILD_COMMANDS,
  ...[...ACCOUNT_COMMANDS, ...KEY_COMMANDS, ...CREDITS_COMMANDS, ...PRICE_COMMANDS],
  ...CALL_COMMANDS,
  ...[
    ...PAYMENT_COMMANDS,
    ...AUDIT_COMMANDS,
    ...REPORT_COMMANDS,
    ...DATA_COMMANDS,
    ...JOB_COMMANDS,
  ],
];

const GROUPS: Record<string, string> = {
  new: "Write new files",
  build: "Build the service for other platforms",
  account: "Create and manage accounts",
  key: "Create and manage API keys",
  credits: "Grant credits and show balances",
  price: "Set the prices of an account",
  calls: "Show and reverse single calls",
  payments: "List purchases and compare them with Stripe",
  jobs: "List and retry background jobs",
};

/** Where a command line writes. */
export type Terminal = { stdout(text: string): void; stderr(text: string): void };
type Env = Record<string, string | undefined>;

/**
 * Runs what the operator typed and returns the exit code: 0 success, 1 error, 2 wrong usage. With --json it writes exactly one
 * JSON object to standard output, and everything else to standard error.
 */
export async function runCommandLine(
  typed: readonly string[],
  env: Env,
  screen: Terminal,
): Promise<0 | 1 | 2> {
  const json = typed.includes("--json");
  const terminal = withRemoteInCommands(typed, screen);
  const print = ({ json: object, text, exitCode = 0 }: Outcome): 0 | 1 => {
    terminal.stdout(json ? `${JSON.stringify(object)}\n` : text);
    return exitCode;
  };
  try {
    return print(await runTyped(typed, env, terminal));
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const message = isUsage ? error.message : explain(error, env, terminal);
    if (json) terminal.stdout(`${JSON.stringify({ ok: false, error: message })}\n`);
    else terminal.stderr(`${message}\n`);
    if (isUsage) terminal.stderr(`For help, run ${helpFor(typed)}\n`);
    return isUsage ? 2 : 1;
  }
}

const helpFor = (typed: readonly string[]): string => {
  const words = wordsOf(typed);
  const known = COMMANDS.find(({ name }) => `${words.join(" ")} `.startsWith(`${name} `));
  if (known !== undefined) return commandLine(`${known.name} --help`);
  const [group = ""] = words;
  return commandLine(Object.hasOwn(GROUPS, group) ? `help ${group}` : "help");
};

/** The words that are not options: options may come before the command, and `--remote` has a value. */
const wordsOf = (typed: readonly string[]): string[] =>
  typed.filter((word, at) => !word.startsWith("-") && typed[at - 1] !== "--remote");

async function runTyped(typed: readonly string[], env: Env, terminal: Terminal): Promise<Outcome> {
  let printed = "";
  let running: Promise<Outcome> | undefined;
  const start: Start = (command, input, options) => {
    running = runCommand(command, input, options, env, terminal);
  };
  // `help key create` is `key create --help`. Nothing but options too, because a user who types only the name wants to see what it can do.
  const words = wordsOf(typed);
  const isHelp = words[0] === "help" || (words.length === 0 && !typed.includes("--version"));
  const isAsked = isHelp || typed.includes("--help") || typed.includes("-h");
  const program = createProgram(start, isAsked ? null : words);
  configure(program, (text) => {
    printed += text;
  });
  const args = isHelp ? [...typed.filter((word) => word !== "help"), "--help"] : typed;
  try {
    program.parse(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const text = printed;
    if (error.code === "commander.version") return { json: { version }, text };
    if (error.code === "commander.helpDisplayed") return { json: { help: text }, text };
    const isGroup = error.code === "commander.help";
    throw new UsageError(
      sentence(isGroup ? `the command ${words[0]} needs a subcommand` : error.message),
    );
  }
  return running as Promise<Outcome>;
}

const sentence = (message: string): string => {
  const text = message.replace(/^error: /, "").replace(/\n\((Did you mean .*)\)$/s, ". $1");
  return `${text[0]?.toUpperCase()}${text.slice(1)}`.replace(/[^.?]$/, "$&.");
};

type Options = { remote: string | undefined; json: boolean };
type Start = (command: Command, input: Record<string, unknown>, options: Options) => void;

/** With `words`, only the command that they name gets its parameters, because making them takes a while. */
function createProgram(start: Start, words: readonly string[] | null): CommandLine {
  const program = new CommandLine(PROGRAM)
    .description(
      "Starts the service, and manages the one of the data folder in DATA_DIR or another one. The server must be running, except for start, restore, audit --file and the commands for tools and builds.",
    )
    .option("--remote <URL>", "work on the service at this URL, with TOOLBOOTH_OPERATOR_TOKEN")
    .option("--json", "print one JSON object, and everything else on standard error")
    .version(version, "--version")
    .helpCommand(false)
    .addHelpText("after", "\nExit codes: 0 success, 1 error, 2 wrong usage.");
  const groups = new Map<string, CommandLine>();
  for (const command of COMMANDS) {
    const [first = "", second] = command.name.split(" ");
    if (second !== undefined && !groups.has(first))
      groups.set(
        first,
        program
          .command(first)
          .description(GROUPS[first] ?? "")
          .helpCommand(false),
      );
    const line = (groups.get(first) ?? program).command(second ?? first);
    const isNamed = words === null || `${words.join(" ")} `.startsWith(`${command.name} `);
    if (isNamed) addParameters(line, command);
    line.action(() => {
      const { remote, json } = program.opts<Partial<Options>>();
      start(command, typedInput(line, command), { remote, json: json === true });
    });
  }
  return program;
}

function addParameters(line: CommandLine, command: Command): void {
  const { summary, details, example } = command;
  line.summary(summary).description([`${summary}.`, ...details].join("\n\n"));
  line.addHelpText("after", `\nExample: ${PROGRAM} ${example}`);
  const parameters = parametersOf(command);
  for (const name of command.positionals) {
    const { value, isRequired } = parameters[name] as Parameter;
    line.argument(isRequired ? `<${value}>` : `[${value}]`);
  }
  for (const [name, { value, isRequired, type }] of Object.entries(parameters)) {
    if (command.positionals.includes(name) || value === HIDDEN) continue;
    const flag = flagOf(name);
    line.addOption(
      new Option(
        type === "boolean" ? flag : `${flag} <${value}>`,
        OPTION_TEXTS[name],
      ).makeOptionMandatory(isRequired),
    );
  }
}

const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (character) => `-${character.toLowerCase()}`)}`;

/** What each option does, in the help. Options of the same name do the same in all commands. */
const OPTION_TEXTS: Record<string, string> = {
  account: "the address of the account; credits clawback searches all accounts without it",
  after: "start the page after this address",
  again: "replace only a new secret that was not seen",
  budgetDay: "at most N credits per UTC day",
  budgetMonth: "at most N credits per UTC month",
  budgetTotal: "at most N credits in total",
  clear: "remove all limits that are not named",
  credits: "grant N credits that never expire",
  csv: "print one table for spreadsheets",
  dead: "jobs that failed permanently",
  entries: "write every ledger entry to this file, as JSON lines",
  expires: "a date, whose day is included, or a time with its offset",
  file: "work on this file, without a server",
  force: "replace an existing file, or a database that cannot be read",
  from: "the first day, in UTC",
  id: "the id of the grant; repeating it adds nothing",
  keep: "how long the old secret works: 90m, 24h, 7d or 0",
  label: "what the key is for",
  max: "at most N lines",
  networks: "only from these addresses and networks, with commas",
  rate: "at most N calls per second",
  search: "only those whose address or id contains the text",
  since: "the first day, in UTC",
  to: "the last day, in UTC",
  tools: "only these tools, with commas",
  withSecret: "include the secret, on the server's own machine",
};

/** The value of members that only the API has. */
const HIDDEN = "CURSOR";

type Parameter = {
  value: string;
  type: string;
  isRequired: boolean;
  isNullable: boolean;
  isSecret: boolean;
};
type JsonSchema = { type?: string; anyOf?: JsonSchema[]; "x-value"?: string; "x-secret"?: boolean };

/** The parameters of a command, from the JSON Schema of its input. */
function parametersOf({ input }: Command): Record<string, Parameter> {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: "input" }) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const [schema = property] = property.anyOf ?? [];
      const { type = "string", "x-value": value = name, "x-secret": isSecret = false } = schema;
      const isNullable = property.anyOf?.some((each) => each.type === "null") === true;
      return [name, { value, type, isSecret, isNullable, isRequired: required.includes(name) }];
    }),
  );
}

/** Turns the typed words into the members of the input. Throws `UsageError` with one sentence for anything that is wrong. */
function typedInput(line: CommandLine, command: Command): Record<string, unknown> {
  const words: Record<string, string | boolean | undefined> = {
    ...line.opts(),
    ...Object.fromEntries(command.positionals.map((name, at) => [name, line.args[at]])),
  };
  const parameters = parametersOf(command);
  const typed = Object.entries(words)
    .filter(([, word]) => word !== undefined)
    .map(([name, word]) => [
      name,
      readWord(parameters[name] as Parameter, word as string | boolean),
    ]);
  const input = Object.fromEntries(typed);
  const checked = command.input.safeParse(input, IN_WORDS);
  if (checked.success) return input;
  const [{ path, message } = { path: [], message: "" }] = checked.error.issues;
  const [name] = path as string[];
  if (name === undefined)
    throw new UsageError(
      sentence(message.startsWith("--") ? message : `${command.name} ${message}`),
    );
  const { value, isSecret } = parameters[name] as Parameter;
  const label = command.positionals.includes(name) ? `<${value}>` : flagOf(name);
  throw new UsageError(`${label} ${message}${isSecret ? "" : `; got "${words[name]}"`}.`);
}

function readWord({ type, isNullable }: Parameter, word: string | boolean): unknown {
  if (typeof word === "boolean") return word;
  if (isNullable && word === "none") return null;
  if (type === "array")
    return word
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  // Other text stays what it is, so that the schema says what it must be.
  return type === "integer" && /^\d+$/.test(word) ? Number(word) : word;
}

async function runCommand(
  command: Command,
  input: Record<string, unknown>,
  { remote, json }: Options,
  env: Env,
  { stderr }: Terminal,
): Promise<Outcome> {
  if (remote !== undefined && command.isOnFiles(input as never))
    throw new UsageError(
      `${command.name === "audit" ? "audit --file" : command.name} works on files on this machine, not on a service. Nothing was changed. Run the command on the machine that has the files, without --remote.`,
    );
  const config = readConfig(env);
  if (remote === undefined && isFile(config.dataDir))
    throw new CommandError(
      `DATA_DIR must be a folder, but ${config.dataDir} is a file. Set DATA_DIR to the data folder of a server.`,
    );
  const log = (line: string) => stderr(`${line}\n`);
  const service = remote === undefined ? null : readRemote(remote, config.operatorToken);
  const connect = () => createClient(service, config, log);
  return command.run({ config, json, now: Date.now(), connect, log }, input as never);
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;

/** The token comes only from the environment: arguments are visible to other users of the machine and stay in the shell history. */
function readRemote(typed: string, token: string | null): Remote {
  const url = readAddress(typed);
  // The messages do not repeat the text, which may contain a password.
  if (url === null)
    throw new UsageError(
      "--remote must be the URL of a service, such as https://tools.example.com, without user, password, query or fragment.",
    );
  if (url.startsWith("http:") && !isLoopback(hostOf(url)))
    throw new UsageError(
      "--remote uses http, which would send the token unencrypted. Use https. http is allowed only for this machine.",
    );
  if (token !== null) return { url, token };
  throw new CommandError(
    `The service at ${url} requires the operator token. Set TOOLBOOTH_OPERATOR_TOKEN in the environment to the service's token.`,
  );
}

/** Errors are thrown, and what the library prints is collected. */
function configure(line: CommandLine, write: (text: string) => void): void {
  line
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: () => {}, outputError: () => {} });
  for (const each of line.commands) configure(each, write);
}

/** The commands that messages print work on the same service if it was named by an option. */
function withRemoteInCommands(typed: readonly string[], screen: Terminal): Terminal {
  const [, url] = /(?:^|\n)--remote[\n=](.*)/.exec(typed.join("\n")) ?? [];
  // Anything else than a plain URL would have to be quoted, and is rejected.
  if (url === undefined || !/^https?:\/\/[\w.:/[\]-]+$/.test(url)) return screen;
  const replaced = (text: string) => text.replaceAll(`${PROGRAM} `, `${PROGRAM} --remote ${url} `);
  return {
    stdout: (text) => screen.stdout(replaced(text)),
    stderr: (text) => screen.stderr(replaced(text)),
  };
}

function explain(error: unknown, env: Env, { stderr }: Terminal): string {
  if (error instanceof CommandError) return error.message;
  if (error instanceof ConfigError)
    return `The configuration is invalid: ${error.message.replaceAll("\n", " ")}`;
  const known = explainSystem(error);
  if (known !== null) return known;
  if (env["TOOLBOOTH_LOG_LEVEL"] === "debug") stderr(`${(error as Error).stack ?? error}\n`);
  return `The command failed because of an unexpected error (${(error as Error).message ?? error}). Please report it, with the lines that TOOLBOOTH_LOG_LEVEL=debug adds.`;
}
