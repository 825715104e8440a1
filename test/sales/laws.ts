/** What must hold for a purchase, stated without the steps of settling. */
import assert from "node:assert/strict";
import type { Purchase } from "#billing/purchase-store.ts";
import { isOver, type Lot, leftOf } from "./lots.ts";
import type { World } from "./world.ts";

/** The credits whose price has been refunded. */
function backOf({ paid, refunded, dispute, offer: { credits } }: Purchase): number {
  if (dispute === "open" || dispute === "lost" || refunded === paid) return credits;
  return Math.floor((credits * refunded) / paid);
}

/** The one grant of the purchase. */
function lotOf(world: World, { account, payment }: Purchase): Lot | undefined {
  const owner = world.model.owners.find(({ id }) => id === account);
  const name = `stripe:${payment}`;
  const lots = (owner?.lots ?? []).filter(({ id }) => `${id}:`.startsWith(`${name}:`));
  assert.ok(lots.length <= 1);
  return lots[0];
}

/** Right after settling: the row matches the payment, and so do its credits. */
export async function checkPurchase(world: World, session: string): Promise<void> {
  const { store, till, model, clock } = world;
  const state = till.state(session);
  const row = await store.purchases.find({ session });
  assert.ok(state && row);
  const { status, paid, refunded, dispute, payment, paidAt } = state;
  const owner = model.owners.find(({ id }) => id === row.account);
  // A closed account gets no links to pages with a name on them.
  const payUrl = owner?.state === "closed" ? row.payUrl : state.payUrl;
  assert.deepEqual(
    { status, paid, refunded, dispute, payment, paidAt, payUrl },
    {
      ...{ status: row.status, paid: row.paid, refunded: row.refunded, dispute: row.dispute },
      ...{ payment: row.payment, paidAt: row.paidAt, payUrl: row.payUrl },
    },
  );
  const lot = lotOf(world, row);
  if (status !== "paid") return assert.equal(lot, undefined);
  const { credits, kind } = row.offer;
  const back = backOf(row);
  if (owner?.state === "closed") {
    const isNamed = lot !== undefined || back === credits;
    assert.equal(row.trouble, isNamed ? null : "account_closed");
    return;
  }
  if (lot === undefined) return assert.equal(back, credits);
  assert.deepEqual(
    { id: lot.id, amount: lot.amount, kind: lot.kind },
    { id: row.grant, amount: credits, kind },
  );
  assert.equal(lot.expiresAt ?? lot.waivedExpiresAt, endOf(row));
  assert.equal(row.voided, Math.min(back, lot.voided));
  assert.equal(row.spent, Math.min(lot.spent, back - row.voided));
  // Expired credits are neither clawed back nor restored.
  if (isOver(lot, clock.at)) return;
  const usage = JSON.stringify({ row, lot, now: clock.at });
  assert.equal(leftOf(lot), Math.max(0, credits - back - lot.spent), usage);
  assert.equal(lot.voided, Math.min(back, credits - lot.spent), usage);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** By the calendar: the same day of a later month, or that month's last day. */
function endOf({ paidAt, offer: { months } }: Purchase): number | null {
  if (months === null || paidAt === null) return null;
  const from = new Date(paidAt);
  const count = from.getUTCFullYear() * 12 + from.getUTCMonth() + months;
  const [year, month] = [Math.floor(count / 12), count % 12];
  const isLeap = month === 1 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const day = Math.min(from.getUTCDate(), (DAYS[month] ?? 0) + (isLeap ? 1 : 0));
  return Date.UTC(year, month, day) + (paidAt % (24 * 60 * 60 * 1000));
}
