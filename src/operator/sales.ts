import { AccountError, runSteps } from "#accounts/accounts.ts";
import type { Billing } from "#billing/billing.ts";
import { ProviderRejected, ProviderUnavailable } from "#billing/payment-provider.ts";
import { recordToPurchase } from "#billing/purchase-store.ts";
import { type OperatorContext, ProviderUnreachable } from "./context.ts";
import { done, type OperationsOf } from "./define-operation.ts";
import type { SALES_SCHEMAS } from "./schemas/sales.ts";

/**
 * Operations on purchases and payments. The client compares them with the payment provider page by page and payment by payment,
 * so that no request takes long.
 */

export const SALES_OPERATIONS: OperationsOf<typeof SALES_SCHEMAS> = {
  listPurchases: {
    action: null,
    run: ({ purchases }, order) => purchases.list(order),
  },
  listAllPurchases: {
    action: null,
    run: ({ purchases }, order) => purchases.listAll(order),
  },
  revenue: {
    action: null,
    run: ({ purchases }, order) => purchases.revenue(order),
  },
  /** Returns a page of the payments that the provider has for this service. */
  listPayments: {
    action: {
      subject: () => null,
      isPart: ({ after }) => after !== null,
      end: ({ payments, next }) =>
        done(`${payments.length}${next === null ? "" : " and more"} payments to compare`),
    },
    run: (context, order) => withBilling(context, (billing) => billing.listPayments(order)),
  },
  settlePurchase: {
    action: {
      subject: ({ ref }) => Object.values(ref)[0] ?? null,
      end(settled) {
        if (settled.outcome !== "settled" || !settled.changed) return null;
        const { id, account, status } = settled.purchase;
        return done(`${id} of ${account}, ${status}`);
      },
    },
    run: (context, { ref }) => withBilling(context, (billing) => billing.settle(ref)),
  },
  /** Adds the purchases of imported accounts. Purchases that exist already stay as they are. */
  importPurchases: {
    action: { subject: () => null, end: ({ added }) => done(`${added} added`) },
    run: ({ purchases }, { records }) =>
      runSteps(async () => {
        let added = 0;
        for (const record of records) {
          if ((await purchases.add(recordToPurchase(record))).added) added += 1;
        }
        return { added };
      }),
  },
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
