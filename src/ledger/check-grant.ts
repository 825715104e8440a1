import { GRANT_CREDITS_MAX } from "#limits.ts";
import { type GrantKind, OrderRefused } from "./port.ts";

/** Refuses a grant that no book could hold. Every store calls it before it writes. */
export function checkGrant(order: {
  kind: GrantKind;
  amount: number;
  expiresAt: number | null;
}): void {
  const { kind, amount, expiresAt } = order;
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
  if (kind === "lifetime" && expiresAt !== null) {
    throw new OrderRefused("Cannot grant lifetime credits that expire: leave out their end");
  }
}

/** The same for what is taken back of a grant. */
export function checkWithdrawal({ credits }: { credits: number }): void {
  if (Number.isSafeInteger(credits) && credits >= 0) return;
  throw new OrderRefused(`Cannot withdraw ${credits} credits: a whole number from 0 on is needed`);
}

/** The same for the balance below which an account's owner is told. */
export function checkLowBalance({ lowBalance }: { lowBalance: number }): void {
  if (Number.isSafeInteger(lowBalance) && lowBalance >= 0 && lowBalance <= GRANT_CREDITS_MAX)
    return;
  throw new OrderRefused(
    `Cannot tell of a balance below ${lowBalance}: a whole number from 0 to ${GRANT_CREDITS_MAX} is needed`,
  );
}
