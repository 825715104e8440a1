import { GRANT_CREDITS_MAX } from "#limits.ts";
import { OrderRefused } from "./ledger.ts";

/** Refuses a grant that no book could hold. Every store calls it before it writes. */
export function checkGrant(order: { amount: number; expiresAt: number | null }): void {
  const { amount, expiresAt } = order;
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > GRANT_CREDITS_MAX) {
    throw new OrderRefused(
      `Cannot grant ${amount} credits: a whole number from 1 to ${GRANT_CREDITS_MAX} is needed`,
    );
  }
  if (expiresAt !== null && !Number.isSafeInteger(expiresAt)) {
    throw new OrderRefused(
      `Cannot grant credits that expire at ${expiresAt}: whole milliseconds are needed`,
    );
  }
}
