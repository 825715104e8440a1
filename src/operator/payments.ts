import * as z from "zod";
import { AccountError, runSteps } from "#accounts/accounts.ts";
import { decimalText } from "#billing/money.ts";
import { ProviderRejected, ProviderUnavailable } from "#billing/payment-provider.ts";
import type { Purchase } from "#billing/purchase-store.ts";
import { isAccountId } from "#ids.ts";
import { DAY_MS } from "#limits.ts";
import { accountOf } from "./context.ts";
import { count, day, email, text, textOrNull, time, timeOrNull } from "./members.ts";
import { defineOperation, done, wholeService } from "./operation.ts";

/** Operations on purchases and payments. Amounts of money are decimal strings. */

const status = z.enum(["open", "pending", "paid", "failed", "expired"]);
const purchase = z.object({
  ...{ id: z.string(), createdAt: time, offer: z.string(), kind: z.enum(["pack", "lifetime"]) },
  ...{ name: z.string(), credits: count, price: z.string(), currency: z.string(), status },
  ...{ session: textOrNull, payment: textOrNull, paidAt: timeOrNull, paid: z.string() },
  ...{
    refunded: z.string(),
    refundedAt: timeOrNull,
    receiptUrl: textOrNull,
    invoiceUrl: textOrNull,
  },
  dispute: z.enum(["none", "open", "won", "lost"]),
  grant: textOrNull,
  /** Refunded credits: those that were clawed back, and those that were already spent. */
  ...{ voided: count, spent: count },
  /** Why paid credits could not be granted. */
  trouble: z.enum(["account_closed", "no_account"]).nullable(),
});

const PURCHASES_A_PAGE = 500;

export const listPayments = defineOperation({
  name: "payments list",
  summary: "List the purchases of an account, newest first",
  input: z.strictObject({ email }),
  output: z.object({ account: z.string(), purchases: z.array(purchase) }),
  // A closed account has no address.
  find: async (context, input, order) =>
    isAccountId(input.email) ? { account: input.email } : accountOf(context, input, order),
  action: null,
  async run({ purchases }, _, __, { account }) {
    const all: Purchase[] = [];
    for (let after: string | null = null; ; after = all.at(-1)?.id ?? null) {
      const page = await purchases.list({ account, after, max: PURCHASES_A_PAGE });
      all.push(...page);
      if (page.length < PURCHASES_A_PAGE) return { account, purchases: all.map(viewPurchase) };
    }
  },
});

function viewPurchase({ offer, price, paid, refunded, ...purchase }: Purchase) {
  const money = (amount: number) => decimalText(amount, purchase.currency);
  return {
    ...{ ...purchase, price: money(price), paid: money(paid), refunded: money(refunded) },
    ...{ offer: offer.id, kind: offer.kind, name: offer.name, credits: offer.credits },
  };
}

/** Card networks accept disputes for 120 days after the payment. */
const SINCE_DAYS = 120;

const compared = z.object({
  ...{
    purchase: z.string(),
    account: z.string(),
    session: textOrNull,
    payment: textOrNull,
    status,
  },
});

export const reconcilePayments = defineOperation({
  name: "payments reconcile",
  summary:
    "Compare purchases with Stripe and correct them; exit 1 if something needs your decision",
  input: z.strictObject({ since: day.optional(), after: text("CURSOR").optional() }),
  output: z.object({
    ...{ ok: z.boolean(), since: time, looked: count, inOrder: count },
    settledNow: z.array(compared),
    inTrouble: z.array(compared.extend({ what: z.string(), todo: z.string() })),
    /** Where the next request continues; null at the end. */
    next: textOrNull,
  }),
  find: wholeService,
  action: {
    subject: () => null,
    end: ({ looked, settledNow }) => done(`${looked} compared, ${settledNow.length} corrected`),
  },
  async run({ billing }, input, { now }) {
    const since = input.since ?? now - (now % DAY_MS) - SINCE_DAYS * DAY_MS;
    if (billing === null) throw new AccountError(NOT_CONFIGURED);
    const order = { since, after: input.after ?? null };
    // Corrections before a fault are kept.
    const page = await runSteps(() => billing.compare(order)).catch(explain);
    return { ok: page.inTrouble.length === 0, since, ...page };
  },
});

function explain(error: unknown): never {
  if (error instanceof ProviderRejected) throw new AccountError(error.message);
  if (!(error instanceof ProviderUnavailable)) throw error;
  throw new AccountError(
    `${error.message.replace(/\.$/, "")}. Corrections made so far are kept. Run the command again later.`,
  );
}

const NOT_CONFIGURED =
  "This service sells no credits. To compare payments with Stripe, set STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and TOOLBOOTH_PRICES for the server.";
