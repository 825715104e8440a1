import type * as z from "zod";
import type { Config } from "#config/config.ts";
import { listKeys } from "#operator/keys.ts";
import type { JsonOperation } from "#operator/operation.ts";
import type { Client } from "./client.ts";

/** A command of the command line. Its parameters are the members of `input`. */
export type Command = {
  /** One or two words: `audit`, `key create`. */
  name: string;
  /** One line for the list of commands, without a period. */
  summary: string;
  /** More paragraphs for `--help`. */
  details: readonly string[];
  /** A complete example, starting with the command's name. */
  example: string;
  input: z.ZodObject;
  /** The members that are typed without their name, in this order. The others are options. */
  positionals: readonly string[];
  /** Whether the command works on files of this machine without a server, so that it cannot take `--remote`. */
  isOnFiles(input: never): boolean;
  run(invocation: Invocation, input: never): Promise<Outcome>;
};

/** How the command line was started. */
export type Invocation = {
  config: Config;
  json: boolean;
  now: number;
  /** Connects to the server of the data folder, or to the one that `--remote` names. */
  connect(): Client;
  /** Writes a line to standard error. */
  log(line: string): void;
};

/** `text` is printed as it is; `--json` prints `json` instead. */
export type Outcome = { json: object; text: string; exitCode?: 0 | 1 };

type Texts<Members> = {
  details?: readonly string[];
  example: string;
  positionals?: readonly (Members & string)[];
};

/** A command that is one operation of the server. `print` makes its text; `--json` prints the result as it is. */
export const commandOf = <Input extends z.ZodObject, Output extends z.ZodType>(
  // biome-ignore lint/suspicious/noExplicitAny: what the operation finds is the server's.
  operation: JsonOperation<Input, Output, any>,
  texts: Texts<keyof Input["shape"]> & {
    print(result: z.output<Output>, input: z.input<Input>): string;
  },
): Command => ({
  ...{ details: [], positionals: [], ...texts },
  ...{ name: operation.name, summary: operation.summary, input: operation.input },
  isOnFiles: () => false,
  async run({ connect }, input: z.input<Input>) {
    const client = connect();
    const order = operation.action?.takesAddress ? await byId(client, input) : input;
    const result = await client.send(operation, order);
    return { json: result as object, text: texts.print(result, input) };
  },
});

/** Names the account by its id, by which an order finds it once more if the response is lost. */
async function byId<Input>(client: Client, input: Input): Promise<Input> {
  const { email } = input as { email: string };
  return { ...input, email: (await client.send(listKeys, { email })).account };
}

/** A command that does more than one operation, or none. */
export const defineCommand = <Input extends z.ZodObject>(
  command: Texts<keyof Input["shape"]> & {
    name: string;
    summary: string;
    input: Input;
    isOnFiles?(input: z.input<Input>): boolean;
    run(invocation: Invocation, input: z.input<Input>): Promise<Outcome>;
  },
): Command => ({
  ...{ details: [], positionals: [], isOnFiles: () => false },
  ...(command as object as Command),
});
