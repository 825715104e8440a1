import { ApiError } from "#errors.ts";

/** The errors that depend on the account that calls, in the words of the API. */

/** The ledger cannot be reached: no call is made without it. */
export function unavailable(cause: unknown): ApiError {
  return new ApiError(
    "unavailable",
    "The ledger of credits is out of reach. The call was not charged.",
    {
      cause,
      headers: { "Retry-After": "2" },
    },
  );
}

export const accountSuspended = () =>
  new ApiError("account_suspended", "The operator of this service has suspended the account.");

export function rateLimited(callsPerSecond: number, retryAfterSeconds: number): ApiError {
  return new ApiError(
    "rate_limited",
    `The account makes more than ${callsPerSecond} calls a second. Wait ${retryAfterSeconds} s.`,
    { headers: { "Retry-After": String(retryAfterSeconds) } },
  );
}

export function insufficientCredits(balance: number, price: number, publicUrl: string): ApiError {
  const topUpUrl = `${publicUrl}/docs#credits`;
  const credits = price === 1 ? "credit" : "credits";
  return new ApiError(
    "insufficient_credits",
    `A call costs ${price} ${credits} and the balance is ${balance}. How to get more: ${topUpUrl}`,
    { members: { balance, price, topUpUrl } },
  );
}

export const idempotencyKeyReused = () =>
  new ApiError(
    "idempotency_key_reused",
    "This Idempotency-Key was used on this path within 24 hours with a different body.",
  );
