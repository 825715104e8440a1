import * as z from "zod";
import type { NotifyOutcome } from "#accounts/notify-owner.ts";
import type { RandomBytes } from "#ids.ts";
import type { ActionEnd } from "./actions.ts";
import type { OperatorContext } from "./context.ts";

/**
 * An operation of operators, in one entry: its command and route, what it takes and returns, what it does, and how it is recorded. The
 * server, the command line and the reference are made from it.
 */
type Entry<Input extends z.ZodObject, Output extends z.ZodType, Target> = {
  /** The words of its command: `credits grant`, which is `POST /operator/credits/grant`. */
  name: string;
  /** One line for the list of commands and the reference, without a period. */
  summary: string;
  /** Strict, because it checks input from the network. The command line checks with it too. */
  input: Input;
  /**
   * The result, which is also what the command prints with `--json`. Members of what `run` returns that are not named here are left out,
   * and times become ISO 8601.
   */
  output: Output;
  /**
   * Finds what the operation is about, before anything is recorded: a command that names an unknown account leaves no record. Throws
   * `AccountError`.
   */
  find(context: OperatorContext, input: z.output<Input>, order: Order): Promise<Target>;
  /** How the operation is recorded. Null for one that only reads. */
  action: Action<Target, z.output<Output>> | null;
};

type Run<Input extends z.ZodObject, Target, Result> = (
  context: OperatorContext,
  input: z.output<Input>,
  order: Order,
  target: Target,
) => Promise<Result>;

/** An operation whose response is JSON. */
export type JsonOperation<Input extends z.ZodObject, Output extends z.ZodType, Target> = Entry<
  Input,
  Output,
  Target
> & { run: Run<Input, Target, z.input<Output>> };

/** An operation whose response is a file, sent as it is read. Its result is in the header `Toolbooth-Result`. */
export type FileOperation<Input extends z.ZodObject, Output extends z.ZodType, Target> = Entry<
  Input,
  Output,
  Target
> & { open: Run<Input, Target, OpenedFile<z.input<Output>>> };

export type OpenedFile<Result> = { result: Result; pieces: AsyncIterable<Uint8Array | string> };

// biome-ignore lint/suspicious/noExplicitAny: operations of all kinds in one list.
type Any = any;
export type Operation = JsonOperation<z.ZodObject, Any, Any> | FileOperation<z.ZodObject, Any, Any>;

/** One request for an operation. */
export type Order = {
  /** The time of the server in milliseconds since 1970 UTC. */
  now: number;
  /**
   * Bytes that depend on the id of the order and on the secret of the service: an order that is sent again, because its response was
   * lost, makes the same ids and keys, so it is carried out once.
   */
  random: RandomBytes;
  /** Whether it came through the socket in the data folder: then its sender can read the files of the service anyway. */
  isLocal: boolean;
  /** Adds a sentence for the operator to the response. */
  say(sentence: string): void;
};

export type Action<Target, Output> = {
  /** Whether it takes away the address by which it finds its account. An order that may be sent again names the account by its id. */
  takesAddress?: true;
  /** The id of an account, key, call or purchase, never an email address: the records outlive closed accounts. */
  subject(target: Target): string | null;
  /** How it ended; by default it was done. Null removes the record, because nothing was changed. */
  end?(output: Output, target: Target): ActionEnd | null;
};

export const done = (detail: string | null = null): ActionEnd => ({ outcome: "done", detail });
export const unchanged = (detail: string): ActionEnd => ({ outcome: "unchanged", detail });

/** Returns the operation, typed by its schemas. */
export const defineOperation = <Input extends z.ZodObject, Output extends z.ZodType, Target>(
  operation: JsonOperation<Input, Output, Target>,
) => operation;

/** The same for an operation whose response is a file. */
export const defineFile = <Input extends z.ZodObject, Output extends z.ZodType, Target>(
  operation: FileOperation<Input, Output, Target>,
) => operation;

/** For `find`: the operation is about the service as a whole. */
export const wholeService = async (): Promise<null> => null;

/** The path of its route: `credits grant` is at `/operator/credits/grant`. */
export const pathOf = ({ name }: Pick<Operation, "name">): string =>
  `/operator/${name.replaceAll(" ", "/")}`;

/** The JSON of a response. `messages` are sentences for the operator. */
export const responseOf = <Output extends z.ZodType>(output: Output) =>
  z.object({ ok: z.literal(true), result: output, messages: z.array(z.string()) });

/** Says whether the account's owner gets an email about the change. */
export function sayNotified({ say }: Order, notified: NotifyOutcome): void {
  if (notified === null) return;
  const { emails, error } = notified;
  say(
    error === null
      ? `Queued an email to ${emails}.`
      : `Done, but no email to ${emails} could be queued: ${error}.`,
  );
}
