import { signUpNetworkOf } from "#networks.ts";
import { DashboardError, retryAfter } from "./dashboard-error.ts";
import type { CountPressure } from "./pressure.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Counts a request that may cause an email. Throws `emails_exhausted` while the service sends no more emails that such a person can request. Called before it is known
 * whether the address has an account, so the error does not reveal that.
 */
export async function requireSendable(
  { deps, now, peer }: RequestContext,
  kind: "anyone" | "verified",
  count: CountPressure,
): Promise<void> {
  const network = deps.auth.networkMark(signUpNetworkOf(peer));
  const at = await deps.whenSendable({ kind, network }, count);
  if (at === null) return;
  const time = new Date(at).toISOString().slice(11, 16);
  throw new DashboardError(
    "emails_exhausted",
    `This service has reached its limit on emails, in all or for your network, so it cannot send you one now. Try again after ${time} UTC.`,
    retryAfter(at - now),
  );
}
