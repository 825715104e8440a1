/** What a purchase must have come to, said without the ways of settling. */
import assert from "node:assert/strict";
import type { Purchase } from "#billing/purchase-book.ts";
import { type Lot, leftOf } from "./lots.ts";
import type { World } from "./world.ts";

/** Of the credits, those whose price is paid back. */
function backOf({ paid, refunded, dispute, offer: { credits } }: Purchase): number {
  if (dispute === "open" || dispute === "lost" || refunded === paid) return credits;
  return Math.floor((credits * refunded) / paid);
}

/** The grants that have come of it, in their order. */
const lotsOf = (world: World, { account, payment }: Purchase): Lot[] => {
  const owner = world.model.owners.find(({ id }) => id === account);
  const name = `stripe:${payment}`;
  return (owner?.lots ?? []).filter(({ id }) => id === name || id.startsWith(`${name}:`));
};

/** Right after it was settled: the row is as the payment stands, and so are its credits. */
export async function checkPurchase(world: World, session: string, lapsed: Lapsed): Promise<void> {
  const { people, till, model, clock } = world;
  const state = till.state(session);
  const row = await people.purchases.find({ session });
  assert.ok(state && row);
  const { status, paid, refunded, dispute, payment, paidAt } = state;
  const owner = model.owners.find(({ id }) => id === row.account);
  // Links to pages with a name on them do not come to a closed account.
  const payUrl = owner?.state === "closed" ? row.payUrl : state.payUrl;
  assert.deepEqual(
    { status, paid, refunded, dispute, payment, paidAt, payUrl },
    {
      ...{ status: row.status, paid: row.paid, refunded: row.refunded, dispute: row.dispute },
      ...{ payment: row.payment, paidAt: row.paidAt, payUrl: row.payUrl },
    },
  );
  const lots = lotsOf(world, row);
  if (status !== "paid") return assert.deepEqual(lots, []);
  const [first] = lots;
  const back = backOf(row);
  if (owner?.state === "closed") {
    const isNamed = first !== undefined || back === row.offer.credits;
    assert.equal(row.trouble, isNamed ? null : "account_closed");
    return;
  }
  if (first === undefined) return assert.equal(back, row.offer.credits);
  const { amount, kind } = first;
  assert.deepEqual({ amount, kind }, { amount: row.offer.credits, kind: row.offer.kind });
  assert.equal(first.expiresAt ?? first.waivedExpiresAt, endOf(row));
  const spent = lots.reduce((sum, lot) => sum + lot.spent, 0);
  const left = lots.reduce(
    (sum, lot) => sum + (lot.expiresAt !== null && lot.expiresAt <= clock.at ? 0 : leftOf(lot)),
    0,
  );
  const due = Math.max(0, row.offer.credits - back - spent);
  // On the lifetime plan one credit keeps it, each time that it is given again.
  const extra = row.offer.kind === "lifetime" ? lots.length - 1 : 0;
  const isLess = left < due && lapsed.has(row.id);
  const figures = JSON.stringify({ row, lots, now: clock.at });
  assert.ok(isLess || (left >= due && left <= due + extra), `${left} left, ${due} due: ${figures}`);
  const gone = row.offer.credits - spent;
  if (!lapsed.has(row.id) && extra === 0) {
    assert.equal(row.voided, Math.max(0, Math.min(back, gone)));
    assert.equal(row.spent, Math.min(spent, back - row.voided));
  }
}

/** Purchases of which something has expired, or came back where it could not be given again: less may be left of them. */
export type Lapsed = Set<string>;

export function noteLapses(world: World, purchases: readonly Purchase[], lapsed: Lapsed): void {
  for (const purchase of purchases) {
    const lots = lotsOf(world, purchase);
    const isOver = ({ expiresAt }: Lot) => expiresAt !== null && expiresAt <= world.clock.at;
    const isLate = (endOf(purchase) ?? Number.POSITIVE_INFINITY) <= world.clock.at;
    if (lots.some(isOver) || (isLate && lots.length === 0)) lapsed.add(purchase.id);
  }
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** By the calendar: the same day of a later month, or that month's last. */
function endOf({ paidAt, offer: { months } }: Purchase): number | null {
  if (months === null || paidAt === null) return null;
  const from = new Date(paidAt);
  const count = from.getUTCFullYear() * 12 + from.getUTCMonth() + months;
  const [year, month] = [Math.floor(count / 12), count % 12];
  const isLeap = month === 1 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const day = Math.min(from.getUTCDate(), (DAYS[month] ?? 0) + (isLeap ? 1 : 0));
  return Date.UTC(year, month, day) + (paidAt % (24 * 60 * 60 * 1000));
}
