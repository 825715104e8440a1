import type * as z from "zod";
import { ACCOUNT_OPERATIONS } from "./accounts.ts";
import type { Operation } from "./define-operation.ts";
import { JOB_OPERATIONS } from "./jobs.ts";
import { MOVE_OPERATIONS } from "./moves.ts";
import { SALES_OPERATIONS } from "./sales.ts";
import { TOTALS_OPERATIONS } from "./totals.ts";

/** All operator operations, in process and over HTTP, on every store. */
export const OPERATIONS = {
  ...ACCOUNT_OPERATIONS,
  ...TOTALS_OPERATIONS,
  ...SALES_OPERATIONS,
  ...MOVE_OPERATIONS,
  ...JOB_OPERATIONS,
};

type Operations = typeof OPERATIONS;
export type OperationName = keyof Operations;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/** Returns an operation whose name is known only at run time. */
export const operationOf = (name: OperationName): Operation => OPERATIONS[name] as Operation;

/** The operations as functions. The command line uses them in process and over HTTP alike. */
export type OperatorClient = {
  [Name in OperationName]: (
    input: z.input<Operations[Name]["input"]>,
  ) => Promise<z.output<Operations[Name]["output"]>>;
};

export type OutcomeOf<Name extends OperationName> = z.output<Operations[Name]["output"]>;

/** Creates a client that passes each order to `perform`. */
export const clientOver = (
  perform: (name: OperationName, input: unknown) => Promise<unknown>,
): OperatorClient =>
  Object.fromEntries(
    (Object.keys(OPERATIONS) as OperationName[]).map((name) => [
      name,
      (input: unknown) => perform(name, input),
    ]),
  ) as OperatorClient;
