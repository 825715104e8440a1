import { AccountError } from "#accounts/accounts.ts";
import type { Audit } from "#ledger/port.ts";
import type { GrantList, OperatorContext } from "./context.ts";
import type { OperationsOf } from "./define-operation.ts";
import type { TOTALS_SCHEMAS } from "./schemas/totals.ts";

/** Operations on the ledger as a whole, and on the records of operator actions. */

export const TOTALS_OPERATIONS: OperationsOf<typeof TOTALS_SCHEMAS> = {
  /** Returns whether all accounts share one ledger, so that one request covers all of them. */
  describe: {
    action: null,
    run: async ({ grants }) => ({ oneLedger: grants !== null }),
  },
  /** Audits one account, or all if they share a ledger. Returns null for an account that is listed but was never opened. */
  audit: {
    action: null,
    run: (context, { account, now }) => auditOf(context, account, now),
  },
  usage: {
    action: null,
    async run(context, order) {
      if (order.account === null) requireOneLedger(context);
      return context.ledger.usage(order);
    },
  },
  listGrants: {
    action: null,
    run: async (context, order) => requireOneLedger(context)(order),
  },
  findDamage: {
    action: null,
    run: ({ findDamage }) => findDamage(),
  },
  listActions: {
    action: null,
    run: ({ actions }, order) => actions.list(order),
  },
  /** Lists every account that was ever opened, including closed ones. */
  listAccounts: {
    action: null,
    run: ({ index }, order) => index.list(order),
  },
  listClosed: {
    action: null,
    run: ({ directory }, order) => directory.listClosed(order),
  },
  listStarters: {
    action: null,
    run: ({ directory }, order) => directory.listStarters(order),
  },
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
