import type * as z from "zod";
import type { ActionEnd } from "./actions.ts";
import type { OperatorContext } from "./context.ts";

/** The input and the output of an operation. They are apart from what it does, so that the command line runs it without them. */
export type OperationSchema<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> = {
  /** Strict, because it validates input from the network. */
  input: Input;
  /** Clients parse the outcome with it and drop unknown members. */
  output: Output;
};

/**
 * An operation of operators: what it does and how it is recorded. The command line runs it in process or over HTTP.
 *
 * An order that changes something carries its time and the ids of what it creates. If the response is lost, the client
 * can send the order again, and the service carries it out only once.
 */
export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** How the operation is recorded. Null for operations that only read and leave no record. */
  action: Action<z.output<Input>, z.output<Output>> | null;
  run(context: OperatorContext, input: z.output<Input>): Promise<z.input<Output>>;
};

/** An operation for each schema of a group. */
export type OperationsOf<Schemas extends Record<string, OperationSchema>> = {
  [Name in keyof Schemas]: Operation<Schemas[Name]["input"], Schemas[Name]["output"]>;
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

export const ofAccount = { subject: ({ account }: { account: string }) => account };
export const ofKey = { subject: ({ id }: { id: string }) => id };
