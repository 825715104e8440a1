import { AccountError, readLabel } from "#accounts/accounts.ts";
import { PASSKEYS_MAX, type Passkey } from "#accounts/factors.ts";
import { askAuthWith } from "./call-auth.ts";
import { AuthError, DashboardError } from "./dashboard-error.ts";
import { readCode, rejectWrongCode, requireFreshProof } from "./fresh-proof.ts";
import {
  json,
  type Member,
  type RequestContext,
  readAsMember,
  readJson,
  recordEvent,
  requireActiveMember,
} from "./request-context.ts";
import type { FactorAdded, FactorsView, PasskeyView } from "./shapes.ts";

/** Passkeys, authenticator app and recovery codes of the account settings. Every change needs a fresh proof. */

export async function showFactors(context: RequestContext): Promise<Response> {
  const [, { passkeys, hasTotp, recoveryCodesLeft }] = await readAsMember(context, ({ user }) =>
    context.deps.auth.factors.show(user.id),
  );
  const view: FactorsView = {
    passkeys: passkeys.map(viewPasskey),
    passkeysMax: PASSKEYS_MAX,
    totp: hasTotp,
    recoveryCodesLeft,
  };
  return json(view);
}

/** A member who signed in or confirmed their identity within the last minutes. */
async function requireProvedMember(context: RequestContext): Promise<Member> {
  const member = await requireActiveMember(context);
  requireFreshProof(context, member);
  return member;
}

/** The options with which the browser makes a passkey. */
export async function beginPasskey(context: RequestContext): Promise<Response> {
  const { user } = await requireProvedMember(context);
  const passkeys = await context.deps.auth.factors.listPasskeys(user.id);
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
  const recoveryCodes = await context.deps.auth.factors.passkeyAdded(user.id);
  await recordEvent(context, user, "passkey_added", label);
  const view: FactorAdded = { recoveryCodes };
  return json({ ...view, id }, 201);
}

export async function renamePasskey(context: RequestContext): Promise<Response> {
  const { user } = await requireActiveMember(context);
  const name = readName((await readJson(context))["name"]);
  const renamed = await context.deps.auth.factors.renamePasskey(user.id, context.id, name);
  if (renamed === null) throw noSuchPasskey();
  await recordEvent(context, user, "passkey_renamed", name);
  return json({ passkey: viewPasskey(renamed) });
}

export async function removePasskey(context: RequestContext): Promise<Response> {
  const { deps, id } = context;
  const { user } = await requireProvedMember(context);
  const passkey = (await deps.auth.factors.listPasskeys(user.id)).find((each) => each.id === id);
  if (passkey === undefined) throw noSuchPasskey();
  const { removed } = await deps.activityLog.removePasskey({ user: user.id, passkey: id });
  if (!removed) {
    throw new DashboardError(
      "last_sign_in",
      "This passkey is your only way to sign in. Set a password or add another passkey first.",
    );
  }
  await recordEvent(context, user, "passkey_removed", passkey.name);
  return json({});
}

/** Starts setting up an authenticator app. */
export async function beginTotp(context: RequestContext): Promise<Response> {
  const { user } = await requireProvedMember(context);
  const setup = await context.deps.auth.factors.beginTotp(user);
  if (setup !== null) return json(setup);
  throw new DashboardError(
    "invalid_request",
    "This account has an authenticator app. Remove it before you set up another one.",
  );
}

/** Completes setting up an authenticator app with one of its codes. */
export async function confirmTotp(context: RequestContext): Promise<Response> {
  const { deps, now } = context;
  const { user } = await requireProvedMember(context);
  const { code } = await readCode(context);
  const { outcome, recoveryCodes } = await deps.auth.factors.confirmTotp(user.id, code, now);
  if (outcome === "not_begun") {
    throw new DashboardError("invalid_request", "Start setting up the authenticator app again.");
  }
  rejectWrongCode(outcome);
  await recordEvent(context, user, "totp_added", null);
  const view: FactorAdded = { recoveryCodes };
  return json(view, 201);
}

export async function removeTotp(context: RequestContext): Promise<Response> {
  const { user } = await requireProvedMember(context);
  const { removed } = await context.deps.auth.factors.removeTotp(user.id);
  if (removed) await recordEvent(context, user, "totp_removed", null);
  return json({});
}

export async function replaceRecoveryCodes(context: RequestContext): Promise<Response> {
  const { user } = await requireProvedMember(context);
  const recoveryCodes = user.hasSecondFactor
    ? await context.deps.auth.factors.replaceRecoveryCodes(user.id)
    : null;
  if (recoveryCodes === null) {
    throw new DashboardError(
      "invalid_request",
      "Recovery codes belong to a second factor. Add a passkey or an authenticator app first.",
    );
  }
  await recordEvent(context, user, "recovery_codes_replaced", null);
  const view: FactorAdded = { recoveryCodes };
  return json(view, 201);
}

export async function removePassword(context: RequestContext): Promise<Response> {
  const { deps } = context;
  const { user } = await requireProvedMember(context);
  const { internalAdapter } = await deps.auth.context();
  if ((await internalAdapter.findCredentialAccount(user.id)) === null) return json({});
  const { removed } = await deps.activityLog.removePassword({ user: user.id });
  if (!removed) {
    throw new DashboardError(
      "last_sign_in",
      "The password is your only way to sign in. Add a passkey first.",
    );
  }
  await deps.activityLog.dropResetLinks({ user: user.id });
  await recordEvent(context, user, "password_removed", null);
  return json({});
}

function readName(name: unknown): string {
  try {
    return readLabel(typeof name === "string" ? name : "");
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    throw new DashboardError("invalid_request", error.message.replace("label", "name"));
  }
}

const viewPasskey = ({ id, name, createdAt, lastUsedAt }: Passkey): PasskeyView => ({
  id,
  name: name ?? "Passkey",
  createdAt: timeOf(createdAt),
  lastUsedAt: timeOf(lastUsedAt),
});

const timeOf = (at: Date | string | null) => (at === null ? null : new Date(at).getTime());

const noSuchPasskey = () => new DashboardError("not_found", "This account has no such passkey.");
