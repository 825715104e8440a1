/** What must hold for a purchase, stated without the steps of settling. */
import assert from "node:assert/strict";
import type { Purchase } from "#billing/purchase-store.ts";
import {
  isUnexpired,
  type ModelGrant,
  remainingOf,
  spentOf,
  voidedOf,
} from "../ledger/rules/model-account.ts";
import type { World } from "./world.ts";

/** The credits whose price has been refunded. */
function backOf({ paid, refunded, dispute, offer: { credits } }: Purchase): number {
  if (dispute === "open" || dispute === "lost" || refunded === paid) return credits;
  return Math.floor((credits * refunded) / paid);
}

/** The one grant of the purchase. */
function grantOf(world: World, { account, payment }: Purchase): ModelGrant | undefined {
  const name = `stripe:${payment}`;
  const all = world.model.find(account)?.grants ?? [];
  const grants = all.filter(({ id }) => `${id}:`.startsWith(`${name}:`));
  assert.ok(grants.length <= 1);
  return grants[0];
}

/** Right after settling: the row matches the payment, and so do its credits. */
export async function checkPurchase(world: World, session: string): Promise<void> {
  const { store, till, model, clock } = world;
  const state = till.state(session);
  const row = await store.purchases.find({ session });
  assert.ok(state && row);
  const { status, paid, refunded, dispute, payment, paidAt } = state;
  const owner = model.find(row.account);
  // A closed account gets no links to pages with a name on them.
  const payUrl = owner?.state === "closed" ? row.payUrl : state.payUrl;
  assert.deepEqual(
    { status, paid, refunded, dispute, payment, paidAt, payUrl },
    {
      ...{ status: row.status, paid: row.paid, refunded: row.refunded, dispute: row.dispute },
      ...{ payment: row.payment, paidAt: row.paidAt, payUrl: row.payUrl },
    },
  );
  const grant = grantOf(world, row);
  if (status !== "paid") return assert.equal(grant, undefined);
  const { credits, kind } = row.offer;
  const back = backOf(row);
  if (owner?.state === "closed") {
    const isNamed = grant !== undefined || back === credits;
    assert.equal(row.trouble, isNamed ? null : "account_closed");
    return;
  }
  if (grant === undefined) return assert.equal(back, credits);
  assert.deepEqual(
    { id: grant.id, amount: grant.amount, kind: grant.kind },
    { id: row.grant, amount: credits, kind },
  );
  const [voided, spent] = [voidedOf(grant), spentOf(grant)];
  assert.equal(grant.end ?? grant.waivedEnd, endOf(row));
  assert.equal(row.voided, Math.min(back, voided));
  assert.equal(row.spent, Math.min(spent, back - row.voided));
  // Expired credits are neither clawed back nor restored.
  if (!isUnexpired(grant, clock.at)) return;
  const usage = JSON.stringify({ row, grant, now: clock.at });
  assert.equal(remainingOf(grant), Math.max(0, credits - back - spent), usage);
  assert.equal(voided, Math.min(back, credits - spent), usage);
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
