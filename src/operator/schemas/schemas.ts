import type { OperationSchema } from "../define-operation.ts";
import { ACCOUNT_SCHEMAS } from "./accounts.ts";
import { CALL_SCHEMAS } from "./calls.ts";
import { JOB_SCHEMAS } from "./jobs.ts";
import { MOVE_SCHEMAS } from "./moves.ts";
import { SALES_SCHEMAS } from "./sales.ts";
import { TOTALS_SCHEMAS } from "./totals.ts";

/** The inputs and outputs of all operations. */
export const SCHEMAS = {
  ...ACCOUNT_SCHEMAS,
  ...CALL_SCHEMAS,
  ...TOTALS_SCHEMAS,
  ...SALES_SCHEMAS,
  ...MOVE_SCHEMAS,
  ...JOB_SCHEMAS,
};

/** Returns the schema of an operation whose name is known only at run time. */
export const schemaOf = (name: keyof typeof SCHEMAS): OperationSchema => SCHEMAS[name];
