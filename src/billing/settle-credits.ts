import type { BillingDeps } from "./billing-deps.ts";
import type { Purchase } from "./purchase-store.ts";

/** What a purchase's row says about its grant. */
export type SettledCredits = Pick<Purchase, "grant" | "voided" | "spent" | "trouble">;

type SettleDeps = Pick<BillingDeps, "ledger"> & { provider: Pick<BillingDeps["provider"], "name"> };

/**
 * Returns how many of the purchase's credits have been refunded: in proportion to the money, rounded down. While a dispute is
 * open, and after it was lost, that is all of them.
 */
export function refundedCredits({ status, paid, refunded, dispute, offer }: Purchase): number {
  if (status !== "paid") return 0;
  if (dispute === "open" || dispute === "lost") return offer.credits;
  if (paid <= 0 || refunded <= 0) return 0;
  if (refunded >= paid) return offer.credits;
  return Number((BigInt(offer.credits) * BigInt(refunded)) / BigInt(paid));
}

/**
 * Makes the ledger match the row of a paid purchase: one grant, from which refunded credits are clawed back. Both steps can be
 * repeated. The version of the clawback is the time of the row, so a caller with an older row changes nothing (`stale`).
 */
export async function settleCredits(
  { ledger, provider }: SettleDeps,
  purchase: Purchase,
  now: number,
): Promise<{ outcome: "settled"; credits: SettledCredits; isNew: boolean } | { outcome: "stale" }> {
  const { account, offer } = purchase;
  const { kind, credits: amount, months } = offer;
  const refunded = refundedCredits(purchase);
  const id = purchase.grant ?? `${provider.name}:${purchase.payment ?? purchase.session}`;
  const expiresAt = months === null ? null : addMonths(purchase.paidAt ?? now, months);
  // A grant that would be clawed back whole is not made in the first place.
  const granted =
    refunded < amount ? await ledger.grant({ account, id, kind, amount, expiresAt, now }) : null;
  const clawback = await ledger.clawback({
    account,
    grant: id,
    credits: refunded,
    version: purchase.updatedAt,
    now,
  });
  if (clawback.outcome === "stale") return { outcome: "stale" };
  if (clawback.outcome === "no_grant") {
    const trouble =
      granted === null
        ? null
        : ((await grantTrouble({ ledger }, account, now)) ?? "account_closed");
    const credits = { grant: null, voided: 0, spent: 0, trouble };
    return { outcome: "settled", credits, isNew: false };
  }
  const voided = Math.min(refunded, clawback.voided);
  const spent = Math.min(clawback.spent, refunded - voided);
  return {
    outcome: "settled",
    credits: { grant: id, voided, spent, trouble: null },
    isNew: granted?.outcome === "granted",
  };
}

/** Why nothing can be granted to the account; null where it can. */
export async function grantTrouble(
  { ledger }: Pick<BillingDeps, "ledger">,
  account: string,
  now: number,
): Promise<Purchase["trouble"]> {
  const found = await ledger.findAccount({ account, now });
  if (found === null) return "no_account";
  return found.state === "closed" ? "account_closed" : null;
}

/** Adds calendar months in UTC: one month after 31 January is the last day of February. */
export function addMonths(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0);
  date.setUTCDate(Math.min(day, new Date(last).getUTCDate()));
  return date.getTime();
}
