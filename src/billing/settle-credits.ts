import type { Grant } from "#ledger/port.ts";
import type { BillingHouse } from "./billing.ts";
import { addMonths } from "./months.ts";
import type { Purchase } from "./purchase-book.ts";

/** What a purchase says of its grant. */
export type SettledCredits = Pick<Purchase, "grant" | "voided" | "spent" | "trouble">;

type Held = Pick<Grant, "id" | "amount">;

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
 * clawed back. Both are absolute and can be repeated. The version of the clawback is the time of the row, so a caller who
 * has read an older row changes nothing (`stale`).
 */
export async function settleCredits(
  { ledger, provider }: BillingHouse,
  purchase: Purchase,
  now: number,
): Promise<{ outcome: "settled"; credits: SettledCredits; isNew: boolean } | { outcome: "stale" }> {
  const { account, offer } = purchase;
  const back = paidBack(purchase);
  const id = purchase.grant ?? `${provider.name}:${purchase.payment ?? purchase.session}`;
  const { grants } = await ledger.credits({ account, now });
  let held: Held | undefined = grants.find((grant) => grant.id === id);
  const isNew = held === undefined;
  if (held === undefined) {
    if (back >= offer.credits) return { outcome: "settled", credits: NOTHING, isNew: false };
    const { kind, credits: amount } = offer;
    const expiresAt =
      offer.months === null ? null : addMonths(purchase.paidAt ?? now, offer.months);
    const given = await ledger.grant({ account, id, kind, amount, expiresAt, now });
    if (given.outcome === "no_account") {
      const trouble = (await troubleOf({ ledger }, account, now)) ?? "account_closed";
      return { outcome: "settled", credits: { ...NOTHING, trouble }, isNew: false };
    }
    held = given.grant;
  }
  // A grant of an imported file may be of what was left after an earlier one was taken back.
  const credits = Math.max(0, back - (offer.credits - held.amount));
  const order = { account, grant: held.id, credits, version: purchase.updatedAt, now };
  const clawed = await ledger.clawback(order);
  if (clawed.outcome === "stale") return { outcome: "stale" };
  const { voided, spent } = clawed.outcome === "no_grant" ? { voided: 0, spent: 0 } : clawed;
  const taken = Math.min(back, voided);
  const settled = { grant: held.id, voided: taken, spent: Math.min(spent, back - taken) };
  return { outcome: "settled", credits: { ...settled, trouble: null }, isNew };
}

const NOTHING = { grant: null, voided: 0, spent: 0, trouble: null };

/** Why nothing can be granted to the account; null where it can. */
export async function troubleOf(
  { ledger }: Pick<BillingHouse, "ledger">,
  account: string,
  now: number,
): Promise<Purchase["trouble"]> {
  const found = await ledger.findAccount({ account, now });
  if (found === null) return "no_account";
  return found.state === "closed" ? "account_closed" : null;
}
