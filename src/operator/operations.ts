import type * as z from "zod";
import { ACCOUNT_OPERATIONS } from "./accounts.ts";
import { CALL_OPERATIONS } from "./calls.ts";
import type { Operation } from "./define-operation.ts";
import { JOB_OPERATIONS } from "./jobs.ts";
import { MOVE_OPERATIONS } from "./moves.ts";
import { SALES_OPERATIONS } from "./sales.ts";
import type { SCHEMAS } from "./schemas/schemas.ts";
import { TOTALS_OPERATIONS } from "./totals.ts";

/** All operator operations, in process and over HTTP, on every store. */
export const OPERATIONS = {
  ...ACCOUNT_OPERATIONS,
  ...CALL_OPERATIONS,
  ...TOTALS_OPERATIONS,
  ...SALES_OPERATIONS,
  ...MOVE_OPERATIONS,
  ...JOB_OPERATIONS,
};

export type OperationName = keyof typeof OPERATIONS;
type Schemas = typeof SCHEMAS;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/** Returns an operation whose name is known only at run time. */
export const operationOf = (name: OperationName): Operation => OPERATIONS[name] as Operation;

/** The operations as functions. The command line uses them in process and over HTTP alike. */
export type OperatorClient = {
  [Name in OperationName]: (
    input: z.input<Schemas[Name]["input"]>,
  ) => Promise<z.output<Schemas[Name]["output"]>>;
};

export type OutcomeOf<Name extends OperationName> = z.output<Schemas[Name]["output"]>;

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
