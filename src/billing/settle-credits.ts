import type { BillingDeps } from "./billing.ts";
import { addMonths } from "./months.ts";
import type { Purchase } from "./purchase-store.ts";
import { takenBefore } from "./restored-grants.ts";

/** What a purchase says of its grant. */
export type SettledCredits = Pick<Purchase, "grant" | "voided" | "spent" | "trouble">;

type Settling = Pick<BillingDeps, "ledger"> & { provider: Pick<BillingDeps["provider"], "name"> };

/**
 * Of its credits, those whose price has been paid back: in proportion, rounded down; all of them while the money is in
 * dispute, and where the dispute was lost.
 */
export function paidBack({ status, paid, refunded, dispute, offer }: Purchase): number {
  if (status !== "paid") return 0;
  if (dispute === "open" || dispute === "lost") return offer.credits;
  if (paid <= 0 || refunded <= 0) return 0;
  if (refunded >= paid) return offer.credits;
  return Number((BigInt(offer.credits) * BigInt(refunded)) / BigInt(paid));
}

/**
 * Makes the ledger agree with a paid purchase as its row tells: one grant, of which the credits that were paid back are
 * clawed back. Both steps can be repeated. The version of the clawback is the time of the row, so a caller who has read an
 * older row changes nothing of a grant (`stale`).
 */
export async function settleCredits(
  { ledger, provider }: Settling,
  purchase: Purchase,
  now: number,
): Promise<{ outcome: "settled"; credits: SettledCredits; isNew: boolean } | { outcome: "stale" }> {
  const { account, offer } = purchase;
  const { kind, credits: amount, months } = offer;
  const back = paidBack(purchase);
  const id = purchase.grant ?? `${provider.name}:${purchase.payment ?? purchase.session}`;
  const expiresAt = months === null ? null : addMonths(purchase.paidAt ?? now, months);
  // Nothing is granted only to be clawed back whole.
  const given =
    back < amount ? await ledger.grant({ account, id, kind, amount, expiresAt, now }) : null;
  const hasGrant = given !== null && given.outcome !== "no_account";
  const before = hasGrant ? await takenBefore(ledger, purchase, given.grant, now) : 0;
  const credits = Math.max(0, back - before);
  const version = purchase.updatedAt;
  const clawed = await ledger.clawback({ account, grant: id, credits, version, now });
  if (clawed.outcome === "stale") return { outcome: "stale" };
  if (clawed.outcome === "no_grant") {
    const trouble =
      given === null ? null : ((await troubleOf({ ledger }, account, now)) ?? "account_closed");
    const none = { grant: null, voided: 0, spent: 0, trouble };
    return { outcome: "settled", credits: none, isNew: false };
  }
  const voided = Math.min(back, before + clawed.voided);
  const spent = Math.min(clawed.spent, back - voided);
  return {
    outcome: "settled",
    credits: { grant: id, voided, spent, trouble: null },
    isNew: given?.outcome === "granted",
  };
}

/** Why nothing can be granted to the account; null where it can. */
export async function troubleOf(
  { ledger }: Pick<BillingDeps, "ledger">,
  account: string,
  now: number,
): Promise<Purchase["trouble"]> {
  const found = await ledger.findAccount({ account, now });
  if (found === null) return "no_account";
  return found.state === "closed" ? "account_closed" : null;
}
