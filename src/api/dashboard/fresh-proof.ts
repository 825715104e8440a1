import { FRESH_PROOF_MS, type SignedIn } from "#accounts/auth-options.ts";
import { DashboardError } from "./dashboard-error.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Requires that the user signed in, or confirmed their identity, within the last minutes. Handlers call it before they change
 * what protects the account: a stolen or unattended session alone must not be enough. Throws `fresh_proof_required`.
 */
export function requireFreshProof({ now }: RequestContext, { session }: SignedIn): void {
  if (now - session.provedAt < FRESH_PROOF_MS) return;
  throw new DashboardError(
    "fresh_proof_required",
    "Confirm that it is you, then try again. This protects your account in case someone else uses your browser.",
  );
}
