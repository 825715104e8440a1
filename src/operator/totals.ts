import type { IndexedAccount } from "#accounts/account-index.ts";
import { AccountError } from "#accounts/accounts.ts";
import type { Audit, UsageRow } from "#ledger/port.ts";
import { usagePages } from "#ledger/read-pages.ts";
import { DAY_MS } from "#limits.ts";
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
    run: ({ ledger }, order) => ledger.usage(order),
  },
  /** Sums the usage of the next accounts by day and tool, if all accounts share a ledger. */
  usageOfAccounts: {
    action: null,
    run: sumUsageOfAccounts,
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

const ACCOUNTS_A_PAGE = 50;

async function sumUsageOfAccounts(
  context: OperatorContext,
  { after, ...period }: { after: IndexedAccount | null; from: number; to: number },
): Promise<{ rows: UsageSum[]; next: IndexedAccount | null }> {
  requireOneLedger(context);
  const accounts = await context.index.list({ after, max: ACCOUNTS_A_PAGE });
  const rows: UsageSum[] = [];
  for (const { account } of accounts) {
    const sums = new Map<string, UsageSum>();
    for await (const hours of usagePages(context.ledger, { account, ...period }))
      addByDay(sums, hours);
    rows.push(...sums.values());
  }
  return { rows, next: accounts.length < ACCOUNTS_A_PAGE ? null : (accounts.at(-1) ?? null) };
}

type UsageSum = Pick<UsageRow, "account" | "tool" | "calls" | "credits"> & { day: number };

function addByDay(sums: Map<string, UsageSum>, hours: readonly UsageRow[]): void {
  for (const { account, tool, hour, calls, credits } of hours) {
    const day = hour - (hour % DAY_MS);
    const sum = sums.get(`${day} ${tool}`) ?? { account, tool, day, calls: 0, credits: 0 };
    sum.calls += calls;
    sum.credits += credits;
    sums.set(`${day} ${tool}`, sum);
  }
}

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
