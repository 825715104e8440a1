import * as z from "zod";
import { purchaseRecord } from "#ledger/transfer/purchase-record.ts";
import { account, count, cursor, pageMax, time } from "./members.ts";

/** Inputs and outputs of operations on purchases and payments. */

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

export const SALES_SCHEMAS = {
  listPurchases: {
    input: z.strictObject({ account, after: cursor, max: pageMax }),
    output: z.array(purchase),
  },
  listAllPurchases: {
    input: z.strictObject({ after: purchaseCursor, max: pageMax }),
    output: z.array(purchase),
  },
  revenue: {
    input: z.strictObject({ from: time, to: time }),
    output: z.array(revenueRow),
  },
  listPayments: {
    input: z.strictObject({ since: time, after: name.nullable() }),
    output: z.object({ payments: z.array(payment), next: text }),
  },
  settlePurchase: {
    input: z.strictObject({ ref: settleRef }),
    output: z.discriminatedUnion("outcome", [
      z.object({ outcome: z.literal("settled"), purchase, changed: z.boolean() }),
      z.object({ outcome: z.literal("no_payment"), purchase }),
      z.object({ outcome: z.literal("not_ours") }),
    ]),
  },
  importPurchases: {
    input: z.strictObject({ records: z.array(purchaseRecord).max(100) }),
    output: z.object({ added: count }),
  },
};
