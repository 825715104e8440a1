import { actInSteps } from "#accounts/act-in-steps.ts";
import { DeskRefusal } from "#accounts/people.ts";
import type { Billing } from "#billing/billing.ts";
import { type PaymentPage, ProviderAway, ProviderRefused } from "#billing/payment-provider.ts";
import type { Purchase, PurchaseBook, RevenueRow } from "#billing/purchase-book.ts";
import { toPurchase } from "#billing/record-purchase.ts";
import type { SettleOutcome, SettleRef } from "#billing/settle-purchase.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import type { RecordOf } from "#ledger/transfer/records.ts";

/**
 * What operators ask of a deployed service about what it has sold. A comparison with the payment provider is put together
 * by who asks, page by page and payment by payment: so no question takes long, however much was sold.
 */
export type SalesOperations = {
  listPurchases: [Parameters<PurchaseBook["list"]>[0], Purchase[]];
  listAllPurchases: [Parameters<PurchaseBook["listAll"]>[0], Purchase[]];
  revenue: [Parameters<PurchaseBook["revenue"]>[0], RevenueRow[]];
  /** Payments of ours that the provider tells of, a page. */
  listPayments: [{ since: number; after: string | null }, PaymentPage];
  settlePurchase: [{ ref: SettleRef }, SettleOutcome];
  /** Of accounts that have come in. What is there already stays as it is. */
  importPurchases: [{ records: readonly RecordOf<"purchase">[] }, { added: number }];
};

export type SalesDesk = {
  [Name in keyof SalesOperations]: (
    order: SalesOperations[Name][0],
  ) => Promise<SalesOperations[Name][1]>;
};

export function createSalesDesk({
  purchases,
  billing,
}: {
  purchases: Pick<PurchaseBook, "add" | "list" | "listAll" | "revenue">;
  /** Null: nobody takes money. */
  billing: Pick<Billing, "listPayments" | "settle"> | null;
}): SalesDesk {
  return {
    listPurchases: purchases.list,
    listAllPurchases: purchases.listAll,
    revenue: purchases.revenue,
    listPayments: (order) => reaching(billing, (selling) => selling.listPayments(order)),
    settlePurchase: ({ ref }) => reaching(billing, ({ settle }) => settle(ref)),
    importPurchases: ({ records }) =>
      actInSteps(async () => {
        let added = 0;
        for (const record of records) {
          if ((await purchases.add(toPurchase(record))).added) added += 1;
        }
        return { added };
      }),
  };
}

/** What settling has done stays done, and is right to be asked for again. */
async function reaching<Answer, Asked extends object>(
  billing: Asked | null,
  ask: (billing: Asked) => Promise<Answer>,
): Promise<Answer> {
  if (billing === null) throw new DeskRefusal(NOBODY_TAKES_MONEY);
  try {
    return await ask(billing);
  } catch (error) {
    if (error instanceof ProviderRefused) throw new DeskRefusal(error.message);
    if (!(error instanceof ProviderAway)) throw error;
    throw new NotCarriedOut(error.message, { cause: error });
  }
}

const NOBODY_TAKES_MONEY =
  "Payments are compared with Stripe, and this service has no STRIPE_SECRET_KEY: set it with STRIPE_WEBHOOK_SECRET and TOOLBOOTH_PRICES.";
