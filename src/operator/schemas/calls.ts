import * as z from "zod";
import { GRANT_KINDS } from "#ledger/port.ts";
import { callId, count, time } from "./members.ts";

/** Inputs and outputs of operations on single calls. */

const record = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("found"),
    key: z.string(),
    tool: z.string(),
    credits: count,
    isFree: z.boolean(),
    parts: z.array(z.object({ grant: z.string(), kind: z.enum(GRANT_KINDS), credits: count })),
    reversedAt: time.nullable(),
    isRepeatable: z.boolean(),
  }),
  z.object({ outcome: z.literal("never_charged"), reversedAt: time }),
  z.object({ outcome: z.literal("rolled_up"), reversedAt: time.nullable() }),
  z.object({ outcome: z.literal("not_found") }),
]);

const found = z.object({
  account: z.string(),
  /** Null if the account is closed or does not exist. */
  email: z.string().nullable(),
  at: time,
  record,
});

export const CALL_SCHEMAS = {
  findCall: { input: z.strictObject({ id: callId }), output: found },
  reverseCall: {
    input: z.strictObject({ id: callId, now: time }),
    /** `record`: the call as it was before. */
    output: found.extend({ reversed: z.boolean() }),
  },
};
