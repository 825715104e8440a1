import { Fault } from "#errors.ts";

/** The errors that depend on the account that calls, in the words of the API. */

/** The ledger cannot be reached: no call is made without it. */
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

export const accountSuspended = () =>
  new Fault("account_suspended", "The operator of this service has suspended the account.");

export function rateLimited(callsPerSecond: number, retryAfterSeconds: number): Fault {
  return new Fault(
    "rate_limited",
    `The account makes more than ${callsPerSecond} calls a second. Wait ${retryAfterSeconds} s.`,
    { headers: { "Retry-After": String(retryAfterSeconds) } },
  );
}

export function insufficientCredits(balance: number, price: number, publicUrl: string): Fault {
  const topUpUrl = `${publicUrl}/docs#credits`;
  const credits = price === 1 ? "credit" : "credits";
  return new Fault(
    "insufficient_credits",
    `A call costs ${price} ${credits} and the balance is ${balance}. How to get more: ${topUpUrl}`,
    { members: { balance, price, topUpUrl } },
  );
}

export const idempotencyKeyReused = () =>
  new Fault(
    "idempotency_key_reused",
    "This Idempotency-Key was used on this path within 24 hours with a different body.",
  );
