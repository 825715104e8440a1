import type { PaymentState } from "./payment-provider.ts";
import type { Purchase, PurchaseStore } from "./purchase-store.ts";
import type { SettleOutcome, SettleRef } from "./settle-purchase.ts";

/** What the operator's comparison found; what it could settle is settled. */
export type Comparison = {
  /** Payments of ours that the provider told of, and purchases in the book that it did not. */
  looked: number;
  inOrder: number;
  /** What was not as its payment stands, and is now. */
  settledNow: ComparedPayment[];
  /** What a person has to decide. */
  inTrouble: (ComparedPayment & { what: string; todo: string })[];
};

export type ComparedPayment = {
  purchase: string;
  account: string;
  session: string | null;
  payment: string | null;
  status: Purchase["status"];
};

/** What a comparison asks, near or from afar. */
export type ComparisonParts = {
  /** Every payment since that the provider tells of. */
  payments(order: { since: number }): AsyncIterable<PaymentState>;
  listAll: PurchaseStore["listAll"];
  settle(ref: SettleRef): Promise<SettleOutcome>;
};

const PAGE = 100;

/**
 * Asks the provider for every payment since, and the book for every purchase: each is settled, which compares it with the
 * ledger too. Where the provider or a store goes away in the midst, it throws; beginning again is right.
 */
export async function comparePayments(
  { payments, listAll, settle }: ComparisonParts,
  { since }: { since: number },
): Promise<Comparison> {
  const found: Comparison = { looked: 0, inOrder: 0, settledNow: [], inTrouble: [] };
  const seen = new Set<string>();
  for await (const state of payments({ since })) {
    if (state.purchase === null) continue;
    seen.add(state.purchase);
    note(found, state, await settle({ session: state.session }));
  }
  let after = { createdAt: since, id: "" };
  for (;;) {
    const page = await listAll({ after, max: PAGE });
    for (const purchase of page) {
      if (seen.has(purchase.id)) continue;
      note(found, purchase, await settle({ purchase: purchase.id }));
    }
    const last = page.at(-1);
    if (last === undefined) return found;
    after = { createdAt: last.createdAt, id: last.id };
  }
}

function note(found: Comparison, asked: PaymentState | Purchase, settled: SettleOutcome): void {
  found.looked += 1;
  const named = settled.outcome === "not_ours" ? namesOf(asked) : namesOf(settled.purchase);
  const trouble = troubleOf(settled, named);
  if (trouble !== null) found.inTrouble.push({ ...named, ...trouble });
  else if (settled.outcome === "settled" && settled.changed) found.settledNow.push(named);
  else found.inOrder += 1;
}

function namesOf(it: PaymentState | Purchase): ComparedPayment {
  const { session, payment, status } = it;
  const purchase = "id" in it ? it.id : (it.purchase ?? "");
  return { purchase, account: it.account ?? "", session, payment, status };
}

function troubleOf(
  settled: SettleOutcome,
  { payment }: ComparedPayment,
): { what: string; todo: string } | null {
  if (settled.outcome === "not_ours") {
    return {
      what: "This payment names a purchase that belongs to another page, or does not say what was bought.",
      todo: "Look at it in the provider's dashboard. If it was paid, refund it there, or grant the credits by hand.",
    };
  }
  if (settled.outcome === "no_payment") {
    return {
      what: "The purchase is in the book, but the provider knows no such payment.",
      todo: "Check that STRIPE_SECRET_KEY is of the same account and mode (test or live) as when it was bought.",
    };
  }
  const { trouble } = settled.purchase;
  if (trouble === null) return null;
  const closed = trouble === "account_closed";
  return {
    what: closed
      ? "It was paid, but the account was closed before: the credits could not be granted."
      : "It was paid, but the ledger knows no such account: the credits could not be granted.",
    todo: `Refund ${payment ?? "the payment"} in the provider's dashboard; the purchase is settled by that.`,
  };
}
