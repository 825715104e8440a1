import type { SettleOutcome } from "#billing/settle-purchase.ts";
import type { RequestContext } from "./request-context.ts";

/** Logs a payment whose account cannot get the credits: only the operator can refund it. */
export function notifyPaidInVain(
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
