import * as z from "zod";
import { AccountError } from "#accounts/people.ts";
import { type Audit, GRANT_KINDS } from "#ledger/port.ts";
import { ACT_OUTCOMES } from "./acts.ts";
import type { GrantList, OperatorContext } from "./context.ts";
import { account, count, cursor, pageMax, reading, time } from "./operation.ts";

/** Rows of the table: what the whole ledger says, and what operators did. */

const indexed = z.strictObject({ account, createdAt: time });
const totals = z.object({
  ...{ granted: z.int(), debited: z.int(), reversed: z.int() },
  ...{ remaining: z.int(), expired: z.int(), voided: z.int() },
});
const audit = z.object({
  ...{ ok: z.boolean(), accounts: count, faults: z.array(z.string()) },
  /** Null where the database could not read them. */
  totals: totals.nullable(),
});
const usageRow = z.object({
  ...{ account: z.string(), key: z.string(), tool: z.string() },
  ...{ hour: time, calls: count, credits: count },
});
const grantMade = z.object({
  ...{ account: z.string(), id: z.string(), kind: z.enum(GRANT_KINDS), amount: count },
  ...{ grantedAt: time, expiresAt: time.nullable() },
});
const act = z.object({
  ...{ id: z.string(), at: time, by: z.string(), act: z.string() },
  ...{ subject: z.string().nullable(), outcome: z.enum(ACT_OUTCOMES) },
  ...{ detail: z.string().nullable(), address: z.string().nullable() },
});

export const TOTALS_OPERATIONS = {
  /** Whether one ledger holds every account, so that one question is about all of them. */
  describe: reading({
    input: z.strictObject({}),
    output: z.object({ oneLedger: z.boolean() }),
    run: async ({ grants }) => ({ oneLedger: grants !== null }),
  }),
  /** Of one account, where each has a ledger of its own; null where it is listed, but was never opened. */
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
  listActs: reading({
    input: z.strictObject({ after: cursor, max: pageMax }),
    output: z.object({ acts: z.array(act), next: z.string().nullable() }),
    run: ({ acts }, order) => acts.list(order),
  }),
  /** Accounts that were ever opened, closed ones too. */
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
  throw new AccountError("Each account has a ledger of its own here: ask for one account.");
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
    // In a damaged database the sums themselves may be unreadable; that is a fault as well, not a crash.
    const faults = [`The books cannot be read: ${(error as Error).message}`];
    return { ok: false, accounts: 0, totals: null, faults };
  }
}
