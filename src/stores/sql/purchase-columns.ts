import type { RecordOf } from "#ledger/transfer/records.ts";

import { number, type RecordColumn, text } from "./transfer-table.ts";

/** The column of `purchase` for each member of a purchase record, in every database. */
export const PURCHASE_COLUMNS: Record<
  Exclude<keyof RecordOf<"purchase">, "record">,
  RecordColumn
> = {
  id: text("id"),
  account: text("account"),
  createdAt: number("created_at"),
  offer: text("offer"),
  kind: text("kind"),
  name: text("name"),
  credits: number("credits"),
  months: number("months"),
  price: number("price"),
  currency: text("currency"),
  session: text("session"),
  payment: text("payment"),
  status: text("status"),
  paidAt: number("paid_at"),
  paid: number("paid"),
  refunded: number("refunded"),
  refundedAt: number("refunded_at"),
  dispute: text("dispute"),
  payUrl: text("pay_url"),
  receiptUrl: text("receipt_url"),
  invoiceUrl: text("invoice_url"),
  grant: text("grant_id"),
  voided: number("voided"),
  spent: number("spent"),
  trouble: text("trouble"),
  updatedAt: number("updated_at"),
};
