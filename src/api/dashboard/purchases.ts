import { type BeginOutcome, PAGE_OPEN_MS } from "#billing/begin-purchase.ts";
import { priceText } from "#billing/money.ts";
import { ProviderRejected, ProviderUnavailable } from "#billing/payment-provider.ts";
import type { Purchase } from "#billing/purchase-store.ts";
import type { Throttle } from "#ledger/throttle.ts";
import { DashboardError } from "./dashboard-error.ts";
import { notifyPaidInVain } from "./paid-in-vain.ts";
import {
  json,
  type RequestContext,
  readJson,
  requireActiveMember,
  requireMember,
} from "./request-context.ts";
import type { CheckoutView, PurchasesView, PurchaseView } from "./shapes.ts";

/** Opens the provider's page for one offer of the price list. */
export async function beginPurchase(context: RequestContext): Promise<Response> {
  const { deps } = context;
  const { account, person } = await requireActiveMember(context);
  const { billing, prices } = deps.sales;
  if (billing === null) throw notPayable(prices?.contact ?? null);
  const { offer } = await readJson(context);
  const base = baseOf(context);
  const begun = await reaching(context, () =>
    billing.begin({
      ...{ account, email: person.email, offer: typeof offer === "string" ? offer : "" },
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

/** The buyer comes back to where they are signed in: a session holds for one name of the service. */
function baseOf({ deps, request }: RequestContext): string {
  const { publicUrl } = deps.settings;
  const origin = request.headers.get("origin");
  return origin === null || origin === new URL(publicUrl).origin ? publicUrl : origin;
}

const notPayable = (contact: string | null) =>
  new DashboardError(
    "not_payable",
    contact === null
      ? "Credits cannot be paid for here. Ask the people who run this service for them."
      : `Credits cannot be paid for here. Ask for them at ${contact}.`,
  );

function problemOf(begun: Exclude<BeginOutcome, { outcome: "begun" }>): DashboardError {
  switch (begun.outcome) {
    case "no_such_offer":
      return new DashboardError(
        "invalid_request",
        "This is not offered here, or no longer. Load the page again to see what is.",
      );
    case "already_lifetime":
      return new DashboardError(
        "invalid_request",
        "This account is on the lifetime plan already. Packs add credits to it, and they do not expire.",
      );
    case "lifetime_pending":
      return new DashboardError(
        "invalid_request",
        "The lifetime plan is paid for already, and the money is on its way. Its credits come as soon as the money is there; you need do nothing more.",
      );
    case "too_many":
      return new DashboardError(
        "too_many_requests",
        "Many purchases were begun within the last hour. Pay one that is open, or begin another one later.",
        Math.ceil(begun.retryAfterMs / 1_000),
      );
    case "account_suspended":
      return new DashboardError(
        "account_suspended",
        "This account is suspended. Ask the people who run this service.",
      );
    case "no_account":
      return new DashboardError("signed_out", "You are signed out. Sign in again.");
  }
}

const RETRY_SECONDS = 5;

/** What the operator has to mend is told to them alone. */
async function reaching<Outcome>(
  context: RequestContext,
  ask: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof ProviderUnavailable || cause instanceof ProviderRejected)) throw cause;
    const { deps, requestId } = context;
    deps.logError("A purchase could not be begun", { requestId, cause });
    throw new DashboardError(
      "unavailable",
      "The payment page cannot be opened just now, and nothing was paid. Try again in a moment.",
      RETRY_SECONDS,
    );
  }
}

const PURCHASES_A_PAGE = 30;

/** Of one purchase so often a second at the most: the page that people come back to asks again and again. */
export const LOOKS_PER_SECOND = 0.5;
/** Of one page of the list. */
const LOOKS_MAX = 3;

/** As they stand in the book: those whose payment may have gone on are looked at meanwhile, for the next time. */
export const createListPurchases =
  (looks: Throttle) =>
  async (context: RequestContext): Promise<Response> => {
    const { account } = await requireMember(context);
    const after = context.url.searchParams.get("after");
    const order = { account, after, max: PURCHASES_A_PAGE + 1 };
    const found = await context.deps.sales.purchases.list(order);
    const page = found.slice(0, PURCHASES_A_PAGE);
    const forgotten = page.filter((purchase) => isForgotten(purchase, context.now));
    for (const purchase of forgotten.slice(0, LOOKS_MAX)) {
      context.deps.inBackground(settled(context, purchase, looks));
    }
    const view: PurchasesView = {
      purchases: page.map((purchase) => viewPurchase(purchase, context.now)),
      next: found.length > PURCHASES_A_PAGE ? (page.at(-1)?.id ?? null) : null,
    };
    return json(view);
  };

/** Whoever comes back from the provider's page looks here, and the look settles: no message needs to have come before. */
export const createShowPurchase =
  (looks: Throttle) =>
  async (context: RequestContext): Promise<Response> => {
    const { account } = await requireMember(context);
    const found = await context.deps.sales.purchases.find({ id: context.id });
    if (found === null || found.account !== account) {
      throw new DashboardError("not_found", "This account has no such purchase.");
    }
    const purchase = mayGoOn(found) ? await settledSoon(context, found, looks) : found;
    return json(viewPurchase(purchase, context.now));
  };

/** Its page can no longer be paid at, or it was paid; and no message of the provider's has said so. */
const isForgotten = (purchase: Purchase, now: number) =>
  mayGoOn(purchase) && (purchase.status !== "open" || isOver(purchase, now));

/** What somebody waits for whose payment is looked at; it is looked at to the end all the same. */
export const LOOK_PATIENCE_MS = 3_000;

/** As the book has it where the look takes long: the page asks again. */
async function settledSoon(
  context: RequestContext,
  purchase: Purchase,
  looks: Throttle,
): Promise<Purchase> {
  const looking = settled(context, purchase, looks);
  context.deps.inBackground(looking);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Purchase>((resolve) => {
    timer = setTimeout(resolve, LOOK_PATIENCE_MS, purchase);
  });
  return Promise.race([looking, late]).finally(() => clearTimeout(timer));
}

/** The purchase as its payment stands, or as the book has it where that cannot be said just now. */
async function settled(
  context: RequestContext,
  purchase: Purchase,
  looks: Throttle,
): Promise<Purchase> {
  const { deps, now, requestId } = context;
  const { billing, purchases } = deps.sales;
  if (billing === null || !looks.take(purchase.id, now).allowed) return purchase;
  try {
    const outcome = await billing.settle({ purchase: purchase.id });
    notifyPaidInVain(context, outcome);
    return outcome.outcome === "settled" ? outcome.purchase : purchase;
  } catch (cause) {
    deps.logError("A payment could not be looked at", { requestId, cause });
    return (await purchases.find({ id: purchase.id })) ?? purchase;
  }
}

/** The provider's page cannot be paid at any more. */
const isOver = ({ createdAt }: Purchase, now: number) => now >= createdAt + PAGE_OPEN_MS;

const mayGoOn = (purchase: Purchase) =>
  ["open", "pending", "settling"].includes(stateOf(purchase)) && purchase.session !== null;

function stateOf(purchase: Purchase): PurchaseView["state"] {
  const { status, paid, refunded, dispute, grant, trouble } = purchase;
  if (status !== "paid") return status;
  if (dispute === "open" || dispute === "lost") return "disputed";
  if (refunded > 0) return refunded >= paid ? "refunded" : "partly_refunded";
  if (trouble !== null) return "trouble";
  return grant === null ? "settling" : "paid";
}

export function viewPurchase(purchase: Purchase, now: number): PurchaseView {
  const { id, offer, currency, status, price, paid, refunded, paidAt, voided, spent } = purchase;
  const isOpen = status === "open" && !isOver(purchase, now);
  // Nobody was ever given the address of its page.
  const isNever = status === "open" && purchase.session === null && !isOpen;
  return {
    ...{ id, at: purchase.createdAt, name: offer.name, kind: offer.kind, credits: offer.credits },
    amountText: priceText(status === "paid" ? paid : price, currency),
    refundedText: refunded > 0 ? priceText(refunded, currency) : null,
    state: isNever ? "expired" : stateOf(purchase),
    ...{ paidAt, voided, spent },
    receiptUrl: purchase.receiptUrl,
    invoiceUrl: purchase.invoiceUrl,
    payUrl: isOpen ? purchase.payUrl : null,
  };
}
