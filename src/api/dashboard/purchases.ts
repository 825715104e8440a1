import { type BeginOutcome, PAGE_OPEN_MS } from "#billing/begin-purchase.ts";
import { priceText } from "#billing/money.ts";
import { ProviderRejected, ProviderUnavailable } from "#billing/payment-provider.ts";
import { salesOf } from "#billing/price-list.ts";
import type { Purchase } from "#billing/purchase-store.ts";
import { type CreditSales, topUp } from "#top-up.ts";
import { DashboardError, retryAfter } from "./dashboard-error.ts";
import {
  json,
  type RequestContext,
  readAsMember,
  readJson,
  requireActiveMember,
} from "./request-context.ts";
import type { CheckoutView, PurchasesView, PurchaseView } from "./shapes.ts";
import { logUncreditedPayment } from "./stripe-message.ts";

/** Opens the payment provider's page for one offer of the price list. */
export async function beginPurchase(context: RequestContext): Promise<Response> {
  const { deps } = context;
  const { account, user } = await requireActiveMember(context);
  const { billing, prices, contact } = deps.sales;
  if (billing === null) throw notPayable(salesOf(prices, false, contact), deps.settings.publicUrl);
  const { offer } = await readJson(context);
  const base = baseOf(context);
  const begun = await reaching(context, () =>
    billing.begin({
      account,
      email: user.email,
      offer: typeof offer === "string" ? offer : "",
      urlsOf: (purchase) => ({
        successUrl: `${base}/credits?purchase=${purchase}`,
        cancelUrl: `${base}/credits?cancelled=${purchase}`,
      }),
    }),
  );
  if (begun.outcome !== "begun") throw problemOf(begun);
  const view: CheckoutView = { id: begun.purchase.id, url: begun.url };
  return json(view, 201);
}

/** The origin that the buyer is signed in at, because a session belongs to one host name. */
function baseOf({ deps, request }: RequestContext): string {
  const { publicUrl } = deps.settings;
  const origin = request.headers.get("origin");
  return origin === null || origin === new URL(publicUrl).origin ? publicUrl : origin;
}

const notPayable = (sales: CreditSales, publicUrl: string) =>
  new DashboardError(
    "not_payable",
    `Credits are not sold here. ${topUp(sales, publicUrl).sentence}`,
  );

function problemOf(begun: Exclude<BeginOutcome, { outcome: "begun" }>): DashboardError {
  switch (begun.outcome) {
    case "no_such_offer":
      return new DashboardError(
        "invalid_request",
        "This offer is no longer available. Reload the page to see the current offers.",
      );
    case "already_lifetime":
      return new DashboardError(
        "invalid_request",
        "This account already has the lifetime plan. To add credits, buy a pack. Its credits will not expire.",
      );
    case "lifetime_pending":
      return new DashboardError(
        "invalid_request",
        "You have already paid for the lifetime plan, and your payment is being processed. We add the credits when it arrives. You do not need to do anything.",
      );
    case "too_many":
      return new DashboardError(
        "too_many_requests",
        "You started too many purchases in the last hour. Pay for one of them, or start another one later.",
        retryAfter(begun.retryAfterMs),
      );
    case "account_suspended":
      return new DashboardError(
        "account_suspended",
        "This account is suspended. Contact the operator of this service.",
      );
    case "no_account":
      return new DashboardError("signed_out", "You are signed out. Sign in again.");
  }
}

const RETRY_MS = 5_000;

/** The cause is for the operator, so it is logged and not shown. */
async function reaching<Outcome>(
  context: RequestContext,
  ask: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof ProviderUnavailable || cause instanceof ProviderRejected)) throw cause;
    const { deps, requestId } = context;
    deps.logError("A purchase could not be started", { requestId, cause });
    throw new DashboardError(
      "unavailable",
      "The payment page cannot be opened right now. You have not been charged. Try again in a moment.",
      retryAfter(RETRY_MS),
    );
  }
}

const PURCHASES_A_PAGE = 30;

/** How often per second we look up one purchase at the provider: the page that buyers return to keeps asking. */
export const LOOKS_PER_SECOND = 0.5;
/** How many purchases on one page of the list are looked up. */
const LOOKS_MAX = 3;

