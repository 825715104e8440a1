import type { Grant } from "#ledger/port.ts";
import type { BillingHouse } from "./billing.ts";
import { addMonths } from "./months.ts";
import type { Purchase } from "./purchase-book.ts";

/** What a purchase says of its grants. */
export type SettledCredits = Pick<
  Purchase,
  "grant" | "restoredGrant" | "voided" | "spent" | "trouble"
>;

type Held = Pick<Grant, "id" | "amount" | "expiresAt">;

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
 * ledger never forgets a withdrawal: where more was withdrawn than is due (a dispute was won, a refund failed, a call was
 * given back late), the grant's unspent part is granted again under a name of its own, and the grant is withdrawn whole; from
 * then on the new one is it. The new one comes first, so that nobody is told of a balance, and no plan ends, that nobody has
 * lost. Every step can be taken again, and each begins with what the ledger has.
 *
 * `isRestored`: less is paid back than the row tells. `claim`: whether nobody has written the row since it was read; what
 * somebody has seen before others saw more must give nothing. Null where it may not.
 */
export async function settleCredits(
  house: BillingHouse,
  purchase: Purchase,
  order: { paidBack: number; isRestored: boolean; now: number; claim: () => Promise<boolean> },
): Promise<(SettledCredits & { isNew: boolean }) | null> {
  const { ledger, provider } = house;
  const { account, offer } = purchase;
  const { paidBack, now } = order;
  const name = `${provider.name}:${purchase.payment ?? purchase.session}`;
  const { grants, lifetime } = await ledger.credits({ account, now });
  const chain = chainOf(name, grants);
  const isNew = chain.length === 0;
  if (isNew) {
    if (paidBack >= offer.credits) return { ...NOTHING, isNew: false };
    const first = await give(house, purchase, name, offer.credits, now);
    if (first === null) {
      const trouble = (await troubleOf(house, account, now)) ?? "account_closed";
      return { ...NOTHING, trouble, isNew: false };
    }
    chain.push(first);
  }
  const sums: Sums = { voided: 0, spent: 0, restored: 0 };
  // On the lifetime plan one credit keeps the plan, however many were spent.
  const least = offer.kind === "lifetime" && paidBack < offer.credits ? 1 : 0;
  // A plan that was ended after all of it was spent has nothing voided that a look would tell of: there the account is asked,
  // and the row, for the account may be on the plan by another grant.
  let lacksPlan = least > 0 && !isNew && !lifetime;
  const current = order.isRestored && least > 0 && !isNew ? (purchase.restoredGrant ?? name) : null;
  /** What is to be withdrawn of the grant in turn; below zero: it should have been larger. */
  let due = paidBack;
  for (let place = 0; place < chain.length; place += 1) {
    const held = chain[place] as Held;
    if (place === chain.length - 1) {
      const taken = await withdraw(house, account, held, Math.max(0, due), now);
      const isRight = taken.voided <= due && !lacksPlan && held.id !== current;
      const isOver = held.expiresAt !== null && held.expiresAt <= now;
      if (isRight || isOver || (await troubleOf(house, account, now)) !== null) {
        add(sums, taken);
        break;
      }
      if (!(await order.claim())) return null;
      // Where somebody spends of it meanwhile it is too much, which the next withdrawal mends.
      const right = Math.max(least, held.amount - taken.spent - due);
      const given = await give(house, purchase, restoredName(name, place + 1), right, now);
      if (given === null) return null;
      chain.push(given);
      lacksPlan = false;
    }
    const taken = await withdraw(house, account, held, held.amount, now);
    add(sums, taken);
    const next = chain[place + 1] as Held;
    sums.restored += next.amount;
    due = next.amount - Math.max(least, taken.voided - due);
  }
  return { ...report(chain, sums, paidBack), isNew };
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

type Taken = { voided: number; spent: number };

/** `credits` in all; with 0 it tells how the grant stands. */
async function withdraw(
  { ledger }: BillingHouse,
  account: string,
  { id: grant }: Held,
  credits: number,
  now: number,
): Promise<Taken> {
  const taken = await ledger.withdraw({ account, grant, credits, now });
  return taken.outcome === "no_grant" ? { voided: 0, spent: 0 } : taken;
}

function add(sums: Sums, { voided, spent }: Taken): void {
  sums.voided += voided;
  sums.spent += spent;
}

/** Why nothing can be given to the account; null where it can. */
export async function troubleOf(
  { ledger }: BillingHouse,
  account: string,
  now: number,
): Promise<Purchase["trouble"]> {
  const found = await ledger.findAccount({ account, now });
  if (found === null) return "no_account";
  return found.state === "closed" ? "account_closed" : null;
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
