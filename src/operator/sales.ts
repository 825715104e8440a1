import * as z from "zod";
import { actInSteps } from "#accounts/act-in-steps.ts";
import { toPurchase } from "#billing/record-purchase.ts";
import { anyVersionPurchase } from "#ledger/transfer/older-records.ts";
import { purchaseRecord } from "#ledger/transfer/purchase-record.ts";
import { account, changing, count, cursor, done, pageMax, reading, time } from "./operation.ts";
import { reaching } from "./reach-provider.ts";

/**
 * Rows of the table: what was sold. A comparison with the payment provider is put together by the client, page by page and
 * payment by payment, so that no question takes long, however much was sold.
 */

const name = z.string().min(1).max(200);
const purchasePlace = z.strictObject({ createdAt: time, id: z.string().max(100) }).nullable();
const settleRef = z.union([
  z.strictObject({ purchase: name }),
  z.strictObject({ session: name }),
  z.strictObject({ payment: name }),
]);

const { kind, status, dispute, trouble } = purchaseRecord.shape;
const text = z.string().nullable();
const offered = {
  ...{ id: z.string(), kind, name: z.string() },
  ...{ credits: count, months: count.nullable() },
};
const purchase = z.object({
  ...{ id: z.string(), account: z.string(), createdAt: time, offer: z.object(offered) },
  ...{ price: count, currency: z.string(), session: text, payment: text, status },
  ...{
    paidAt: time.nullable(),
    paid: count,
    refunded: count,
    refundedAt: time.nullable(),
    dispute,
  },
  ...{ payUrl: text, receiptUrl: text, invoiceUrl: text, grant: text, voided: count, spent: count },
  ...{ trouble, updatedAt: time },
});
const payment = z.object({
  ...{ session: z.string(), purchase: text, account: text, payment: text, status },
  ...{ paidAt: time.nullable(), paid: count, refunded: count, currency: z.string(), dispute },
  ...{ payUrl: text, receiptUrl: text, invoiceUrl: text },
  bought: z.object({ ...offered, price: count }).nullable(),
});
const revenueRow = z.object({
  ...{ day: time, currency: z.string(), purchases: count },
  ...{ paid: z.int(), refunds: count, refunded: z.int() },
});

export const SALES_OPERATIONS = {
  listPurchases: reading({
    input: z.strictObject({ account, after: cursor, max: pageMax }),
    output: z.array(purchase),
    run: ({ purchases }, order) => purchases.list(order),
  }),
  listAllPurchases: reading({
    input: z.strictObject({ after: purchasePlace, max: pageMax }),
    output: z.array(purchase),
    run: ({ purchases }, order) => purchases.listAll(order),
  }),
  revenue: reading({
    input: z.strictObject({ from: time, to: time }),
    output: z.array(revenueRow),
    run: ({ purchases }, order) => purchases.revenue(order),
  }),
  /** Payments of ours that the provider tells of, a page. */
  listPayments: changing({
    input: z.strictObject({ since: time, after: name.nullable() }),
    output: z.object({ payments: z.array(payment), next: text }),
    act: {
      subject: () => null,
      isPart: ({ after }) => after !== null,
      end: ({ payments, next }) =>
        done(`${payments.length}${next === null ? "" : " and more"} payments to compare`),
    },
    run: (context, order) => reaching(context, (billing) => billing.listPayments(order)),
  }),
  settlePurchase: changing({
    input: z.strictObject({ ref: settleRef }),
    output: z.discriminatedUnion("outcome", [
      z.object({ outcome: z.literal("settled"), purchase, changed: z.boolean() }),
      z.object({ outcome: z.literal("no_payment"), purchase }),
      z.object({ outcome: z.literal("not_ours") }),
    ]),
    act: {
      subject: ({ ref }) => Object.values(ref)[0] ?? null,
      end(settled) {
        if (settled.outcome !== "settled" || !settled.changed) return null;
        const { id, account, status } = settled.purchase;
        return done(`${id} of ${account}, ${status}`);
      },
    },
    run: (context, { ref }) => reaching(context, (billing) => billing.settle(ref)),
  }),
  /** Of accounts that have come in. What is there already stays as it is. */
  importPurchases: changing({
    input: z.strictObject({ records: z.array(anyVersionPurchase).max(100) }),
    output: z.object({ added: count }),
    act: { subject: () => null, end: ({ added }) => done(`${added} added`) },
    run: ({ purchases }, { records }) =>
      actInSteps(async () => {
        let added = 0;
        for (const record of records) {
          if ((await purchases.add(toPurchase(record))).added) added += 1;
        }
        return { added };
      }),
  }),
};
