import * as z from "zod";
import { AccountError } from "#accounts/accounts.ts";
import { type Audit, GRANT_KINDS } from "#ledger/port.ts";
import { ACTION_OUTCOMES } from "./actions.ts";
import type { GrantList, OperatorContext } from "./context.ts";
import { account, count, cursor, pageMax, reading, time } from "./define-operation.ts";

/** Operations on the ledger as a whole, and on the records of operator actions. */

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

export const TOTALS_OPERATIONS = {
  /** Returns whether all accounts share one ledger, so that one request covers all of them. */
  describe: reading({
    input: z.strictObject({}),
    output: z.object({ oneLedger: z.boolean() }),
    run: async ({ grants }) => ({ oneLedger: grants !== null }),
  }),
  /** Audits one account, or all if they share a ledger. Returns null for an account that is listed but was never opened. */
  audit: reading({
    input: z.strictObject({ account: account.nullable(), now: time }),
    output: audit.nullable(),
    run: (context, { account, now }) => auditOf(context, account, now),
  }),
  usage: reading({
    input: z.strictObject({ account: account.nullable(), from: time, to: time }),
    output: z.array(usageRow),
    async run(context, order) {
      if (order.account === null) requireOneLedger(context);
      return context.ledger.usage(order);
    },
  }),
  listGrants: reading({
    input: z.strictObject({ after: count.nullable(), max: pageMax }),
    output: z.object({ grants: z.array(grantMade), next: count.nullable() }),
    run: async (context, order) => requireOneLedger(context)(order),
  }),
  findDamage: reading({
    input: z.strictObject({}),
    output: z.array(z.string()),
    run: ({ findDamage }) => findDamage(),
  }),
  listActions: reading({
    input: z.strictObject({ after: cursor, max: pageMax }),
    output: z.object({ actions: z.array(action), next: z.string().nullable() }),
    run: ({ actions }, order) => actions.list(order),
  }),
  /** Lists every account that was ever opened, including closed ones. */
  listAccounts: reading({
    input: z.strictObject({ after: indexed.nullable(), max: pageMax }),
    output: z.array(z.object({ account: z.string(), createdAt: time })),
    run: ({ index }, order) => index.list(order),
  }),
  listClosed: reading({
    input: z.strictObject({ after: cursor, max: pageMax }),
    output: z.array(z.object({ emailHash: z.string(), closedAt: time })),
    run: ({ directory }, order) => directory.listClosed(order),
  }),
};

type Unreadable = Omit<Audit, "totals"> & { totals: null };

function requireOneLedger({ grants }: OperatorContext): GrantList {
  if (grants !== null) return grants;
  throw new AccountError("Each account has its own ledger in this deployment. Specify an account.");
}

async function auditOf(
  context: OperatorContext,
  account: string | null,
  now: number,
): Promise<Audit | Unreadable | null> {
  const { ledger, isDamage } = context;
  if (account === null) requireOneLedger(context);
  try {
    if (account === null) return await ledger.audit({ now });
    if ((await ledger.findAccount({ account, now })) === null) return null;
    return await ledger.audit({ account, now });
  } catch (error) {
    if (!isDamage(error)) throw error;
    // A damaged database may fail to read the totals. That is a finding of the audit and not an error.
    const faults = [`The ledger cannot be read: ${(error as Error).message}`];
    return { ok: false, accounts: 0, totals: null, faults };
  }
}
