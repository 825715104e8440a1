import { NotCarriedOut } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import type { BillingDeps } from "./billing-deps.ts";
import type { PaymentRef, PaymentState } from "./payment-provider.ts";
import { newPurchase, type Purchase } from "./purchase-store.ts";
import { grantTrouble, settleCredits } from "./settle-credits.ts";

export type SettleRef = { purchase: string } | PaymentRef;

export type SettleOutcome =
  /** `changed`: whether the row or the ledger did not match the payment before. */
  | { outcome: "settled"; purchase: Purchase; changed: boolean }
  /** The purchase is stored, but the provider does not know its payment; nothing was changed. */
  | { outcome: "no_payment"; purchase: Purchase }
  /** Neither we nor the provider know the payment, or it belongs to another service at the same provider. */
  | { outcome: "not_ours" };

/** When several callers settle one purchase at once, each attempt completes for at least one of them. */
const ATTEMPTS_MAX = 8;
/** Longer than any checkout page stays open. */
const ABANDONED_AFTER_MS = 2 * DAY_MS;

/**
 * Fetches the state of a payment, and updates ledger and row to match. Every step is idempotent, so the next webhook, page
 * view or comparison completes what an error or a crash interrupted.
 *
 * The row is read before the provider is asked, and written only if it has not been written since. The state we act on is
 * therefore never older than the row, and the row's time serves as the version by which the ledger ignores older states.
 *
 * Throws `NotCarriedOut` where too many callers settle the purchase at once, and what the provider throws.
 */
export async function settlePurchase(deps: BillingDeps, ref: SettleRef): Promise<SettleOutcome> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const settled = await settleOnce(deps, ref);
    if (settled.outcome !== "overtaken") return settled;
  }
  throw new NotCarriedOut("Too many requests are settling this purchase at once");
}

/** `overtaken`: another caller has written the row since it was read. */
type Attempt = SettleOutcome | { outcome: "overtaken" };

async function settleOnce(deps: BillingDeps, ref: SettleRef): Promise<Attempt> {
  const found = await findOrRebuild(deps, ref);
  if (found === null) return { outcome: "not_ours" };
  const { row, payment } = found;
  const now = deps.now();
  if (payment === null) return settleUnopened(deps, row, now);
  const state = await deps.provider.fetchPayment(payment);
  if (state === null) return { outcome: "no_payment", purchase: row };
  // We open one page for each purchase: another page is not ours.
  if (state.session !== (row.session ?? state.session)) return { outcome: "not_ours" };
  return settleAs(deps, row, state, now);
}

/** Returns the purchase's row and the payment to fetch. A lost row is rebuilt from what we told the provider. */
async function findOrRebuild(
  deps: BillingDeps,
  ref: SettleRef,
): Promise<{ row: Purchase; payment: PaymentRef | null } | null> {
  const { purchases, provider } = deps;
  const found = await purchases.find("purchase" in ref ? { id: ref.purchase } : ref);
  if (found !== null) {
    const known = found.session === null ? null : { session: found.session };
    return { row: found, payment: known ?? ("purchase" in ref ? null : ref) };
  }
  if ("purchase" in ref) return null;
  const state = await provider.fetchPayment(ref);
  if (state === null || state.purchase === null) return null;
  const payment = { session: state.session };
  const row = await purchases.find({ id: state.purchase });
  if (row !== null) return { row, payment };
  const rebuilt = rebuildPurchase(state, deps.now());
  if (rebuilt === null) return null;
  await purchases.add(rebuilt);
  const stored = await purchases.find({ id: rebuilt.id });
  return stored === null ? null : { row: stored, payment };
}

function rebuildPurchase({ purchase, account, bought, currency }: PaymentState, now: number) {
  if (purchase === null || account === null || bought === null) return null;
  return newPurchase(purchase, account, { ...bought, currency }, now);
}

