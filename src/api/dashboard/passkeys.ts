import { readLabel } from "#accounts/accounts.ts";
import { PASSKEYS_MAX, type Passkey } from "#accounts/passkeys.ts";
import { askAuthWith, keepCookies } from "./call-auth.ts";
import { AuthError, DashboardError } from "./dashboard-error.ts";
import { requireFreshProof } from "./fresh-proof.ts";
import { knowBrowser } from "./known-browser.ts";
import {
  json,
  type Member,
  type RequestContext,
  readAsMember,
  readJson,
  recordEvent,
  requireActiveMember,
} from "./request-context.ts";
import type { PasskeysView, PasskeyView } from "./shapes.ts";

/** Signing in with a passkey, and the passkeys of the account settings. Every change needs a fresh proof. */

/** The options with which the browser finds a passkey for this service. Needs no session. */
export async function beginPasskeySignIn(context: RequestContext): Promise<Response> {
  const response = await askAuthWith(context, "GET", null);
  const options = (await response.json()) as object;
  // The plugin asks for less than it then accepts (see `loadPasskeyPlugin`).
  return keepCookies(json({ ...options, userVerification: "required" }), response);
}

/**
 * Better Auth's response to a sign-in contains the session's token, for apps without cookies. The pages do not need it, so we do not
 * pass it on.
 */
export async function signInByPasskey(context: RequestContext): Promise<Response> {
  const { response: assertion } = await readJson(context);
  if (typeof assertion !== "object" || assertion === null) throw unknownPasskey();
  const response = await askAuthWith(context, "POST", { response: assertion }).catch((error) => {
    if (error instanceof AuthError && error.code !== "USER_NOT_VERIFIED") throw unknownPasskey();
    throw error;
  });
  const { user } = (await response.json()) as { user: { email: string } };
  knowBrowser(context, user.email);
  return keepCookies(json({}), response);
}

export async function showPasskeys(context: RequestContext): Promise<Response> {
  const [{ user }, passkeys] = await readAsMember(context, ({ user: { id } }) =>
    context.deps.auth.passkeys.list(id),
  );
  const view: PasskeysView = {
    passkeys: passkeys.map(viewPasskey),
    passkeysMax: PASSKEYS_MAX,
    requiresPasskey: user.requiresPasskey,
  };
  return json(view);
}

/** A member who signed in within the last minutes. */
async function requireProvedMember(context: RequestContext): Promise<Member> {
  const member = await requireActiveMember(context);
  requireFreshProof(context, member);
  return member;
}

/** The options with which the browser makes a passkey. */
export async function beginPasskey(context: RequestContext): Promise<Response> {
  const { user } = await requireProvedMember(context);
  const passkeys = await context.deps.auth.passkeys.list(user.id);
  if (passkeys.length >= PASSKEYS_MAX) {
    throw new DashboardError(
      "invalid_request",
      `An account can have at most ${PASSKEYS_MAX} passkeys. Remove one that you no longer use.`,
    );
  }
  return askAuthWith(context, "GET", null);
}

export async function addPasskey(context: RequestContext): Promise<Response> {
  const { user } = await requireProvedMember(context);
  const { response, name } = await readJson(context);
  const label = readName(name);
  const added = await askAuthWith(context, "POST", { response, name: label }).catch((error) => {
    if (!(error instanceof AuthError) || error.code !== "FAILED_TO_VERIFY_REGISTRATION")
      throw error;
    throw new DashboardError(
      "invalid_request",
      "The browser's response does not belong to this request. Add the passkey again.",
    );
  });
  const { id } = (await added.json()) as { id: string };
  await recordEvent(context, user, "passkey_added", label);
  return json({ id }, 201);
}

export async function renamePasskey(context: RequestContext): Promise<Response> {
  const { user } = await requireActiveMember(context);
  const name = readName((await readJson(context))["name"]);
  const renamed = await context.deps.auth.passkeys.rename(user.id, context.id, name);
  if (renamed === null) throw noSuchPasskey();
  await recordEvent(context, user, "passkey_renamed", name);
  return json({ passkey: viewPasskey(renamed) });
}

export async function removePasskey(context: RequestContext): Promise<Response> {
  const { deps, id } = context;
  const { user } = await requireProvedMember(context);
  const passkey = (await deps.auth.passkeys.list(user.id)).find((each) => each.id === id);
  if (passkey === undefined) throw noSuchPasskey();
  const order = { user: user.id, passkey: id };
  const { removed, endedRequirement } = await deps.activityLog.removePasskey(order);
  if (removed) await recordEvent(context, user, "passkey_removed", passkey.name);
  if (endedRequirement) await recordEvent(context, user, "passkey_not_required", null);
  return json({});
}

/** Sets whether only a passkey signs in and proves who the user is. */
export async function requirePasskey(context: RequestContext): Promise<Response> {
  const { user } = await requireProvedMember(context);
  const { requiresPasskey: requires } = await readJson(context);
  if (typeof requires !== "boolean") {
    throw new DashboardError("invalid_request", "`requiresPasskey` must be true or false.");
  }
  if (requires === user.requiresPasskey) return json({});
  const { done } = await context.deps.activityLog.requirePasskey({ user: user.id, requires });
  if (!done) {
    throw new DashboardError(
      "invalid_request",
      "Add a passkey first: otherwise you could no longer sign in.",
    );
  }
  await recordEvent(context, user, requires ? "passkey_required" : "passkey_not_required", null);
  return json({});
}

const readName = (name: unknown): string => readLabel(typeof name === "string" ? name : "", "name");

const viewPasskey = ({ id, name, createdAt, lastUsedAt }: Passkey): PasskeyView => ({
  id,
  name: name ?? "Passkey",
  createdAt: timeOf(createdAt),
  lastUsedAt: timeOf(lastUsedAt),
});

const timeOf = (at: Date | string | null) => (at === null ? null : new Date(at).getTime());

const noSuchPasskey = () => new DashboardError("not_found", "This account has no such passkey.");

const unknownPasskey = () =>
  new DashboardError(
    "unknown_passkey",
    "This passkey could not be used to sign in. It may have been removed from your account. Try again, or sign in another way.",
  );
