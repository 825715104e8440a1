import { FRESH_PROOF_MS, type SignedIn } from "#accounts/auth-options.ts";
import { DashboardError } from "./dashboard-error.ts";
import { json, type RequestContext, readAsMember } from "./request-context.ts";
import type { ProofMethod, ProofView, Provider } from "./shapes.ts";

/**
 * Requires that the user signed in within the last minutes. Handlers call it before they change what protects the account: a stolen or
 * unattended session alone must not be enough. The user confirms their identity by signing in again, which replaces the session.
 * Throws `fresh_proof_required`.
 */
export function requireFreshProof({ now }: RequestContext, { session }: SignedIn): void {
  if (now - session.provedAt < FRESH_PROOF_MS) return;
  throw new DashboardError(
    "fresh_proof_required",
    "Confirm that it is you, then try again. This protects your account in case someone else uses your browser.",
  );
}

/** How the user can confirm their identity here. */
export async function showProof(context: RequestContext): Promise<Response> {
  const { auth, settings } = context.deps;
  const { internalAdapter } = await auth.context();
  const [{ user }, [found, passkeys]] = await readAsMember(context, ({ user: { id } }) =>
    Promise.all([internalAdapter.findAccounts(id), auth.passkeys.list(id)]),
  );
  const logins = found.map(({ providerId }) => providerId);
  const methods: ProofMethod[] = [];
  if (passkeys.length > 0 && auth.passkeyPlace !== null) methods.push("passkey");
  if (!user.requiresPasskey) {
    methods.push("code", ...settings.providers.filter((name: Provider) => logins.includes(name)));
  }
  const view: ProofView = { email: user.email, methods };
  return json(view);
}
