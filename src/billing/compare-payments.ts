import * as z from "zod";
import { OrderRejected } from "#ledger/port.ts";
import type { PaymentProvider, PaymentState } from "./payment-provider.ts";
import type { Purchase, PurchaseStore } from "./purchase-store.ts";
import type { SettleOutcome, SettleRef } from "./settle-purchase.ts";

/** Result of comparing payments with the provider. Differences that could be settled are settled. */
export type Comparison = {
  /** Number of purchases that we know, plus payments that only the provider knows. */
  looked: number;
  /** How many of them matched. */
  inOrder: number;
  /** Purchases that did not match their payment and now do. */
  settledNow: ComparedPayment[];
  /** Purchases that need a decision of the operator. */
  inTrouble: (ComparedPayment & { what: string; todo: string })[];
  /** Where the next page continues; null at the end. */
  next: string | null;
};

export type ComparedPayment = {
  purchase: string;
  account: string;
  session: string | null;
  payment: string | null;
  status: Purchase["status"];
};

type Deps = {
  purchases: Pick<PurchaseStore, "find" | "listAll">;
  listPayments: PaymentProvider["list"];
  settle(ref: SettleRef): Promise<SettleOutcome>;
};

/** Each asks the provider once, and a Worker may send only so many requests. */
const SETTLED_AT_ONCE = 100;

/** Where a comparison is: first come the purchases that we have stored, then the payments that the provider knows. */
const CURSOR = z.union([
  z.strictObject({ purchases: z.strictObject({ createdAt: z.int(), id: z.string() }) }),
  z.strictObject({ payments: z.string().nullable() }),
]);
type Cursor = z.infer<typeof CURSOR>;

/** Throws `OrderRejected` for text that is no cursor. */
function parseCursor(text: string): Cursor {
  try {
    return CURSOR.parse(JSON.parse(text));
  } catch {
    throw new OrderRejected(
      "The cursor of the comparison is invalid: pass the `next` of the previous page",
    );
  }
}

/**
 * Settles the next purchases that were begun since then; after the last of them, the provider's payments that no stored purchase names.
 * Settling compares with the ledger as well. Throws where the provider or a store fails in between; the operator can then run it again.
 */
export async function comparePayments(
  deps: Deps,
  { since, after }: { since: number; after: string | null },
): Promise<Comparison> {
  const comparison: Comparison = {
    ...{ looked: 0, inOrder: 0, settledNow: [], inTrouble: [], next: null },
  };
  const first: Cursor = { purchases: { createdAt: since, id: "" } };
  let cursor: Cursor | null = after === null ? first : parseCursor(after);
  while (cursor !== null && comparison.looked < SETTLED_AT_ONCE)
    cursor =
      "purchases" in cursor
        ? await settlePurchases(deps, comparison, cursor.purchases)
        : await settlePayments(deps, comparison, since, cursor.payments);
  return { ...comparison, next: cursor && JSON.stringify(cursor) };
}

async function settlePurchases(
  { purchases, settle }: Deps,
  comparison: Comparison,
  after: { createdAt: number; id: string },
): Promise<Cursor> {
  const page = await purchases.listAll({ after, max: SETTLED_AT_ONCE });
  for (const purchase of page)
    addResult(comparison, purchase, await settle({ purchase: purchase.id }));
  const last = page.at(-1);
  return last === undefined
    ? { payments: null }
    : { purchases: { createdAt: last.createdAt, id: last.id } };
}

async function settlePayments(
  { listPayments, purchases, settle }: Deps,
  comparison: Comparison,
  since: number,
  after: string | null,
): Promise<Cursor | null> {
  const { payments, next } = await listPayments({ since, after });
  for (const state of payments) {
    if (state.purchase === null) continue;
    const stored = await purchases.find({ id: state.purchase });
    const wasSettled = stored?.session === state.session && stored.createdAt >= since;
    if (!wasSettled) addResult(comparison, state, await settle({ session: state.session }));
  }
  return next === null ? null : { payments: next };
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
