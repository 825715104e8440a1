import { FRESH_PROOF_MS, type SignedIn } from "#accounts/auth-options.ts";
import type { SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { LOCK_SECONDS } from "#accounts/totp.ts";
import { DashboardError, retryAfter, tooManyRequests } from "./dashboard-error.ts";
import {
  json,
  type RequestContext,
  readAsMember,
  readJson,
  recordEvent,
  requireMember,
} from "./request-context.ts";
import type { CodeOrder, ProofMethod, ProofView, Provider } from "./shapes.ts";

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

/**
 * How the user can confirm their identity here. With a second factor only that counts; otherwise someone with a stolen session
 * and the password could turn it off.
 */
export async function showProof(context: RequestContext): Promise<Response> {
  const { auth, settings } = context.deps;
  const { internalAdapter } = await auth.context();
  const [{ user }, [found, factors]] = await readAsMember(context, ({ user: { id } }) =>
    Promise.all([internalAdapter.findAccounts(id), auth.factors.show(id)]),
  );
  const logins = found.map(({ providerId }) => providerId);
  const { passkeys, hasTotp, recoveryCodesLeft } = factors;
  const methods: ProofMethod[] = [];
  if (user.hasSecondFactor) {
    if (passkeys.length > 0 && auth.passkeyPlace !== null) methods.push("passkey");
    if (hasTotp) methods.push("totp");
    if (recoveryCodesLeft > 0) methods.push("recovery");
  } else {
    if (logins.includes("credential")) methods.push("password");
    methods.push(...settings.providers.filter((name: Provider) => logins.includes(name)));
  }
  const view: ProofView = { email: user.email, methods };
  return json(view);
}

/** Confirms the user's identity by the password, with the throttle of sign-ins. */
export function createProveByPassword(throttle: SignInThrottle) {
  return async (context: RequestContext): Promise<Response> => {
    const { deps, now } = context;
    const { user, session } = await requireMember(context);
    const { password } = await readJson(context);
    if (user.hasSecondFactor) {
      throw new DashboardError(
        "invalid_request",
        "This account has a second factor. Confirm with a passkey or a code.",
      );
    }
    await checkPassword(context, throttle, user, password);
    await deps.auth.factors.markProved(session.id, now);
    return json({});
  };
}

/** Counts a try of the password in a session, which may be stolen, with the throttle of sign-ins. */
export async function takePasswordTry(
  { peer, now }: RequestContext,
  throttle: SignInThrottle,
  user: SignedIn["user"],
): Promise<void> {
  const attempt = { email: user.email, address: peer ?? "", isKnownBrowser: true };
  const decision = await throttle.ask(attempt, now);
  if ("retryAfterMs" in decision) throw tooManyRequests(decision.retryAfterMs);
}

/** Returns whether the user has a password. Throws `wrong_password` if the one that was sent is not right. */
export async function checkPassword(
  context: RequestContext,
  throttle: SignInThrottle,
  user: SignedIn["user"],
  password: unknown,
): Promise<boolean> {
  const { deps } = context;
  const { internalAdapter } = await deps.auth.context();
  const login = await internalAdapter.findCredentialAccount(user.id);
  if (typeof login?.password !== "string") return false;
  await takePasswordTry(context, throttle, user);
  const stored = login.password;
  const isRight =
    typeof password === "string" &&
    (await deps.inPasswordLane("known", () => deps.verifyPassword(stored, password)));
  if (isRight) return true;
  throw new DashboardError("wrong_password", "Wrong password. Enter the password of this account.");
}

/** Confirms the user's identity by a code of the authenticator app, or by a recovery code, which is used up. */
export async function proveByCode(context: RequestContext): Promise<Response> {
  const { deps, now } = context;
  const { user, session } = await requireMember(context);
  const order = await readCode(context);
  rejectWrongCode(await deps.auth.factors.checkCode(user.id, order, now));
  await deps.auth.factors.markProved(session.id, now);
  const factor = order.kind === "totp" ? "authenticator app" : "recovery code";
  await recordEvent(context, user, "factor_used", factor);
  return json({});
}

/** Far longer than any code, with spaces. */
const CODE_CHARS_MAX = 40;

export async function readCode(context: RequestContext): Promise<CodeOrder> {
  const { code, kind = "totp" } = await readJson(context);
  const isKind = kind === "totp" || kind === "recovery";
  if (typeof code === "string" && code.length <= CODE_CHARS_MAX && isKind) return { code, kind };
  throw new DashboardError("invalid_request", "Enter the code.");
}

export function rejectWrongCode(outcome: "right" | "wrong" | "locked"): void {
  if (outcome === "locked") throw codesLocked();
  if (outcome === "wrong") throw wrongCode();
}

export const wrongCode = () =>
  new DashboardError(
    "wrong_code",
    "This code is wrong or was already used. Enter the code that your app shows now, or another recovery code.",
  );

export const codesLocked = () =>
  new DashboardError(
    "too_many_codes",
    `Too many wrong codes. Codes are locked for ${LOCK_SECONDS / 60} minutes. A passkey still works.`,
    retryAfter(LOCK_SECONDS * 1_000),
  );
