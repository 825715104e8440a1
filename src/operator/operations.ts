import type * as z from "zod";
import { ACCOUNT_OPERATIONS } from "./accounts.ts";
import { JOB_OPERATIONS } from "./jobs.ts";
import { MOVE_OPERATIONS } from "./moves.ts";
import type { Operation } from "./operation.ts";
import { SALES_OPERATIONS } from "./sales.ts";
import { TOTALS_OPERATIONS } from "./totals.ts";

/** Everything that operators can ask for, on every store and through every way in: one row an operation. */
export const OPERATIONS = {
  ...ACCOUNT_OPERATIONS,
  ...TOTALS_OPERATIONS,
  ...SALES_OPERATIONS,
  ...MOVE_OPERATIONS,
  ...JOB_OPERATIONS,
};

type Rows = typeof OPERATIONS;
export type OperationName = keyof Rows;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/** The row of a name that is known only at run time. */
export const operationOf = (name: OperationName): Operation => OPERATIONS[name] as Operation;

/** The operations as functions: what the command line works with, in process and over HTTP alike. */
export type OperatorClient = {
  [Name in OperationName]: (
    input: z.input<Rows[Name]["input"]>,
  ) => Promise<z.output<Rows[Name]["output"]>>;
};

export type OutcomeOf<Name extends OperationName> = z.output<Rows[Name]["output"]>;

/** A client that hands each order to `perform`. */
export const clientOver = (
  perform: (name: OperationName, input: unknown) => Promise<unknown>,
): OperatorClient =>
  Object.fromEntries(
    (Object.keys(OPERATIONS) as OperationName[]).map((name) => [
      name,
      (input: unknown) => perform(name, input),
    ]),
  ) as OperatorClient;
