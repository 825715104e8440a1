import type { RecordOf } from "#ledger/transfer/records.ts";
import type { Purchase } from "./purchase-store.ts";

/** A purchase as a record of a transfer, and back. */
export const toRecord = ({ offer, ...purchase }: Purchase): RecordOf<"purchase"> => ({
  record: "purchase",
  ...purchase,
  ...{ offer: offer.id, kind: offer.kind, name: offer.name },
  ...{ credits: offer.credits, months: offer.months },
});

export function toPurchase(line: RecordOf<"purchase">): Purchase {
  const { record: _, offer: id, kind, name, credits, months, ...purchase } = line;
  return { ...purchase, offer: { id, kind, name, credits, months } };
}
