import { Fault } from "#errors.ts";
import type { DebitOutcome } from "#ledger/port.ts";
import { CALL_PRICE } from "#limits.ts";
import type { AppContext } from "./app-context.ts";
import type { RequestContext } from "./reply.ts";

/** The refusals that depend on who calls, in the words of the API. */

/** The ledger is out of reach: no call is made without it. */
export function unavailable(cause: unknown): Fault {
  return new Fault(
    "unavailable",
    "The ledger of credits is out of reach. The call was not charged.",
    {
      cause,
      headers: { "Retry-After": "2" },
    },
  );
}

export function suspended(context: RequestContext, balance: number): Fault {
  context.balance = balance;
  return new Fault("account_suspended", "The operator of this service has suspended the account.");
}

export function tooOften(app: AppContext, retryAfterSeconds: number): Fault {
  return new Fault(
    "rate_limited",
    `The account makes more than ${app.settings.rateLimit} calls a second. Wait ${retryAfterSeconds} s.`,
    { headers: { "Retry-After": String(retryAfterSeconds) } },
  );
}

export function penniless(app: AppContext, context: RequestContext, balance: number): Fault {
  context.balance = balance;
  const topUpUrl = `${app.settings.publicUrl}/docs#credits`;
  return new Fault(
    "insufficient_credits",
    `A call costs ${CALL_PRICE} credit and the balance is ${balance}. How to get more: ${topUpUrl}`,
    { members: { balance, price: CALL_PRICE, topUpUrl } },
  );
}

/** Notes a debit's outcome for the headers of the answer; throws where it refuses the call. The key's own refusal comes before. */
export function settleDebit(
  app: AppContext,
  context: RequestContext,
  outcome: Exclude<DebitOutcome, { outcome: "invalid_key" }>,
): void {
  context.charged = outcome.outcome === "debited" ? outcome.charged : 0;
  if (outcome.outcome === "account_suspended") throw suspended(context, outcome.balance);
  context.balance = outcome.balance;
  if (outcome.outcome === "insufficient_credits") throw penniless(app, context, outcome.balance);
  if (outcome.outcome === "idempotency_key_reused") {
    throw new Fault(
      "idempotency_key_reused",
      "This Idempotency-Key was used on this path within 24 hours with a different body.",
    );
  }
}
