import * as z from "zod";

/** What a time must be. */
export const TIME = "must be a whole number of milliseconds since 1970 UTC";

const name = z.string().min(1);
const time = z.int(TIME).min(0, TIME);
const count = z.int().min(0);

/**
 * A purchase as a record of an export (`records.ts`): the offer, the state of its payment, and its grant. Money is in minor
 * units of the currency. Its account must exist, unless `trouble` is `no_account`.
 */
export const purchaseRecord = z.strictObject({
  record: z.literal("purchase"),
  id: name,
  account: name,
  createdAt: time,
  offer: name,
  kind: z.enum(["pack", "lifetime"]),
  name,
  credits: z.int().min(1),
  months: z.int().min(1).nullable(),
  price: count,
  currency: name,
  session: name.nullable(),
  payment: name.nullable(),
  status: z.enum(["open", "pending", "paid", "failed", "expired"]),
  paidAt: time.nullable(),
  paid: count,
  refunded: count,
  refundedAt: time.nullable(),
  dispute: z.enum(["none", "open", "won", "lost"]),
  payUrl: name.nullable(),
  receiptUrl: name.nullable(),
  invoiceUrl: name.nullable(),
  grant: name.nullable(),
  voided: count,
  spent: count,
  trouble: z.enum(["account_closed", "no_account"]).nullable(),
  updatedAt: time,
});
