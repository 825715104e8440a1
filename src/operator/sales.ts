import * as z from "zod";
import { AccountError, runSteps } from "#accounts/accounts.ts";
import type { Billing } from "#billing/billing.ts";
import { ProviderRejected, ProviderUnavailable } from "#billing/payment-provider.ts";
import { recordToPurchase } from "#billing/purchase-store.ts";
import { anyVersionPurchase } from "#ledger/transfer/older-records.ts";
import { purchaseRecord } from "#ledger/transfer/purchase-record.ts";
import { type OperatorContext, ProviderUnreachable } from "./context.ts";
import {
  account,
  changing,
  count,
  cursor,
  done,
  pageMax,
  reading,
  time,
} from "./define-operation.ts";

/**
 * Operations on purchases and payments. The client compares them with the payment provider page by page and payment by payment,
 * so that no request takes long.
 */

const name = z.string().min(1).max(200);
const purchaseCursor = z.strictObject({ createdAt: time, id: z.string().max(100) }).nullable();
const settleRef = z.union([
  z.strictObject({ purchase: name }),
  z.strictObject({ session: name }),
  z.strictObject({ payment: name }),
]);

const { kind, status, dispute, trouble } = purchaseRecord.shape;
const text = z.string().nullable();
const offered = {
  id: z.string(),
  kind,
  name: z.string(),
  credits: count,
  months: count.nullable(),
};
const purchase = z.object({
  id: z.string(),
  account: z.string(),
  createdAt: time,
  offer: z.object(offered),
  price: count,
  currency: z.string(),
  session: text,
  payment: text,
  status,
  paidAt: time.nullable(),
  paid: count,
  refunded: count,
  refundedAt: time.nullable(),
  dispute,
  payUrl: text,
  receiptUrl: text,
  invoiceUrl: text,
  grant: text,
  voided: count,
  spent: count,
  trouble,
  updatedAt: time,
});
const payment = z.object({
  session: z.string(),
  purchase: text,
  account: text,
  payment: text,
  status,
  paidAt: time.nullable(),
  paid: count,
  refunded: count,
  currency: z.string(),
  dispute,
  payUrl: text,
  receiptUrl: text,
  invoiceUrl: text,
  bought: z.object({ ...offered, price: count }).nullable(),
});
const revenueRow = z.object({
  day: time,
  currency: z.string(),
  purchases: count,
  paid: z.int(),
  refunds: count,
  refunded: z.int(),
});

export const SALES_OPERATIONS = {
  listPurchases: reading({
    input: z.strictObject({ account, after: cursor, max: pageMax }),
    output: z.array(purchase),
    run: ({ purchases }, order) => purchases.list(order),
  }),
  listAllPurchases: reading({
    input: z.strictObject({ after: purchaseCursor, max: pageMax }),
    output: z.array(purchase),
    run: ({ purchases }, order) => purchases.listAll(order),
  }),
  revenue: reading({
    input: z.strictObject({ from: time, to: time }),
    output: z.array(revenueRow),
    run: ({ purchases }, order) => purchases.revenue(order),
  }),
  /** Returns a page of the payments that the provider has for this service. */
  listPayments: changing({
    input: z.strictObject({ since: time, after: name.nullable() }),
    output: z.object({ payments: z.array(payment), next: text }),
    action: {
      subject: () => null,
      isPart: ({ after }) => after !== null,
      end: ({ payments, next }) =>
        done(`${payments.length}${next === null ? "" : " and more"} payments to compare`),
    },
    run: (context, order) => withBilling(context, (billing) => billing.listPayments(order)),
  }),
  settlePurchase: changing({
    input: z.strictObject({ ref: settleRef }),
    output: z.discriminatedUnion("outcome", [
      z.object({ outcome: z.literal("settled"), purchase, changed: z.boolean() }),
      z.object({ outcome: z.literal("no_payment"), purchase }),
      z.object({ outcome: z.literal("not_ours") }),
    ]),
    action: {
      subject: ({ ref }) => Object.values(ref)[0] ?? null,
      end(settled) {
        if (settled.outcome !== "settled" || !settled.changed) return null;
        const { id, account, status } = settled.purchase;
        return done(`${id} of ${account}, ${status}`);
      },
    },
    run: (context, { ref }) => withBilling(context, (billing) => billing.settle(ref)),
  }),
  /** Adds the purchases of imported accounts. Existing purchases are not changed. */
  importPurchases: changing({
    input: z.strictObject({ records: z.array(anyVersionPurchase).max(100) }),
    output: z.object({ added: count }),
    action: { subject: () => null, end: ({ added }) => done(`${added} added`) },
    run: ({ purchases }, { records }) =>
      runSteps(async () => {
        let added = 0;
        for (const record of records) {
          if ((await purchases.add(recordToPurchase(record))).added) added += 1;
        }
        return { added };
      }),
  }),
};

async function withBilling<Outcome>(
  { billing }: OperatorContext,
  request: (billing: Pick<Billing, "listPayments" | "settle">) => Promise<Outcome>,
): Promise<Outcome> {
  const configured = await billing();
  if (configured === null) throw new AccountError(NOT_CONFIGURED);
  try {
    return await request(configured);
  } catch (error) {
    if (error instanceof ProviderRejected) throw new AccountError(error.message);
    if (!(error instanceof ProviderUnavailable)) throw error;
    throw new ProviderUnreachable(error.message, { cause: error });
  }
}

const NOT_CONFIGURED =
  "This command compares payments with Stripe. Set STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and TOOLBOOTH_PRICES to the server's values.";
