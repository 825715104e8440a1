import * as z from "zod";
import { STARTER_OUTCOMES } from "#accounts/starter-claim.ts";
import { GRANT_KINDS } from "#ledger/port.ts";
import { ACTION_OUTCOMES } from "../actions.ts";
import { account, count, cursor, pageMax, time } from "./members.ts";

/** Inputs and outputs of operations on the ledger as a whole, and on the records of what operators did. */

const indexed = z.strictObject({ account, createdAt: time });
const totals = z.object({
  granted: z.int(),
  debited: z.int(),
  reversed: z.int(),
  remaining: z.int(),
  expired: z.int(),
  voided: z.int(),
});
const audit = z.object({
  ok: z.boolean(),
  accounts: count,
  faults: z.array(z.string()),
  /** Null if the database could not read them. */
  totals: totals.nullable(),
});
const usageRow = z.object({
  account: z.string(),
  key: z.string(),
  tool: z.string(),
  hour: time,
  calls: count,
  credits: count,
});
/** The usage of an account and a tool on one UTC day. */
const usageSum = z.object({
  account: z.string(),
  tool: z.string(),
  /** The start of the day. */
  day: time,
  calls: count,
  credits: count,
});
const grantMade = z.object({
  account: z.string(),
  id: z.string(),
  kind: z.enum(GRANT_KINDS),
  amount: count,
  grantedAt: time,
  expiresAt: time.nullable(),
});
const action = z.object({
  id: z.string(),
  at: time,
  by: z.string(),
  action: z.string(),
  subject: z.string().nullable(),
  outcome: z.enum(ACTION_OUTCOMES),
  detail: z.string().nullable(),
  address: z.string().nullable(),
});

export const TOTALS_SCHEMAS = {
  describe: {
    input: z.strictObject({}),
    output: z.object({ oneLedger: z.boolean() }),
  },
  audit: {
    input: z.strictObject({ account: account.nullable(), now: time }),
    output: audit.nullable(),
  },
  usage: {
    input: z.strictObject({
      account,
      from: time,
      to: time,
      after: z
        .object({ hour: time, key: z.string().max(200), tool: z.string().max(200) })
        .nullable()
        .optional(),
      max: count.optional(),
    }),
    output: z.array(usageRow),
  },
  usageOfAccounts: {
    input: z.strictObject({ after: indexed.nullable(), from: time, to: time }),
    output: z.object({ rows: z.array(usageSum), next: indexed.nullable() }),
  },
  listGrants: {
    input: z.strictObject({ after: count.nullable(), max: pageMax }),
    output: z.object({ grants: z.array(grantMade), next: count.nullable() }),
  },
  findDamage: {
    input: z.strictObject({}),
    output: z.array(z.string()),
  },
  listActions: {
    input: z.strictObject({ after: cursor, max: pageMax }),
    output: z.object({ actions: z.array(action), next: z.string().nullable() }),
  },
  listAccounts: {
    input: z.strictObject({ after: indexed.nullable(), max: pageMax }),
    output: z.array(z.object({ account: z.string(), createdAt: time })),
  },
  listClosed: {
    input: z.strictObject({ after: cursor, max: pageMax }),
    output: z.array(z.object({ emailHash: z.string(), closedAt: time })),
  },
  listStarters: {
    input: z.strictObject({ after: cursor, max: pageMax }),
    output: z.array(
      z.object({
        account: z.string(),
        emailHash: z.string(),
        at: time,
        outcome: z.enum(STARTER_OUTCOMES),
      }),
    ),
  },
};
