import { AccountError } from "#accounts/people.ts";
import type { Audit } from "#ledger/port.ts";
import type { GrantList, OperatorContext } from "./context.ts";
import type { OperationsOf } from "./define-operation.ts";
import type { TOTALS_SCHEMAS } from "./schemas/totals.ts";

/** Operations on the ledger as a whole, and on the records of what operators did. */

export const TOTALS_OPERATIONS: OperationsOf<typeof TOTALS_SCHEMAS> = {
  /** Returns whether all accounts share one ledger, so that one request covers all of them. */
  describe: {
    act: null,
    run: async ({ grants }) => ({ oneLedger: grants !== null }),
  },
  /** Audits one account, or all if they share a ledger. Returns null for an account that is listed but was never opened. */
  audit: {
    act: null,
    run: (context, { account, now }) => auditOf(context, account, now),
  },
  usage: {
    act: null,
    async run(context, order) {
      if (order.account === null) requireOneLedger(context);
      return context.ledger.usage(order);
    },
  },
  listGrants: {
    act: null,
    run: async (context, order) => requireOneLedger(context)(order),
  },
  findDamage: {
    act: null,
    run: ({ findDamage }) => findDamage(),
  },
  listActs: {
    act: null,
    run: ({ acts }, order) => acts.list(order),
  },
  /** Lists every account that was ever opened, including closed ones. */
  listAccounts: {
    act: null,
    run: ({ index }, order) => index.list(order),
  },
  listClosed: {
    act: null,
    run: ({ directory }, order) => directory.listClosed(order),
  },
};

type Unreadable = Omit<Audit, "totals"> & { totals: null };

function requireOneLedger({ grants }: OperatorContext): GrantList {
  if (grants !== null) return grants;
  throw new AccountError("Each account has its own ledger in this deployment. Name one account.");
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