/** Returns the stored purchases, and updates those whose payment may have progressed in the background. */
export async function listPurchases(context: RequestContext): Promise<Response> {
  const after = context.url.searchParams.get("after");
  const [, found] = await readAsMember(context, ({ account }) =>
    context.deps.sales.purchases.list({ account, after, max: PURCHASES_A_PAGE + 1 }),
  );
  const page = found.slice(0, PURCHASES_A_PAGE);
  const overdue = page.filter((purchase) => isOverdue(purchase, context.now));
  for (const purchase of overdue.slice(0, LOOKS_MAX)) {
    context.deps.inBackground(settled(context, purchase));
  }
  const view: PurchasesView = {
    purchases: page.map((purchase) => viewPurchase(purchase, context.now)),
    next: found.length > PURCHASES_A_PAGE ? (page.at(-1)?.id ?? null) : null,
  };
  return json(view);
}

/**
 * Settles the purchase before returning it, so that a buyer who comes back does not have to wait for the provider's
 * message.
 */
export async function showPurchase(context: RequestContext): Promise<Response> {
  const [{ account }, found] = await readAsMember(context, () =>
    context.deps.sales.purchases.find({ id: context.id }),
  );
  if (found === null || found.account !== account) {
    throw new DashboardError("not_found", "This account has no such purchase.");
  }
  const purchase = mayGoOn(found) ? await settledSoon(context, found) : found;
  return json(viewPurchase(purchase, context.now));
}

/** The purchase was paid or can no longer be paid, and the provider's message about it is missing. */
const isOverdue = (purchase: Purchase, now: number) =>
  mayGoOn(purchase) && (purchase.status !== "open" || isOver(purchase, now));

/** How long a response waits for the lookup, which then continues in the background. */
export const LOOK_PATIENCE_MS = 3_000;

/** Returns the stored purchase if the lookup takes too long; the page asks again. */
async function settledSoon(context: RequestContext, purchase: Purchase): Promise<Purchase> {
  const looking = settled(context, purchase);
  context.deps.inBackground(looking);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Purchase>((resolve) => {
    timer = setTimeout(resolve, LOOK_PATIENCE_MS, purchase);
  });
  return Promise.race([looking, late]).finally(() => clearTimeout(timer));
}

/** Looks up the payment and returns the updated purchase; the stored one if the provider cannot be reached. */
async function settled(context: RequestContext, purchase: Purchase): Promise<Purchase> {
  const { deps, now, requestId, looks } = context;
  const { billing, purchases } = deps.sales;
  if (billing === null || !looks.take(purchase.id, now).allowed) return purchase;
  try {
    const outcome = await billing.settle({ purchase: purchase.id });
    logUncreditedPayment(context, outcome);
    return outcome.outcome === "settled" ? outcome.purchase : purchase;
  } catch (cause) {
    deps.logError("A payment could not be looked up", { requestId, cause });
    return (await purchases.find({ id: purchase.id })) ?? purchase;
  }
}

/** The provider's page no longer takes the payment. */
const isOver = ({ createdAt }: Purchase, now: number) => now >= createdAt + PAGE_OPEN_MS;

const mayGoOn = (purchase: Purchase) =>
  ["open", "pending", "settling"].includes(stateOf(purchase)) && purchase.session !== null;

function stateOf(purchase: Purchase): PurchaseView["state"] {
  const { status, paid, refunded, dispute, grant, trouble } = purchase;
  if (status !== "paid") return status;
  if (dispute === "open") return "disputed";
  if (dispute === "lost") return "charged_back";
  if (refunded > 0) return refunded >= paid ? "refunded" : "partly_refunded";
  if (trouble !== null) return "trouble";
  return grant === null ? "settling" : "paid";
}

export function viewPurchase(purchase: Purchase, now: number): PurchaseView {
  const { id, offer, currency, status, price, paid, refunded, paidAt, voided, spent } = purchase;
  const isOpen = status === "open" && !isOver(purchase, now);
  // The buyer never got the URL of the payment page.
  const wasNeverOpened = status === "open" && purchase.session === null && !isOpen;
  return {
    id,
    at: purchase.createdAt,
    name: offer.name,
    kind: offer.kind,
    credits: offer.credits,
    amountText: priceText(status === "paid" ? paid : price, currency),
    refundedText: refunded > 0 ? priceText(refunded, currency) : null,
    state: wasNeverOpened ? "expired" : stateOf(purchase),
    paidAt,
    voided,
    spent,
    receiptUrl: purchase.receiptUrl,
    invoiceUrl: purchase.invoiceUrl,
    payUrl: isOpen ? purchase.payUrl : null,
  };
}
