import { NotCarriedOut } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import type { BillingDeps } from "./billing.ts";
import { newPurchase } from "./new-purchase.ts";
import type { PaymentRef, PaymentState } from "./payment-provider.ts";
import type { Purchase } from "./purchase-store.ts";
import { settleCredits, troubleOf } from "./settle-credits.ts";

export type SettleRef = { purchase: string } | PaymentRef;

export type SettleOutcome =
  /** `changed`: whether anything was not as the payment stands. */
  | { outcome: "settled"; purchase: Purchase; changed: boolean }
  /** The provider does not know what the book has; nothing was changed. */
  | { outcome: "no_payment"; purchase: Purchase }
  /** Neither the book nor the provider knows it, or it is somebody else's payment at the same provider. */
  | { outcome: "not_ours" };

/** Two who settle one purchase at once write in turns; each turn somebody gets on. */
const TURNS_MAX = 8;
/** No page of ours is open for as long. */
const FORGOTTEN_MS = 2 * DAY_MS;

/**
 * Asks how a payment stands and makes ledger and row so. It converges: each step is the same however often it is taken, so a
 * fault or a kill anywhere is mended by the next message, view or comparison.
 *
 * The row is read before the provider is asked, and written only where nobody has written it since: so what is acted on is
 * never older than what the row tells, and the row's time is the version by which the ledger ignores an older one.
 */
export async function settlePurchase(deps: BillingDeps, ref: SettleRef): Promise<SettleOutcome> {
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const settled = await settleOnce(deps, ref);
    if (settled.outcome !== "overtaken") return settled;
  }
  throw new NotCarriedOut("A purchase is being settled by too many at once");
}

type Turn = SettleOutcome | { outcome: "overtaken" };

async function settleOnce(deps: BillingDeps, ref: SettleRef): Promise<Turn> {
  const found = await findOrMake(deps, ref);
  if (found === null) return { outcome: "not_ours" };
  const { row, payment } = found;
  const now = deps.now();
  if (payment === null) return settleUnopened(deps, row, now);
  const state = await deps.provider.look(payment);
  if (state === null) return { outcome: "no_payment", purchase: row };
  // Two pages for one purchase are no work of ours.
  if (state.session !== (row.session ?? state.session)) return { outcome: "not_ours" };
  return settleAs(deps, row, state, now);
}

/** The purchase's row and what to ask the provider for. A row that was lost is made again from what the provider was told. */
async function findOrMake(
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
  const state = await provider.look(ref);
  if (state === null || state.purchase === null) return null;
  const payment = { session: state.session };
  const row = await purchases.find({ id: state.purchase });
  if (row !== null) return { row, payment };
  const made = purchaseOf(state, deps.now());
  if (made === null) return null;
  await purchases.add(made);
  const kept = await purchases.find({ id: made.id });
  return kept === null ? null : { row: kept, payment };
}

function purchaseOf({ purchase, account, bought, currency }: PaymentState, now: number) {
  if (purchase === null || account === null || bought === null) return null;
  return newPurchase(purchase, account, { ...bought, currency }, now);
}

/** The provider's page was never opened, as far as we know: nobody has its address, so nobody can pay. */
async function settleUnopened(deps: BillingDeps, row: Purchase, now: number): Promise<Turn> {
  if (row.status !== "open" || now < row.createdAt + FORGOTTEN_MS) {
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
): Promise<Turn> {
  const facts = await withoutLinks(deps, row, factsOf(row, state, now), now);
  const recorded = await write(deps, row, facts, now);
  if (recorded === null) return { outcome: "overtaken" };
  let next = recorded;
  let isNew = false;
  if (recorded.status === "paid") {
    const settled = await settleCredits(deps, recorded, now);
    if (settled.outcome === "stale") {
      // The ledger has seen a later row, or the book was restored from a copy: the next turn has a later version.
      await writeAnew(deps, recorded, recorded, now);
      return { outcome: "overtaken" };
    }
    next = { ...recorded, ...settled.credits };
    isNew = settled.isNew;
  }
  const purchase = await write(deps, recorded, next, now);
  if (purchase === null) return { outcome: "overtaken" };
  return { outcome: "settled", purchase, changed: isNew || purchase.updatedAt !== row.updatedAt };
}

/** The row with what the provider tells; when the money came and first went is kept. */
function factsOf(row: Purchase, state: PaymentState, now: number): Purchase {
  const isGone = state.refunded > 0 || state.dispute === "open" || state.dispute === "lost";
  return {
    ...row,
    session: state.session,
    payment: state.payment ?? row.payment,
    status: state.status,
    paidAt: row.paidAt ?? state.paidAt,
    paid: state.paid,
    refunded: state.refunded,
    refundedAt: row.refundedAt ?? (isGone ? now : null),
    dispute: state.dispute,
    payUrl: state.payUrl,
    receiptUrl: state.receiptUrl ?? row.receiptUrl,
    invoiceUrl: state.invoiceUrl ?? row.invoiceUrl,
  };
}

/**
 * The provider's pages have the buyer's name on them: links to them went with the address of a closed account, and do not come
 * again.
 */
async function withoutLinks(
  deps: BillingDeps,
  row: Purchase,
  facts: Purchase,
  now: number,
): Promise<Purchase> {
  const isNew = (["payUrl", "receiptUrl", "invoiceUrl"] as const).some(
    (link) => facts[link] !== null && facts[link] !== row[link],
  );
  if (!isNew || (await troubleOf(deps, row.account, now)) === null) return facts;
  return { ...facts, payUrl: null, receiptUrl: null, invoiceUrl: null };
}

/** The row as it is now; null where somebody else has written it since. What is as it was need not be written. */
async function write(
  deps: BillingDeps,
  row: Purchase,
  next: Purchase,
  now: number,
): Promise<Purchase | null> {
  const isAsItWas = JSON.stringify({ ...next, updatedAt: row.updatedAt }) === JSON.stringify(row);
  return isAsItWas ? row : writeAnew(deps, row, next, now);
}

/** Under a new time, so that whoever has read the row before is overtaken; null where we are. */
async function writeAnew(
  { purchases }: BillingDeps,
  { updatedAt: seen }: Purchase,
  next: Purchase,
  now: number,
): Promise<Purchase | null> {
  const purchase = { ...next, updatedAt: Math.max(now, seen + 1) };
  const { updated } = await purchases.update({ purchase, seen });
  return updated ? purchase : null;
}
