import { AccountError } from "#accounts/people.ts";
import type { Billing } from "#billing/billing.ts";
import { ProviderRejected, ProviderUnavailable } from "#billing/payment-provider.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import type { OperatorContext } from "./context.ts";

/** The payment provider did not answer. What settling has done stays done, and is right to be asked for again. */
export class ProviderUnreachable extends NotCarriedOut {}

export async function reaching<Outcome>(
  { billing }: OperatorContext,
  ask: (billing: Pick<Billing, "listPayments" | "settle">) => Promise<Outcome>,
): Promise<Outcome> {
  const selling = await billing();
  if (selling === null) throw new AccountError(NOT_SET_UP);
  try {
    return await ask(selling);
  } catch (error) {
    if (error instanceof ProviderRejected) throw new AccountError(error.message);
    if (!(error instanceof ProviderUnavailable)) throw error;
    throw new ProviderUnreachable(error.message, { cause: error });
  }
}

const NOT_SET_UP =
  "Payments are compared with Stripe: set STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and TOOLBOOTH_PRICES as for the server.";
