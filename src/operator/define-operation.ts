import type * as z from "zod";
import type { ActEnd } from "./acts.ts";
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
 * An order that changes something carries its time and the ids of what it creates. If its response is lost, the client can send
 * it again, and it is carried out once.
 */
export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** How the operation is recorded. Null for operations that only read and leave no record. */
  act: Act<z.output<Input>, z.output<Output>> | null;
  run(context: OperatorContext, input: z.output<Input>): Promise<z.input<Output>>;
};

/** An operation for each schema of a group. */
export type OperationsOf<Schemas extends Record<string, OperationSchema>> = {
  [Name in keyof Schemas]: Operation<Schemas[Name]["input"], Schemas[Name]["output"]>;
};

/** How an operation that changes something is recorded. */
export type Act<Input, Output> = {
  /** The id of an account, key or purchase; never an email address. */
  subject(input: Input): string | null;
  /** Whether the order is a middle part of a larger act. It is recorded only if it fails. */
  isPart?(input: Input): boolean;
  /** How the act ended; by default, from the outcome's `found`. Null removes the record, because nothing was changed. */
  end?(outcome: Output, input: Input): ActEnd | null;
};

export const done = (detail: string | null = null): ActEnd => ({ outcome: "done", detail });
export const unchanged = (detail: string): ActEnd => ({ outcome: "unchanged", detail });

export const ofAccount = { subject: ({ account }: { account: string }) => account };
export const ofKey = { subject: ({ id }: { id: string }) => id };
