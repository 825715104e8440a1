import type { Grant } from "#credits/ledger.ts";
import type { BillingHouse } from "./billing.ts";
import { addMonths } from "./months.ts";
import type { Purchase } from "./purchase-book.ts";

/** What a purchase says of its grants. */
export type SettledCredits = Pick<
  Purchase,
  "grant" | "restoredGrant" | "voided" | "spent" | "trouble"
>;

type Held = Pick<Grant, "id" | "amount" | "remaining" | "expiresAt">;

/** What has been taken back of all grants of a purchase, and how much of it was given again. */
type Sums = { voided: number; spent: number; restored: number };

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
 * Makes the ledger as a paid purchase stands. A purchase has one grant. What was withdrawn of it stays so, for the
 * ledger never forgets a withdrawal: where money comes back to us (`isRestored`: a dispute was won, a refund failed), the
 * grant's unspent part is granted again under a name of its own, and the grant is withdrawn whole; from then on the new one
 * is it. The new one comes first, so that nobody is told of a balance, and no plan ends, that nobody has lost.
 * Every step can be taken again, and each begins with what the ledger has.
 */
export async function settleCredits(
  house: BillingHouse,
  purchase: Purchase,
  order: { paidBack: number; isRestored: boolean; now: number },
): Promise<SettledCredits & { isNew: boolean }> {
  const { ledger, provider } = house;
  const { account, offer } = purchase;
  const name = `${provider.name}:${purchase.payment ?? purchase.session}`;
  const chain = chainOf(name, (await ledger.credits({ account, now: order.now })).grants);
  const current = purchase.restoredGrant ?? name;
  const isNew = chain.length === 0;
  if (isNew) {
    if (order.paidBack >= offer.credits) return { ...NOTHING, isNew: false };
    const first = await give(house, purchase, name, offer.credits, order.now);
    if (first === null) {
      const trouble = await troubleOf(house, account, order.now);
      return { ...NOTHING, trouble, isNew: false };
    }
    chain.push(first);
  }
  const sums: Sums = { voided: 0, spent: 0, restored: 0 };
  // On the lifetime plan one credit keeps the plan, however many were spent.
  const least = offer.kind === "lifetime" && order.paidBack < offer.credits ? 1 : 0;
  /**
   * What is to be withdrawn of the grant in turn; below zero: it should have been larger, for more has come back since it was
   * given, be it money or credits of a call. Whoever gave it may have died before the row told of it, so the row is not asked.
   */
  let due = order.paidBack;
  for (let place = 0; place < chain.length; place += 1) {
    const held = chain[place] as Held;
    const isLast = place === chain.length - 1;
    const isTooSmall = due < 0;
    const isToRestore = isTooSmall || (order.isRestored && !isNew && held.id === current);
    if (!isLast || isToRestore) {
      if (isLast) {
        const id = restoredName(name, place + 1);
        const given = await restore(house, purchase, held, { id, due, least, now: order.now });
        if (given !== null) chain.push(given);
        else if (isTooSmall) break;
      }
      const voided = await take(house, account, held, held.amount, sums, order.now);
      const right = Math.max(least, voided - due);
      const next = chain[place + 1];
      if (next === undefined) break;
      sums.restored += next.amount;
      due = next.amount - right;
    } else if (due > 0) await take(house, account, held, due, sums, order.now);
  }
  return { ...report(chain, sums, order.paidBack), isNew };
}

const NOTHING = { grant: null, restoredGrant: null, voided: 0, spent: 0, trouble: null };

const restoredName = (name: string, no: number) =>
  no === 1 ? `${name}:restored` : `${name}:restored-${no}`;

/** The purchase's grants, in the order in which each took the place of the one before. */
function chainOf(name: string, grants: readonly Held[]): Held[] {
  const byId = new Map(grants.map((grant) => [grant.id, grant]));
  const chain: Held[] = [];
  for (let id = name; ; id = restoredName(name, chain.length)) {
    const held = byId.get(id);
    if (held === undefined) return chain;
    chain.push(held);
  }
}

/**
 * What is unspent of a grant that is about to be withdrawn whole, but for what is due. Where somebody spends of it meanwhile it
 * is too much, which the next withdrawal mends. Null where nothing is to be given: what has expired stays so, and whether it
 * has the grant itself tells, for on the lifetime plan it does not.
 */
async function restore(
  house: BillingHouse,
  purchase: Purchase,
  { id: held, amount, remaining, expiresAt }: Held,
  { id, due, least, now }: { id: string; due: number; least: number; now: number },
): Promise<Held | null> {
  if (expiresAt !== null && expiresAt <= now) return null;
  const { account } = purchase;
  // One of it is due at the least, so this tells how it stands, and takes nothing more than the whole that is taken next.
  const taken = await house.ledger.withdraw({ account, grant: held, credits: 1, now });
  const voided = taken.outcome === "no_grant" ? 0 : taken.voided;
  const right = Math.max(least, Math.min(amount, remaining + voided) - due);
  return right > 0 ? give(house, purchase, id, right, now) : null;
}

/** Null where there is nobody to give it to. */
async function give(
  { ledger }: BillingHouse,
  { account, offer, paidAt }: Purchase,
  id: string,
  amount: number,
  now: number,
): Promise<Held | null> {
  const expiresAt = offer.months === null ? null : addMonths(paidAt ?? now, offer.months);
  const given = await ledger.grant({ account, id, kind: offer.kind, amount, expiresAt, now });
  return given.outcome === "no_account" ? null : given.grant;
}

async function take(
  { ledger }: BillingHouse,
  account: string,
  { id }: Held,
  credits: number,
  sums: Sums,
  now: number,
): Promise<number> {
  const taken = await ledger.withdraw({ account, grant: id, credits, now });
  if (taken.outcome === "no_grant") return 0;
  sums.voided += taken.voided;
  sums.spent += taken.spent;
  return taken.voided;
}

async function troubleOf({ ledger }: BillingHouse, account: string, now: number) {
  return (await ledger.findAccount({ account, now })) === null ? "no_account" : "account_closed";
}

/** Of the credits whose price was paid back: those that could be taken, and those that were spent before. */
function report(chain: readonly Held[], sums: Sums, back: number): SettledCredits {
  const voided = Math.max(0, Math.min(back, sums.voided - sums.restored));
  return {
    grant: chain[0]?.id ?? null,
    restoredGrant: chain.length > 1 ? (chain.at(-1)?.id ?? null) : null,
    voided,
    spent: Math.min(sums.spent, back - voided),
    trouble: null,
  };
}
