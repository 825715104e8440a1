import * as z from "zod";
import { accountOfKeyId, isAccountId } from "#ids.ts";
import { EMAIL_CHARS_MAX, GRANT_CREDITS_MAX } from "#limits.ts";
import type { ActEnd } from "./acts.ts";
import type { OperatorContext } from "./context.ts";

/**
 * One row of the table: what an operation takes, what it gives and how it is run. The command line runs it in process or
 * asks a service for it over HTTP; both go through the same row.
 *
 * An operation that changes something names what it makes and carries its own time, so that it may be sent again where
 * its response was lost: it is carried out once.
 */
export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** Strict: what comes over the network is checked by it. */
  input: Input;
  /** What a client takes for the outcome; members that it does not know are dropped. */
  output: Output;
  /** Null for what only reads: it leaves no line among the acts. */
  act: Act<z.output<Input>, z.output<Output>> | null;
  run(context: OperatorContext, input: z.output<Input>): Promise<z.input<Output>>;
};

/** How an operation that changes something is recorded. */
export type Act<Input, Output> = {
  /** The id of an account or of a key, or the name of a purchase; never an email address. */
  subject(input: Input): string | null;
  /** A part in the middle of an act: carried out, it leaves no line of its own. */
  isPart?(input: Input): boolean;
  /** How it ended, where it is not by what was `found`; null where nothing was changed that is worth a line. */
  end?(outcome: Output, input: Input): ActEnd | null;
};

export const done = (detail: string | null = null): ActEnd => ({ outcome: "done", detail });
export const unchanged = (detail: string): ActEnd => ({ outcome: "unchanged", detail });

type Row<Input extends z.ZodType, Output extends z.ZodType> = Operation<Input, Output>;

export const reading = <Input extends z.ZodType, Output extends z.ZodType>(
  row: Omit<Row<Input, Output>, "act">,
): Row<Input, Output> => ({ ...row, act: null });

export const changing = <Input extends z.ZodType, Output extends z.ZodType>(
  row: Row<Input, Output> & { act: Act<z.output<Input>, z.output<Output>> },
): Row<Input, Output> => row;

export const ofAccount = { subject: ({ account }: { account: string }) => account };
export const ofKey = { subject: ({ id }: { id: string }) => id };

/** What members of inputs and outcomes are. */
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
