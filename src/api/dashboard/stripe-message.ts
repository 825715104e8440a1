import { InvalidWebhook } from "#billing/payment-provider.ts";
import type { Throttle } from "#ledger/throttle.ts";
import { DashboardError, tooFast } from "./dashboard-error.ts";
import { networkOf } from "./network.ts";
import { notifyPaidInVain } from "./paid-in-vain.ts";
import type { RefusedMessages } from "./rejected-stripe-messages.ts";
import { json, type RequestContext } from "./request-context.ts";

/** Where Stripe sends its messages; it is no page's, so neither cookies nor origins count, but the signature alone. */
export const STRIPE_MESSAGE_PATH = "/webhooks/stripe";

const RETRY_SECONDS = 30;

type Bounds = { changes: Throttle; refused: RefusedMessages };

/**
 * A message is a reason to look how a payment stands, no more. Whatever hinders that is answered with 503, and Stripe sends
 * the message again, for three days.
 */
export async function receiveStripeMessage(
  context: RequestContext,
  bounds: Bounds,
): Promise<Response> {
  const { deps, request, requestId } = context;
  const { billing } = deps.sales;
  if (billing === null)
    throw new DashboardError("not_found", "Nothing is paid through Stripe here.");
  const body = new Uint8Array(await request.arrayBuffer());
  try {
    const settled = await billing.receive(body, request.headers.get("stripe-signature"));
    notifyPaidInVain(context, settled);
    return json({ received: true, outcome: settled.outcome });
  } catch (cause) {
    if (cause instanceof InvalidWebhook) throw refuse(context, bounds, cause);
    deps.logError("A message of Stripe's could not be carried out; Stripe sends it again", {
      ...{ requestId, cause },
    });
    throw new DashboardError(
      "unavailable",
      "This cannot be carried out just now. Send it again.",
      RETRY_SECONDS,
    );
  }
}

/** Anybody can send one: what fills the log has a bound, and nothing of the message comes into it. */
function refuse(
  { deps, requestId, peer, now }: RequestContext,
  { changes, refused }: Bounds,
  { isLate }: InvalidWebhook,
): DashboardError {
  const { allowed, retryAfterSeconds } = changes.take(networkOf(peer ?? ""), now);
  if (!allowed) return tooFast(retryAfterSeconds * 1_000);
  const count = refused.count(isLate ? "late" : "unsigned", now);
  if (count !== null) {
    const others = count > 1 ? `, and ${count - 1} more like it since this was last said` : "";
    const why = isLate
      ? "it was signed more than five minutes ago. If they all are, look at this machine's clock"
      : "it is not signed with STRIPE_WEBHOOK_SECRET. Where Stripe has sent it, set that secret to the endpoint's own";
    deps.logError(`A message to ${STRIPE_MESSAGE_PATH} was refused${others}: ${why}`, {
      requestId,
    });
  }
  return new DashboardError(
    "invalid_request",
    "The message is not signed with the secret of this endpoint, or was signed more than five minutes ago.",
  );
}
