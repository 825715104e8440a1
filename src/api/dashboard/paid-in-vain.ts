import type { SettleOutcome } from "#billing/settle-purchase.ts";
import type { RequestContext } from "./request-context.ts";

/** Money that came for an account which cannot have its credits: only the operator can give it back, so they are told. */
export function notifyPaidInVain(
  { deps, requestId }: Pick<RequestContext, "deps" | "requestId">,
  settled: SettleOutcome | { outcome: "ignored" },
): void {
  if (settled.outcome !== "settled" || !settled.changed) return;
  const { id, payment, trouble } = settled.purchase;
  if (trouble === null) return;
  const why =
    trouble === "account_closed" ? "its account is closed" : "the ledger knows no such account";
  deps.logError(
    `${id} was paid, but ${why}: refund ${payment ?? "the payment"} in Stripe's dashboard`,
    { requestId },
  );
}
