import { AUTH_PATH } from "#accounts/auth-options.ts";
import type { Attempt, SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { networkOf } from "#networks.ts";
import { type AuthOrder, askAuth, keepCookies, readOrder } from "./call-auth.ts";
import { readCookie, writeCookie } from "./cookies.ts";
import { AuthError, tooManyRequests } from "./dashboard-error.ts";
import { isKnownBrowser, knowBrowser } from "./known-browser.ts";
import { openLink, SUSPENDED } from "./open-link.ts";
import {
  type DashboardRoutes,
  json,
  notify,
  type RequestContext,
  recordEvent,
  requireMember,
  requireNotSuspended,
} from "./request-context.ts";

type Step = (context: RequestContext, order: AuthOrder) => Promise<Response>;

/**
 * The parts of Better Auth that the pages may use, with the fields that each takes. Better Auth's response to a sign-in
 * contains the session's token, for apps without cookies. The pages do not need the token, so we do not pass it on.
 */
export function authRoutes(throttle: SignInThrottle): DashboardRoutes {
  const authRoute = (fields: readonly string[], step: Step) => ({
    POST: async (context: RequestContext) => step(context, await readOrder(context, fields)),
  });
  const openEmailLink: Step = (context, order) => openLink(context, order, throttle);
  const setPassword: Step = (context, order) => resetPassword(context, order, throttle);
  return {
    [`${AUTH_PATH}/sign-up/email`]: authRoute(["email", "password"], signUp),
    [`${AUTH_PATH}/sign-in/email`]: authRoute(["email", "password"], createSignIn(throttle)),
    [`${AUTH_PATH}/sign-in/social`]: authRoute(
      ["provider", "callbackURL", "errorCallbackURL"],
      askAuth,
    ),
    [`${AUTH_PATH}/callback/github`]: { GET: returnFromProvider },
    [`${AUTH_PATH}/callback/google`]: { GET: returnFromProvider },
    [`${AUTH_PATH}/sign-out`]: authRoute([], askAuth),
    [`${AUTH_PATH}/send-verification-email`]: authRoute(["email", "signUp"], sendVerification),
    [`${AUTH_PATH}/verify-email`]: authRoute(["token"], openEmailLink),
    [`${AUTH_PATH}/request-password-reset`]: authRoute(["email"], requestReset),
    [`${AUTH_PATH}/reset-password`]: authRoute(["newPassword", "token"], setPassword),
    [`${AUTH_PATH}/change-password`]: authRoute(["currentPassword", "newPassword"], changePassword),
    [`${AUTH_PATH}/change-email`]: authRoute(["newEmail"], changeEmail),
  };
}

/**
 * A cookie with the ids of this browser's sign-ups, so that a resent verification email belongs to the same sign-up.
 */
const SIGN_UP = "sign_up";
const SIGN_UPS_MAX = 5;
const SIGN_UP_DAYS = 7;

async function signUp(context: RequestContext, order: AuthOrder): Promise<Response> {
  const ask = () => askAuth(context, { name: "", ...order });
  // With two simultaneous sign-ups, the second attempt finds the row that the first one made.
  const response = await ask().catch((error) => {
    if (error instanceof AuthError && error.status === 422) return ask();
    throw error;
  });
  const { user } = (await response.json()) as { user: { id: string } };
  const { settings } = context.deps;
  const earlier = readCookie(context.request, SIGN_UP, settings)?.match(/[0-9A-Za-z]{24}/g) ?? [];
  const ids = [user.id, ...earlier].slice(0, SIGN_UPS_MAX).join(".");
  context.cookies.push(writeCookie(SIGN_UP, ids, SIGN_UP_DAYS, settings));
  return json({ signUp: user.id });
}

/** The page may also send the id of its sign-up, because some browsers keep no cookies. */
function sendVerification(
  context: RequestContext,
  { signUp, ...order }: AuthOrder,
): Promise<Response> {
  const signUps = readCookie(context.request, SIGN_UP, context.deps.settings)?.split(".") ?? [];
  return askAuth(context, { ...order, signUps: [signUp ?? "", ...signUps] });
}

/** A delayed sign-in holds its request open. This bounds how many are open at once. */
const DELAYED_MAX = 100;

function createSignIn(throttle: SignInThrottle): Step {
  let delayed = 0;
  async function delay({ deps }: RequestContext, ms: number): Promise<void> {
    if (delayed >= DELAYED_MAX) throw tooManyRequests(ms);
    delayed += 1;
    await deps.wait(ms).finally(() => {
      delayed -= 1;
    });
  }
  return async (context, order) => {
    const { deps, request, peer } = context;
    const email = order["email"] ?? "";
    const attempt: Attempt = {
      email,
      address: networkOf(peer ?? ""),
      isKnownBrowser: isKnownBrowser(request, email, deps.settings),
    };
    const decision = await throttle.ask(attempt, context.now);
    if ("retryAfterMs" in decision) throw tooManyRequests(decision.retryAfterMs);
    if (decision.waitMs > 0) await delay(context, decision.waitMs);
    return signIn(context, order, attempt, throttle);
  };
}

async function signIn(
  context: RequestContext,
  order: AuthOrder,
  attempt: Attempt,
  throttle: SignInThrottle,
): Promise<Response> {
  const response = await askAuth(context, order).catch((error) => {
    // The password was right; only the address is not verified yet.
    if (error instanceof AuthError && error.code === "EMAIL_NOT_VERIFIED") {
      throttle.succeeded(attempt);
    }
    throw error;
  });
  knowBrowser(context, attempt.email, throttle);
  return keepCookies(json({}), response);
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
  const id = (await internalAdapter.findVerificationValue(link))?.value;
  const response = await askAuth(context, order);
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
  const response = await askAuth(context, null);
  const location = response.headers.get("Location");
  const url = location === null ? null : URL.parse(location, context.deps.settings.publicUrl);
  const error = url?.searchParams.get("error");
  if (url == null || error == null) return response;
  url.searchParams.delete("error_description");
  if (error === "account_not_linked") url.searchParams.set("error", "email_not_verified");
  const headers = new Headers(response.headers);
  headers.set("Location", url.href);
  return new Response(null, { status: response.status, headers });
}

/** Also ends the other sessions, because users change a password when someone else may know it. */
async function changePassword(context: RequestContext, order: AuthOrder): Promise<Response> {
  const { deps, request } = context;
  const { signedIn } = await deps.auth.signedIn(request.headers);
  const response = await askAuth(context, { ...order, revokeOtherSessions: true });
  if (signedIn === null) return response;
  const { id: user, email } = signedIn.user;
  await deps.activityLog.dropResetLinks({ user });
  await recordEvent(context, user, "password_changed", null);
  await notify(context, deps.emails.passwordChanged(email));
  return keepCookies(json({}), response);
}

/**
 * The first email goes to the old address whether or not the new one is taken, so the response does not reveal which.
 */
async function changeEmail(context: RequestContext, order: AuthOrder): Promise<Response> {
  const { deps } = context;
  const newEmail = order["newEmail"] ?? "";
  const { user } = requireNotSuspended(await requireMember(context), SUSPENDED);
  const { internalAdapter } = await deps.auth.context();
  const response = await askAuth(context, order);
  if ((await internalAdapter.findUserByEmail(newEmail)) === null) return response;
  deps.auth.confirmAddressChange(user.email, newEmail);
  return response;
}