/** Settles a purchase for which we know of no checkout page: no buyer has its address, so no buyer can pay. */
async function settleUnopened(deps: BillingDeps, row: Purchase, now: number): Promise<Attempt> {
  if (row.status !== "open" || now < row.createdAt + ABANDONED_AFTER_MS) {
    return { outcome: "settled", purchase: row, changed: false };
  }
  const expired = await write(deps, row, { ...row, status: "expired" }, now);
  if (expired === null) return { outcome: "overtaken" };
  return { outcome: "settled", purchase: expired, changed: true };
}

async function settleAs(
  deps: BillingDeps,
  row: Purchase,
  state: PaymentState,
  now: number,
): Promise<Attempt> {
  const updated = await dropLinksOfClosed(deps, row, applyState(row, state, now), now);
  const recorded = await write(deps, row, updated, now);
  if (recorded === null) return { outcome: "overtaken" };
  let next = recorded;
  let isNew = false;
  if (recorded.status === "paid") {
    const settled = await settleCredits(deps, recorded, now);
    if (settled.outcome === "stale") {
      // The ledger has seen a later row, or the purchases were restored from a backup. The next attempt has a later version.
      await writeWithNewTime(deps, recorded, recorded, now);
      return { outcome: "overtaken" };
    }
    next = { ...recorded, ...settled.credits };
    isNew = settled.isNew;
  }
  const purchase = await write(deps, recorded, next, now);
  if (purchase === null) return { outcome: "overtaken" };
  return { outcome: "settled", purchase, changed: isNew || purchase.updatedAt !== row.updatedAt };
}

/** The row with the state of its payment. The times of the payment and of the first refund stay, unless nothing is refunded any more. */
function applyState(row: Purchase, state: PaymentState, now: number): Purchase {
  const isTakenBack = state.refunded > 0 || state.dispute === "open" || state.dispute === "lost";
  return {
    ...row,
    session: state.session,
    payment: state.payment ?? row.payment,
    status: state.status,
    paidAt: row.paidAt ?? state.paidAt,
    paid: state.paid,
    refunded: state.refunded,
    refundedAt: isTakenBack ? (row.refundedAt ?? now) : null,
    dispute: state.dispute,
    payUrl: state.payUrl,
    receiptUrl: state.receiptUrl ?? row.receiptUrl,
    invoiceUrl: state.invoiceUrl ?? row.invoiceUrl,
  };
}

/**
 * Removes new links to the provider's pages where the account is closed. The pages show the buyer's name, and closing an
 * account deletes the links together with the email address.
 */
async function dropLinksOfClosed(
  deps: BillingDeps,
  row: Purchase,
  updated: Purchase,
  now: number,
): Promise<Purchase> {
  const isNew = (["payUrl", "receiptUrl", "invoiceUrl"] as const).some(
    (link) => updated[link] !== null && updated[link] !== row[link],
  );
  if (!isNew || (await grantTrouble(deps, row.account, now)) === null) return updated;
  return { ...updated, payUrl: null, receiptUrl: null, invoiceUrl: null };
}

/** Writes the row where it has changed, and returns it; null where another caller has written it since. */
async function write(
  deps: BillingDeps,
  row: Purchase,
  next: Purchase,
  now: number,
): Promise<Purchase | null> {
  const isUnchanged = JSON.stringify({ ...next, updatedAt: row.updatedAt }) === JSON.stringify(row);
  return isUnchanged ? row : writeWithNewTime(deps, row, next, now);
}

/** Writes the row with a later time, so that callers who read it before are overtaken; null where we are. */
async function writeWithNewTime(
  { purchases }: BillingDeps,
  { updatedAt: seen }: Purchase,
  next: Purchase,
  now: number,
): Promise<Purchase | null> {
  const purchase = { ...next, updatedAt: Math.max(now, seen + 1) };
  const { updated } = await purchases.update({ purchase, seen });
  return updated ? purchase : null;
}
