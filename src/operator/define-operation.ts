import * as z from "zod";
import { accountOfKeyId, isAccountId } from "#ids.ts";
import { EMAIL_CHARS_MAX, GRANT_CREDITS_MAX } from "#limits.ts";
import type { ActionEnd } from "./actions.ts";
import type { OperatorContext } from "./context.ts";

/**
 * An operator operation: its input, its output and how to run it. The command line runs it in process or over HTTP.
 *
 * An order that changes something carries its time and the ids of what it creates. If the response is lost, the client
 * can send the order again, and the service carries it out only once.
 */
export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** Strict, because it validates input from the network. */
  input: Input;
  /** Clients parse the outcome with it and drop unknown members. */
  output: Output;
  /** How the operation is recorded. Null for operations that only read and leave no record. */
  action: Action<z.output<Input>, z.output<Output>> | null;
  run(context: OperatorContext, input: z.output<Input>): Promise<z.input<Output>>;
};

/** How an operation that changes something is recorded. */
export type Action<Input, Output> = {
  /** The id of an account, key or purchase; never an email address. */
  subject(input: Input): string | null;
  /** Whether the order is a middle part of a larger action. It is recorded only if it fails. */
  isPart?(input: Input): boolean;
  /** How the action ended; by default, from the outcome's `found`. Null removes the record, because nothing was changed. */
  end?(outcome: Output, input: Input): ActionEnd | null;
};

export const done = (detail: string | null = null): ActionEnd => ({ outcome: "done", detail });
export const unchanged = (detail: string): ActionEnd => ({ outcome: "unchanged", detail });

/** Defines an operation that only reads. */
export const reading = <Input extends z.ZodType, Output extends z.ZodType>(
  operation: Omit<Operation<Input, Output>, "action">,
): Operation<Input, Output> => ({ ...operation, action: null });

/** Defines an operation that changes something. */
export const changing = <Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output> & { action: Action<z.output<Input>, z.output<Output>> },
): Operation<Input, Output> => operation;

export const ofAccount = { subject: ({ account }: { account: string }) => account };
export const ofKey = { subject: ({ id }: { id: string }) => id };

/** Schemas of members of inputs and outcomes. */
export const account = z.string().refine(isAccountId);
export const keyId = z.string().refine((id) => accountOfKeyId(id) !== undefined);
export const email = z
  .string()
  .min(1)
  .max(2 * EMAIL_CHARS_MAX);
export const time = z.int().min(0);
export const count = z.int().min(0);
export const credits = z.int().min(1).max(GRANT_CREDITS_MAX);
export const pageMax = z.int().min(1).max(1_000);
export const cursor = z.string().max(EMAIL_CHARS_MAX).nullable();
