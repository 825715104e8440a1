import * as z from "zod";
import type { IndexedAccount } from "#accounts/directory.ts";
import { decimalText } from "#billing/money.ts";
import type { RevenueRow } from "#billing/purchase-store.ts";
import { everyGrant, usagePages } from "#ledger/read-pages.ts";
import { DAY_MS } from "#limits.ts";
import {
  allGrants,
  auditAccounts,
  cursor,
  cursorAfter,
  inParallel,
  nextAccounts,
  totals,
} from "./audit.ts";
import type { GrantMade, OperatorContext } from "./context.ts";
import { count, day, grantKind, textOrNull, time, timeOrNull } from "./members.ts";
import { defineOperation, wholeService } from "./operation.ts";
import { dayOf } from "./times.ts";

/** The report of a period: usage, grants, revenue, and current balances. */

const usageOfDay = z.object({ day: z.iso.date(), tool: z.string(), calls: count, credits: count });
const account = z.object({
  ...{
    id: z.string(),
    email: textOrNull,
    state: z.enum(["open", "suspended", "closed"]),
  },
  /** The current balance. */
  ...{ balance: z.int(), calls: count, credits: count },
});
const grant = z.object({
  ...{ account: z.string(), email: textOrNull, id: z.string(), kind: grantKind },
  ...{ amount: count, grantedAt: time, expiresAt: timeOrNull },
});
/** Amounts of money are decimal strings. */
const revenue = z.object({
  ...{ day: z.iso.date(), currency: z.string(), purchases: count },
  ...{ paid: z.string(), refunds: count, refunded: z.string() },
});

export const report = defineOperation({
  name: "report",
  summary: "Report usage, grants and revenue of a period, with current balances",
  input: z
    .strictObject({ from: day, to: day, after: cursor })
    .refine(({ from, to }) => from <= to, "--from must not be after --to"),
  output: z.object({
    ...{ from: z.iso.date(), to: z.iso.date(), days: z.array(usageOfDay) },
    ...{ accounts: z.array(account), grants: z.array(grant), revenue: z.array(revenue) },
    ledger: z.object({ ok: z.boolean(), accounts: count }).extend({ totals: totals.nullable() }),
    /** Where the next request continues, if each account has a database of its own; null at the end. */
    next: textOrNull,
  }),
  find: wholeService,
  action: null,
  async run(context, { from, to, after = null }, { now }) {
    const period = { from, to: to + DAY_MS };
    const { page, next } = await nextAccounts(context, after);
    const days = new Map<string, z.infer<typeof usageOfDay>>();
    const accounts: z.infer<typeof account>[] = [];
    const grants: z.input<typeof grant>[] = [];
    const granted = await grantsByAccount(context, page, period, now);
    await inParallel(page, async (indexed) => {
      const read = await readAccount(context, indexed, period, now);
      const own = granted.get(indexed.account) ?? [];
      if (read === null) return;
      const { usage, ...sums } = read;
      for (const each of usage) addTo(days, each);
      grants.push(...own.map((one) => ({ ...one, email: sums.email })));
      // Of closed accounts only those that the period concerns.
      if (sums.state !== "closed" || sums.calls > 0 || own.length > 0) accounts.push(sums);
    });
    const audit = await auditAccounts(context, page, next, now);
    const ok = audit.faults.length === 0 && audit.damage.length === 0;
    return {
      ...{ from: dayOf(from), to: dayOf(to), days: [...days.values()], accounts, grants },
      revenue: next === null ? (await context.purchases.revenue(period)).map(viewRevenue) : [],
      ledger: { ok, accounts: audit.accounts, totals: audit.totals },
      next: cursorAfter(next),
    };
  },
});

type Period = { from: number; to: number };
type UsageSum = z.infer<typeof usageOfDay>;
type AccountRead = z.infer<typeof account> & { usage: UsageSum[] };

/** Null for an account that is listed but was never opened, or whose import is not finished. */
async function readAccount(
  context: OperatorContext,
  { account: id, createdAt }: IndexedAccount,
  period: Period,
  now: number,
): Promise<AccountRead | null> {
  const { ledger, directory } = context;
  const status = await ledger.findAccount({ account: id, now });
  if (status === null) return null;
  const address = await directory.findByAccount({ account: id });
  const days = new Map<string, UsageSum>();
  // Where each account is a request, only while it existed. One more day allows for clock differences.
  const from = context.whole === null ? Math.max(period.from, createdAt - DAY_MS) : period.from;
  const order = { account: id, from, to: period.to };
  for await (const hours of usagePages(ledger, order)) {
    for (const { hour, tool, calls, credits } of hours)
      addTo(days, { day: dayOf(hour), tool, calls, credits });
    await context.pause();
  }
  const usage = [...days.values()];
  const sum = (of: "calls" | "credits") => usage.reduce((total, each) => total + each[of], 0);
  const { state, balance } = status;
  const email = address?.email ?? null;
  return { ...{ id, email, state, balance }, calls: sum("calls"), credits: sum("credits"), usage };
}

function addTo(days: Map<string, UsageSum>, { day, tool, calls, credits }: UsageSum): void {
  const sum = days.get(`${day} ${tool}`) ?? { day, tool, calls: 0, credits: 0 };
  sum.calls += calls;
  sum.credits += credits;
  days.set(`${day} ${tool}`, sum);
}

/** The grants of these accounts that were made in the period. */
async function grantsByAccount(
  context: OperatorContext,
  page: readonly IndexedAccount[],
  { from, to }: Period,
  now: number,
): Promise<Map<string, GrantMade[]>> {
  const found = new Map<string, GrantMade[]>();
  const keep = (grants: readonly GrantMade[]) => {
    for (const grant of grants) {
      if (grant.grantedAt < from || grant.grantedAt >= to) continue;
      const own = found.get(grant.account);
      if (own === undefined) found.set(grant.account, [grant]);
      else own.push(grant);
    }
  };
  if (context.whole !== null) for await (const grants of allGrants(context)) keep(grants);
  else
    await inParallel(page, async ({ account }) => {
      const own = await everyGrant(context.ledger, { account, now });
      keep(own.map((grant) => ({ account, ...grant })));
    });
  return found;
}

const viewRevenue = ({ day, paid, refunded, ...row }: RevenueRow) => ({
  ...{ ...row, day: dayOf(day), paid: decimalText(paid, row.currency) },
  refunded: decimalText(refunded, row.currency),
});
