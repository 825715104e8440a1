import { AUTH_PATH, cookiePath, TooManyPasswords } from "#accounts/auth-options.ts";
import { browserName } from "#accounts/browser-name.ts";
import type { Attempt, SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { networkOf, signUpNetworkOf } from "#networks.ts";
import { type AuthOrder, askAuth, keepCookies, readOrder } from "./call-auth.ts";
import { AuthError, DashboardError, tooManyRequests } from "./dashboard-error.ts";
import { addPasskey, beginPasskey } from "./factors.ts";
import { requireFreshProof, takePasswordTry } from "./fresh-proof.ts";
import { isKnownBrowser, knowBrowser, knowSignedInBrowser } from "./known-browser.ts";
import { openLink, SUSPENDED } from "./open-link.ts";
import { type CountPressure, requireProofUnderPressure } from "./pressure.ts";
import {
  type DashboardHandler,
  type DashboardRoutes,
  json,
  type RequestContext,
  recordEvent,
  requireMember,
  requireNotSuspended,
} from "./request-context.ts";
import {
  beginPasskeySignIn,
  createFinishByCode,
  createSignInByPasskey,
  showWaiting,
} from "./second-factor.ts";
import { requireSendable } from "./sendable.ts";
import { markSignUp } from "./sign-up-cookie.ts";

type Step = (context: RequestContext, order: AuthOrder) => Promise<Response>;

/**
 * The parts of Better Auth that the pages may use, with the fields that each takes. Better Auth's response to a sign-in
 * contains the session's token, for apps without cookies. The pages do not need the token, so we do not pass it on.
 */
export function authRoutes(
  throttle: SignInThrottle,
  countPressure: CountPressure,
): DashboardRoutes {
  const authRoute = (fields: readonly string[], step: Step) => ({
    POST: async (context: RequestContext) => step(context, await readOrder(context, fields)),
  });
  /** For requests of strangers. `proof` is the solution of a challenge, which the page sends where it is asked for. */
  const guardedRoute = (fields: readonly string[], step: Step) =>
    authRoute([...fields, "proof"], async (context, { proof, ...order }) => {
      await requireProofUnderPressure(context, "sign-up", proof, countPressure);
      return step(context, order);
    });
  const openEmailLink: Step = (context, order) => openLink(context, order, throttle, countPressure);
  /** For requests that may cause an email. They are counted before it is known whether they do. */
  const sending =
    (kind: "anyone" | "verified", step: Step): Step =>
    async (context, order) => {
      await requireSendable(context, kind, countPressure);
      return step(context, order);
    };
  const finishByCode = createFinishByCode(throttle);
  const setPassword: Step = (context, order) => resetPassword(context, order, throttle);
  const replacePassword: Step = (context, order) => changePassword(context, order, throttle);
  return {
    [`${AUTH_PATH}/sign-up/email`]: guardedRoute(
      ["email", "password"],
      createSignUp(countPressure),
    ),
    [`${AUTH_PATH}/sign-in/email`]: authRoute(
      ["email", "password", "proof"],
      createSignIn(throttle, countPressure),
    ),
    [`${AUTH_PATH}/sign-in/social`]: authRoute(
      ["provider", "callbackURL", "errorCallbackURL"],
      askAuth,
    ),
    [`${AUTH_PATH}/callback/github`]: { GET: returnFromProvider },
    [`${AUTH_PATH}/callback/google`]: { GET: returnFromProvider },
    [`${AUTH_PATH}/second-factor`]: { GET: showWaiting },
    [`${AUTH_PATH}/two-factor/verify-totp`]: { POST: finishByCode },
    [`${AUTH_PATH}/two-factor/verify-backup-code`]: { POST: finishByCode },
    ...passkeyRoutes(throttle),
    [`${AUTH_PATH}/sign-out`]: authRoute([], askAuth),
    [`${AUTH_PATH}/send-verification-email`]: guardedRoute(["email"], sending("anyone", askAuth)),
    [`${AUTH_PATH}/verify-email`]: authRoute(["token"], openEmailLink),
    [`${AUTH_PATH}/request-password-reset`]: guardedRoute(
      ["email"],
      sending("verified", requestReset),
    ),
    [`${AUTH_PATH}/reset-password`]: authRoute(["newPassword", "token"], setPassword),
    [`${AUTH_PATH}/change-password`]: authRoute(
      ["currentPassword", "newPassword"],
      replacePassword,
    ),
    [`${AUTH_PATH}/change-email`]: authRoute(["newEmail"], createChangeEmail(countPressure)),
  };
}

function passkeyRoutes(throttle: SignInThrottle): DashboardRoutes {
  const passkeysOnly =
    (handler: DashboardHandler): DashboardHandler =>
    (context) => {
      if (context.deps.auth.passkeyPlace !== null) return handler(context);
      throw new DashboardError(
        "invalid_request",
        "Passkeys need a domain name and HTTPS. The address of this service has neither, or only one of them.",
      );
    };
  const passkeyRoute = (handler: DashboardHandler) => ({ POST: passkeysOnly(handler) });
  const path = `${AUTH_PATH}/passkey`;
  return {
    [`${path}/generate-register-options`]: passkeyRoute(beginPasskey),
    [`${path}/verify-registration`]: passkeyRoute(addPasskey),
    [`${path}/generate-authenticate-options`]: passkeyRoute(beginPasskeySignIn),
    [`${path}/verify-authentication`]: passkeyRoute(createSignInByPasskey(throttle)),
  };
}

function createSignUp(countPressure: CountPressure): Step {
  return async (context, order) => {
    await requireSendable(context, "anyone", countPressure);
    return signUp(context, order);
  };
}

async function signUp(context: RequestContext, order: AuthOrder): Promise<Response> {
  const ask = () =>
    context.deps.inPasswordLane("sign-up", () => askAuth(context, { name: "", ...order }));
  // With two simultaneous sign-ups, the second attempt finds the row that the first one made.
  const response = await ask().catch((error) => {
    if (error instanceof AuthError && error.status === 422) return ask();
    throw error;
  });
  // For an address that is known already, Better Auth returns an id that no user has.
  const { user } = (await response.json()) as { user: { id: string } };
  markSignUp(context, user.id);
  return json({});
}

/** A delayed sign-in holds its request open. This bounds how many are open at once. */
const DELAYED_MAX = 100;

function createSignIn(throttle: SignInThrottle, countPressure: CountPressure): Step {
  let delayed = 0;
  async function delay({ deps }: RequestContext, ms: number): Promise<void> {
    if (delayed >= DELAYED_MAX) throw tooManyRequests(ms);
    delayed += 1;
    await deps.wait(ms).finally(() => {
      delayed -= 1;
    });
  }
  return async (context, { proof, ...order }) => {
    const { deps, request, peer } = context;
    const email = order["email"] ?? "";
    const attempt: Attempt = {
      email,
      address: networkOf(peer ?? ""),
      isKnownBrowser: isKnownBrowser(request.headers, email, deps.settings),
    };
    const kind = attempt.isKnownBrowser ? "known" : "sign-in";
    await requireProofUnderPressure(context, kind, proof, countPressure);
    const decision = await throttle.ask(attempt, context.now);
    if ("retryAfterMs" in decision) throw tooManyRequests(decision.retryAfterMs);
    if (decision.waitMs > 0) await delay(context, decision.waitMs);
    return signIn(context, order, attempt, throttle, countPressure);
  };
}

async function signIn(
  context: RequestContext,
  order: AuthOrder,
  attempt: Attempt,
  throttle: SignInThrottle,
  countPressure: CountPressure,
): Promise<Response> {
  const lane = attempt.isKnownBrowser ? "known" : "sign-in";
  const signingIn = context.deps.inPasswordLane(lane, () => askAuth(context, order));
  const response = await signingIn.catch(async (error) => {
    // The password was right; only the address is not verified yet.
    if (error instanceof AuthError && error.code === "EMAIL_NOT_VERIFIED") {
      throttle.succeeded(attempt);
      const { internalAdapter } = await context.deps.auth.context();
      const found = await internalAdapter.findUserByEmail(attempt.email);
      if (found !== null) markSignUp(context, found.user.id);
      await requireSendable(context, "anyone", countPressure);
      context.deps.auth.sendVerification(attempt.email, signUpNetworkOf(context.peer));
    }
    if (error instanceof AuthError && error.code === "INVALID_EMAIL_OR_PASSWORD") {
      recordFailedSignIn(context, attempt.email);
    }
    throw error;
  });
  const { twoFactorRedirect = false } = (await response.json()) as { twoFactorRedirect?: boolean };
  if (twoFactorRedirect) {
    throttle.succeeded(attempt);
    return keepCookies(json({ secondFactor: true }), response);
  }
  knowBrowser(context, attempt.email, throttle);
  return keepCookies(json({}), response);
}

/**
 * Counts a wrong password in the activity log of the address's owner, if there is one. It is written after the response,
 * whose duration would otherwise reveal whether the address has an account.
 */
function recordFailedSignIn({ deps, peer, now, request }: RequestContext, email: string): void {
  const browser = browserName(request.headers.get("user-agent"));
  const order = { email, at: now, address: peer, browser };
  deps.afterResponse(() => deps.activityLog.recordFailedSignIn(order));
}

/** Hides that Better Auth takes longer for known addresses than for unknown ones. */
const RESET_RESPONSE_MS = 500;

async function requestReset(context: RequestContext, order: AuthOrder): Promise<Response> {
  const [response] = await Promise.all([
    askAuth(context, order),
    context.deps.wait(RESET_RESPONSE_MS),
  ]);
  return response;
}

/**
 * Setting a new password invalidates all other reset links, because someone else may be able to read the older emails.
 */
async function resetPassword(
  context: RequestContext,
  order: AuthOrder,
  throttle: SignInThrottle,
): Promise<Response> {
  const { deps } = context;
  const { internalAdapter } = await deps.auth.context();
  const link = `reset-password:${order["token"] ?? ""}`;
  const found = await internalAdapter.findVerificationValue(link);
  const id = found?.value;
  // Someone with a link from an email is not a stranger, so a flood of sign-ups does not hold up the new password.
  const setting = deps.inPasswordLane("sign-in", () => askAuth(context, order));
  const response = await setting.catch(async (error) => {
    // Better Auth has used up the link by now, and the password is not changed.
    if (found !== null && error instanceof TooManyPasswords) {
      const { value, expiresAt } = found;
      await internalAdapter.createVerificationValue({ identifier: link, value, expiresAt });
    }
    throw error;
  });
  if (id === undefined) return response;
  await deps.activityLog.dropResetLinks({ user: id });
  const user = await internalAdapter.findUserById(id);
  if (user !== null) knowBrowser(context, user.email, throttle);
  return response;
}

/**
 * GitHub or Google sends the user back here. The error for an unverified address is the same whether or not the address
 * has an account, so that it does not reveal who has one.
 */
async function returnFromProvider(context: RequestContext): Promise<Response> {
  const { publicUrl } = context.deps.settings;
  const response = await askAuth(context, null);
  const location = response.headers.get("Location");
  const url = location === null ? null : URL.parse(location, publicUrl);
  if (url !== null && (await isWaiting(response))) {
    const base = cookiePath(publicUrl).replace(/\/$/, "");
    const next = url.href.slice((url.origin + base).length);
    const page = `${url.origin}${base}/confirm-sign-in?${new URLSearchParams({ next })}`;
    return keepCookies(new Response(null, { status: 302, headers: { Location: page } }), response);
  }
  const error = url?.searchParams.get("error");
  if (url == null || error == null) {
    await knowSignedInBrowser(context, response);
    return response;
  }
  url.searchParams.delete("error_description");
  if (error === "account_not_linked") url.searchParams.set("error", "email_not_verified");
  const headers = new Headers(response.headers);
  headers.set("Location", url.href);
  return new Response(null, { status: response.status, headers });
}

/** Whether the second factor is still to come; the redirect then has a body that says so. */
async function isWaiting(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof body === "object" && body !== null && "twoFactorRedirect" in body;
}

/** Also ends the other sessions, because users change a password when someone else may know it. */
async function changePassword(
  context: RequestContext,
  order: AuthOrder,
  throttle: SignInThrottle,
): Promise<Response> {
  const { deps, request } = context;
  const { signedIn } = await deps.auth.signedIn(request.headers);
  // The current password is a proof by itself, unless the account has a stronger one.
  if (signedIn?.user.hasSecondFactor) requireFreshProof(context, signedIn);
  if (signedIn !== null) await takePasswordTry(context, throttle, signedIn.user);
  const response = await deps.inPasswordLane("known", () =>
    askAuth(context, { ...order, revokeOtherSessions: true }),
  );
  if (signedIn === null) return response;
  const { user } = signedIn;
  const recording = recordEvent(context, user, "password_changed", null);
  await deps.activityLog.dropResetLinks({ user: user.id }).finally(() => recording);
  return keepCookies(json({}), response);
}

/**
 * The first email goes to the old address whether or not the new one is taken, so the response does not reveal which.
 */
const createChangeEmail =
  (countPressure: CountPressure): Step =>
  async (context, order) => {
    const { deps } = context;
    const newEmail = order["newEmail"] ?? "";
    const member = requireNotSuspended(await requireMember(context), SUSPENDED);
    requireFreshProof(context, member);
    const { user } = member;
    await requireSendable(context, "verified", countPressure);
    const { internalAdapter } = await deps.auth.context();
    const response = await askAuth(context, order);
    if ((await internalAdapter.findUserByEmail(newEmail)) === null) return response;
    deps.auth.confirmAddressChange(user.email, newEmail, signUpNetworkOf(context.peer));
    return response;
  };
