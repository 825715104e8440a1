import { ApiError } from "#errors.ts";
import type { BudgetExhausted, BudgetPeriod, KeyNotAllowed } from "#ledger/port.ts";
import type { Rate } from "#ledger/throttle.ts";

/** Errors that more than one place throws or shows. */

/** The ledger cannot be reached, and every call needs it. */
export function unavailable(cause: unknown): ApiError {
  return new ApiError(
    "unavailable",
    "The service cannot reach the ledger. The call was not charged. Try again in a moment.",
    {
      cause,
      headers: { "Retry-After": "2" },
    },
  );
}

export const accountSuspended = () =>
  new ApiError(
    "account_suspended",
    "The operator of this service has suspended the account. Contact the operator.",
  );

/** Only the holder of the secret gets this, so it may say more than `invalidKey`. */
export function keyExpired(at: number): ApiError {
  const expiredAt = new Date(at).toISOString();
  return new ApiError(
    "key_expired",
    `This API key expired at ${expiredAt}. Use another key, or the new secret if the key was rotated.`,
    {
      members: { expiredAt },
      headers: { "WWW-Authenticate": 'Bearer realm="toolbooth", error="invalid_token"' },
    },
  );
}

export function keyNotAllowed(forbidden: KeyNotAllowed, tool: string | null): ApiError {
  if (forbidden.limit === "networks") {
    return new ApiError(
      "key_not_allowed",
      "This API key may not be used from your network address. Its owner can change that under Settings, API keys.",
      { members: { limitSource: "key_networks" } },
    );
  }
  const allowedTools = [...forbidden.tools];
  return new ApiError(
    "key_not_allowed",
    `This API key may not call ${tool}, only ${allowedTools.join(", ")}. Its owner can change that under Settings, API keys.`,
    { members: { limitSource: "key_tools", allowedTools } },
  );
}

export function rateLimited({
  source: limitSource,
  callsPerSecond,
  retryAfterSeconds,
}: Rate): ApiError {
  return new ApiError(
    "rate_limited",
    `The ${limitSource === "key" ? "API key" : "account"} is making more than ${callsPerSecond} calls per second. Wait ${retryAfterSeconds} s, then try again.`,
    { members: { limitSource }, headers: { "Retry-After": String(retryAfterSeconds) } },
  );
}

export function insufficientCredits(balance: number, price: number, publicUrl: string): ApiError {
  const topUpUrl = `${publicUrl}/docs/credits`;
  return new ApiError(
    "insufficient_credits",
    `The call costs ${creditsText(price)}, and the balance is ${balance}. To get more credits, see ${topUpUrl}`,
    { members: { balance, price, limitSource: "account", topUpUrl } },
  );
}

export function keyBudgetExhausted(
  { budget, resetsAt: at }: BudgetExhausted,
  balance: number,
  price: number,
  publicUrl: string,
): ApiError {
  const resetsAt = at === null ? null : new Date(at).toISOString();
  const reset = resetsAt === null ? "This budget never resets." : `It resets at ${resetsAt}.`;
  return new ApiError(
    "key_budget_exhausted",
    `The call costs ${creditsText(price)}, which is more than the budget of this API key has left ${PERIOD_TEXT[budget]}. ${reset} To raise it, see ${publicUrl}/settings/api-keys`,
    { members: { balance, price, limitSource: `key_${budget}`, resetsAt } },
  );
}

const PERIOD_TEXT: Record<BudgetPeriod, string> = {
  total: "in all",
  month: "for this month (UTC)",
  day: "for today (UTC)",
};

const creditsText = (price: number) => `${price} ${price === 1 ? "credit" : "credits"}`;

export const idempotencyKeyReused = () =>
  new ApiError(
    "idempotency_key_reused",
    "You used this Idempotency-Key on this path in the last 24 hours for another request. A repeat has the same fields, sent in the same way, and asks for the same type. Use a new key for a new request.",
  );

export const idempotencyInProgress = () =>
  new ApiError(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still running. Wait a second, then repeat the request.",
    { headers: { "Retry-After": "1" } },
  );

export const internalError = (cause: unknown) =>
  new ApiError("internal", "Something went wrong on our side. The call was not charged.", {
    cause,
  });
