import * as z from "zod";
import type { IndexedAccount } from "#accounts/directory.ts";
import { auditPurchases, type GrantSeen, listAllPurchases } from "#billing/audit-purchases.ts";
import type { Purchase } from "#billing/purchase-store.ts";
import type { LedgerTotals } from "#ledger/port.ts";
import { everyGrant } from "#ledger/read-pages.ts";
import { addTotals, zeroTotals } from "#ledger/reconcile.ts";
import { accountsAtOnce, type GrantMade, type OperatorContext } from "./context.ts";
import { count, text, textOrNull } from "./members.ts";
import { defineOperation, wholeService } from "./operation.ts";

/** Operations that read the ledger of all accounts. */

export const totals = z
  .object({ granted: count, debited: count, reversed: count })
  .extend({ remaining: count, held: count, expired: count, voided: count });

export const cursor = text("CURSOR")
  .transform((cursor, context): IndexedAccount => {
    const [, createdAt, account = ""] = /^(\d{1,15}) (\S+)$/.exec(cursor) ?? [];
    if (createdAt === undefined) context.addIssue("must be the `next` of a response");
    return { createdAt: Number(createdAt), account };
  })
  .optional();
export const cursorAfter = (last: IndexedAccount | null): string | null =>
  last && `${last.createdAt} ${last.account}`;

export const auditLedger = defineOperation({
  name: "audit",
  summary: "Reconcile the ledger and check the database; exit 1 if anything is wrong",
  input: z.strictObject({ after: cursor }),
  output: z.object({
    ...{ ok: z.boolean(), accounts: count },
    /** Null if the database could not read them. */
    totals: totals.nullable(),
    ...{ faults: z.array(z.string()), damage: z.array(z.string()) },
    /** Where the next request continues, if each account has a database of its own; null at the end. */
    next: textOrNull,
  }),
  find: wholeService,
  action: null,
  async run(context, { after = null }, { now }) {
    const accounts = await nextAccounts(context, after);
    const { damage, ...audit } = await auditAccounts(context, accounts.page, accounts.next, now);
    const ok = audit.faults.length === 0 && damage.length === 0;
    return { ok, ...audit, damage, next: cursorAfter(accounts.next) };
  },
});

type AccountsPage = { page: IndexedAccount[]; next: IndexedAccount | null };

/** The accounts that a request covers: all that share a database, or the next ones. */
export async function nextAccounts(
  context: OperatorContext,
  after: IndexedAccount | null,
): Promise<AccountsPage> {
  const max = accountsAtOnce(context);
  const page: IndexedAccount[] = [];
  for (let from = after; ; from = page.at(-1) ?? null) {
    const wanted = Math.min(ACCOUNTS_A_PAGE, max - page.length);
    const read = await context.index.list({ after: from, max: wanted });
    page.push(...read);
    if (read.length < wanted) return { page, next: null };
    if (page.length === max) return { page, next: page.at(-1) ?? null };
    await context.pause();
  }
}
const ACCOUNTS_A_PAGE = 1_000;

type LedgerAudit = {
  accounts: number;
  totals: LedgerTotals | null;
  faults: string[];
  damage: string[];
};

export async function auditAccounts(
  context: OperatorContext,
  page: readonly IndexedAccount[],
  next: IndexedAccount | null,
  now: number,
): Promise<LedgerAudit> {
  if (context.whole !== null) {
    const { audit, damage } = await context.whole.check({ now });
    if (audit === null) return { accounts: 0, totals: null, faults: [], damage };
    const { accounts, totals, faults } = audit;
    const grants = () => allGrants(context);
    const bought = await auditPurchases(context.purchases, { ledger: context.ledger, grants }, now);
    return { accounts, totals, faults: [...faults, ...bought], damage };
  }
  const sum = { accounts: 0, totals: zeroTotals(), faults: [] as string[], damage: [] };
  await inParallel(page, async ({ account }) => {
    const audit = await auditAccount(context, account, now);
    if (audit === null) return;
    sum.accounts += 1;
    addTotals(sum.totals, audit.totals);
    sum.faults.push(...audit.faults);
  });
  sum.faults.sort();
  if (next === null) sum.faults.push(...(await auditUnknown(context, now)));
  return sum;
}

/** Null for an account that is listed but was never opened, or whose import is not finished. */
async function auditAccount(context: OperatorContext, account: string, now: number) {
  const { ledger, purchases } = context;
  if ((await ledger.findAccount({ account, now })) === null) return null;
  const audit = await ledger.audit({ account, now });
  const grants = async function* (): AsyncGenerator<GrantSeen[]> {
    yield (await everyGrant(ledger, { account, now })).map((grant) => ({ account, ...grant }));
  };
  const own = { listAll: ofAccount(purchases, account) };
  const bought = await auditPurchases(own, { ledger, grants }, now);
  return { totals: audit.totals, faults: [...audit.faults, ...bought] };
}

/** Reads the purchases of one account, newest first, as `auditPurchases` reads those of all. */
const ofAccount =
  ({ list }: OperatorContext["purchases"], account: string) =>
  ({ after, max }: { after: { id: string } | null; max: number }): Promise<Purchase[]> =>
    list({ account, after: after?.id ?? null, max });

/** Audits the purchases whose account the ledger does not have. */
async function auditUnknown({ ledger, purchases }: OperatorContext, now: number) {
  const unknown: Purchase[] = [];
  for await (const purchase of listAllPurchases(purchases))
    if (purchase.trouble === "no_account") unknown.push(purchase);
  const grants = async function* (): AsyncGenerator<GrantSeen[]> {};
  const listAll = async ({ after }: { after: object | null }) => (after === null ? unknown : []);
  return auditPurchases({ listAll }, { ledger, grants }, now);
}

export async function* allGrants(context: OperatorContext): AsyncGenerator<readonly GrantMade[]> {
  if (context.whole === null) return;
  for (let after: number | null = null, isOver = false; !isOver; isOver = after === null) {
    const page = await context.whole.grants({ after, max: GRANTS_A_PAGE });
    yield page.grants;
    after = page.next;
    await context.pause();
  }
}
const GRANTS_A_PAGE = 1_000;

const AT_ONCE = 8;

/** Runs the work on each item, with up to 8 of them in progress at once. */
export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
