import type { PaymentState } from "./payment-provider.ts";
import type { Purchase, PurchaseStore } from "./purchase-store.ts";
import type { SettleOutcome, SettleRef } from "./settle-purchase.ts";

/** Result of comparing payments with the provider. Differences that could be settled are settled. */
export type Comparison = {
  /** Number of payments that the provider knows, plus purchases that only we know. */
  looked: number;
  /** How many of them matched. */
  inOrder: number;
  /** Purchases that did not match their payment and now do. */
  settledNow: ComparedPayment[];
  /** Purchases that need a decision of the operator. */
  inTrouble: (ComparedPayment & { what: string; todo: string })[];
};

export type ComparedPayment = {
  purchase: string;
  account: string;
  session: string | null;
  payment: string | null;
  status: Purchase["status"];
};

/** What a comparison reads and does, locally or over the network. */
export type ComparisonDeps = {
  /** Every payment that the provider knows, begun at or after `since`. */
  payments(order: { since: number }): AsyncIterable<PaymentState>;
  listAll: PurchaseStore["listAll"];
  settle(ref: SettleRef): Promise<SettleOutcome>;
};

const PAGE = 100;

/**
 * Settles every payment that the provider knows since then, and every stored purchase. Settling compares with the ledger as
 * well. Throws where the provider or a store fails in between; the operator can then run it again.
 */
export async function comparePayments(
  { payments, listAll, settle }: ComparisonDeps,
  { since }: { since: number },
): Promise<Comparison> {
  const comparison: Comparison = { looked: 0, inOrder: 0, settledNow: [], inTrouble: [] };
  const seen = new Set<string>();
  for await (const state of payments({ since })) {
    if (state.purchase === null) continue;
    seen.add(state.purchase);
    addResult(comparison, state, await settle({ session: state.session }));
  }
  let after = { createdAt: since, id: "" };
  for (;;) {
    const page = await listAll({ after, max: PAGE });
    for (const purchase of page) {
      if (seen.has(purchase.id)) continue;
      addResult(comparison, purchase, await settle({ purchase: purchase.id }));
    }
    const last = page.at(-1);
    if (last === undefined) return comparison;
    after = { createdAt: last.createdAt, id: last.id };
  }
}

function addResult(
  comparison: Comparison,
  compared: PaymentState | Purchase,
  settled: SettleOutcome,
): void {
  comparison.looked += 1;
  const payment = describe(settled.outcome === "not_ours" ? compared : settled.purchase);
  const problem = problemOf(settled, payment);
  if (problem !== null) comparison.inTrouble.push({ ...payment, ...problem });
  else if (settled.outcome === "settled" && settled.changed) comparison.settledNow.push(payment);
  else comparison.inOrder += 1;
}

function describe(compared: PaymentState | Purchase): ComparedPayment {
  const { session, payment, status } = compared;
  const purchase = "id" in compared ? compared.id : (compared.purchase ?? "");
  return { purchase, account: compared.account ?? "", session, payment, status };
}

function problemOf(
  settled: SettleOutcome,
  { payment }: ComparedPayment,
): { what: string; todo: string } | null {
  if (settled.outcome === "not_ours") {
    return {
      what: "This payment names a purchase that belongs to another checkout page, or does not say what was bought.",
      todo: "Look at the payment in the provider's dashboard. If it was paid, refund it there or grant the credits by hand.",
    };
  }
  if (settled.outcome === "no_payment") {
    return {
      what: "The purchase is stored here, but the provider does not know its payment.",
      todo: "Check that STRIPE_SECRET_KEY belongs to the account and mode (test or live) in which the purchase was made.",
    };
  }
  const { trouble } = settled.purchase;
  if (trouble === null) return null;
  return {
    what:
      trouble === "account_closed"
        ? "The purchase was paid after the account was closed, so its credits could not be granted."
        : "The purchase was paid, but the ledger has no such account, so its credits could not be granted.",
    todo: `Refund ${payment ?? "the payment"} in the provider's dashboard. The refund settles the purchase.`,
  };
}
