import { InvalidWebhook } from "#billing/payment-provider.ts";
import type { SettleOutcome } from "#billing/settle-purchase.ts";
import type { Throttle } from "#ledger/throttle.ts";
import { networkOf } from "#networks.ts";
import { DashboardError, retryAfter, tooManyRequests } from "./dashboard-error.ts";
import type { Tally } from "./rejections.ts";
import { json, type RequestContext } from "./request-context.ts";

/** Stripe's webhook endpoint. The signature authorizes a message; cookies and origins are ignored. */
export const STRIPE_MESSAGE_PATH = "/webhooks/stripe";

const RETRY_MS = 30_000;

type Bounds = { changes: Throttle; rejected: Tally };

/**
 * A message only makes the service look up the payment at Stripe. If that fails, the response is 503, and Stripe
 * resends the message for up to three days.
 */
export async function receiveStripeMessage(
  context: RequestContext,
  bounds: Bounds,
): Promise<Response> {
  const { deps, request, requestId } = context;
  const { billing } = deps.sales;
  if (billing === null) {
    throw new DashboardError("not_found", "This service takes no payments through Stripe.");
  }
  const body = new Uint8Array(await request.arrayBuffer());
  try {
    const settled = await billing.receive(body, request.headers.get("stripe-signature"));
    logUncreditedPayment(context, settled);
    return json({ received: true, outcome: settled.outcome });
  } catch (cause) {
    if (cause instanceof InvalidWebhook) throw reject(context, bounds, cause);
    deps.logError("A Stripe message was not processed; Stripe will send it again", {
      requestId,
      cause,
    });
    throw new DashboardError(
      "unavailable",
      "The message cannot be processed right now. Send it again.",
      retryAfter(RETRY_MS),
    );
  }
}

/** Anyone can send a forged message, so the number of log lines is limited, and they contain no part of the message. */
function reject(
  { deps, requestId, peer, now }: RequestContext,
  { changes, rejected }: Bounds,
  { isLate }: InvalidWebhook,
): DashboardError {
  const { allowed, retryAfterSeconds } = changes.take(networkOf(peer ?? ""), now);
  if (!allowed) return tooManyRequests(retryAfterSeconds * 1_000);
  const count = rejected(isLate ? "late" : "unsigned", now);
  if (count !== null) {
    const others = count > 1 ? `, and ${count - 1} more like it since the last report` : "";
    const why = isLate
      ? "it was signed more than five minutes ago. If this happens to all messages, check this machine's clock"
      : "it is not signed with STRIPE_WEBHOOK_SECRET. If Stripe sent it, set that secret to the one of the endpoint";
    deps.logError(`A message to ${STRIPE_MESSAGE_PATH} was rejected${others}: ${why}`, {
      requestId,
    });
  }
  return new DashboardError(
    "invalid_request",
    "The message is not signed with the secret of this endpoint, or was signed more than five minutes ago.",
  );
}

/** Logs a payment whose account cannot get the credits: only the operator can refund it. */
export function logUncreditedPayment(
  { deps, requestId }: Pick<RequestContext, "deps" | "requestId">,
  settled: SettleOutcome | { outcome: "ignored" },
): void {
  if (settled.outcome !== "settled" || !settled.changed) return;
  const { id, payment, trouble } = settled.purchase;
  if (trouble === null) return;
  const why =
    trouble === "account_closed" ? "its account is closed" : "the ledger has no such account";
  deps.logError(
    `${id} was paid, but ${why}: refund ${payment ?? "the payment"} in Stripe's dashboard`,
    { requestId },
  );
}
