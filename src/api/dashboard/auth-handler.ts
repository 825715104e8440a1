import { AUTH_PATH } from "#accounts/auth-options.ts";
import type { Attempt, SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { AuthError, type AuthOrder, askAuth, keepCookies, readOrder } from "./call-auth.ts";
import { readCookie, writeCookie } from "./cookies.ts";
import { DashboardError, tooFast, WrongMethod } from "./dashboard-error.ts";
import { isKnownBrowser, knowBrowser } from "./known-browser.ts";
import { networkOf } from "./network.ts";
import { openLink, SUSPENDED } from "./open-link.ts";
import {
  json,
  note,
  type RequestContext,
  requireMember,
  requireNotSuspended,
  tell,
} from "./request-context.ts";

/**
 * The door to better-auth: what of it can be asked with which fields, and what comes before and after. Its answers to a
 * sign-in carry the session's token for apps without cookies; pages have no use for it, so it does not leave.
 */
const OPEN: Record<string, readonly string[] | null> = {
  "POST /sign-up/email": ["email", "password"],
  "POST /sign-in/email": ["email", "password"],
  "POST /sign-in/social": ["provider", "callbackURL", "errorCallbackURL"],
  "GET /callback/github": null,
  "GET /callback/google": null,
  "POST /sign-out": [],
  "POST /send-verification-email": ["email", "signUp"],
  "POST /verify-email": ["token"],
  "POST /request-password-reset": ["email"],
  "POST /reset-password": ["newPassword", "token"],
  "POST /change-password": ["currentPassword", "newPassword"],
  "POST /change-email": ["newEmail"],
};

type Step = (context: RequestContext, order: AuthOrder) => Promise<Response>;

export function createAuthHandler(throttle: SignInThrottle) {
  const steps: Record<string, Step> = {
    "POST /sign-up/email": signUp,
    "POST /sign-in/email": createSignIn(throttle),
    "GET /callback/github": comeBack,
    "GET /callback/google": comeBack,
    "POST /send-verification-email": sendVerification,
    "POST /verify-email": (context, order) => openLink(context, order, throttle),
    "POST /request-password-reset": requestReset,
    "POST /reset-password": (context, order) => resetPassword(context, order, throttle),
    "POST /change-password": changePassword,
    "POST /change-email": changeEmail,
  };
  return async (context: RequestContext): Promise<Response> => {
    const { request, url } = context;
    const name = `${request.method} ${url.pathname.slice(AUTH_PATH.length)}`;
    const fields = Object.hasOwn(OPEN, name) ? OPEN[name] : undefined;
    if (fields === undefined) {
      const methods = methodsOf(url.pathname.slice(AUTH_PATH.length));
      if (methods.length > 0) throw new WrongMethod(request.method, methods);
      throw new DashboardError("not_found", `There is nothing at ${url.pathname.slice(0, 200)}.`);
    }
    try {
      if (fields === null) return await (steps[name]?.(context, {}) ?? askAuth(context, null));
      const order = await readOrder(context, fields);
      return await (steps[name]?.(context, order) ?? askAuth(context, order));
    } catch (error) {
      if (error instanceof AuthError) return error.response;
      throw error;
    }
  };
}

const methodsOf = (path: string): string[] =>
  ["GET", "POST"].filter((method) => Object.hasOwn(OPEN, `${method} ${path}`));

/** In the browser that signed up, so that a letter which is asked for again belongs to one of its sign-ups. */
const SIGN_UP = "sign_up";
const SIGN_UPS_MAX = 5;
const SIGN_UP_DAYS = 7;

async function signUp(context: RequestContext, order: AuthOrder): Promise<Response> {
  let response = await askAuth(context, { name: "", ...order });
  // Twice at the same moment: the second finds what the first has made.
  if (response.status === 422) response = await askAuth(context, { name: "", ...order });
  if (!response.ok) return response;
  const { user } = (await response.json()) as { user: { id: string } };
  const { settings } = context.deps;
  const before = readCookie(context.request, SIGN_UP, settings)?.match(/[0-9A-Za-z]{24}/g) ?? [];
  const marks = [user.id, ...before].slice(0, SIGN_UPS_MAX).join(".");
  context.cookies.push(writeCookie(SIGN_UP, marks, SIGN_UP_DAYS, settings));
  return json({ signUp: user.id });
}

/** The page that signed up may name its sign-up too: a browser may keep no cookies. */
function sendVerification(
  context: RequestContext,
  { signUp, ...order }: AuthOrder,
): Promise<Response> {
  const signUps = readCookie(context.request, SIGN_UP, context.deps.settings)?.split(".") ?? [];
  return askAuth(context, { ...order, signUps: [signUp ?? "", ...signUps] });
}

/** Whoever waits holds a request open; all that wait, for whomever, may not crowd out everybody else. */
const WAITING_MAX = 100;

function createSignIn(throttle: SignInThrottle): Step {
  let waiting = 0;
  async function holdBack({ deps }: RequestContext, ms: number): Promise<void> {
    if (waiting >= WAITING_MAX) throw tooFast(ms);
    waiting += 1;
    await deps.wait(ms).finally(() => {
      waiting -= 1;
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
    const asked = await throttle.ask(attempt, context.now);
    if ("retryAfterMs" in asked) throw tooFast(asked.retryAfterMs);
    if (asked.waitMs > 0) await holdBack(context, asked.waitMs);
    return signIn(context, order, attempt, throttle);
  };
}

async function signIn(
  context: RequestContext,
  order: AuthOrder,
  attempt: Attempt,
  throttle: SignInThrottle,
): Promise<Response> {
  const response = await askAuth(context, order);
  if (!response.ok) {
    const { code } = (await response.clone().json()) as { code: string };
    // The address is not verified yet, but the password was right.
    if (code === "EMAIL_NOT_VERIFIED") throttle.succeeded(attempt);
    return response;
  }
  knowBrowser(context, attempt.email, throttle);
  return keepCookies(json({}), response);
}

/** As long as better-auth takes to answer who asks for the other letter: known addresses take longer than unknown ones. */
const EMAIL_RESPONSE_MS = 500;

async function requestReset(context: RequestContext, order: AuthOrder): Promise<Response> {
  const [response] = await Promise.all([
    askAuth(context, order),
    context.deps.wait(EMAIL_RESPONSE_MS),
  ]);
  return response;
}

/** A new password ends every other link to one: older letters may lie where somebody else reads them. */
async function resetPassword(
  context: RequestContext,
  order: AuthOrder,
  throttle: SignInThrottle,
): Promise<Response> {
  const { deps } = context;
  const { internalAdapter } = await deps.auth.context();
  const link = `reset-password:${order["token"] ?? ""}`;
  const person = (await internalAdapter.findVerificationValue(link))?.value;
  const response = await askAuth(context, order);
  if (!response.ok || person === undefined) return response;
  await deps.journal.dropResetLinks({ person });
  const user = await internalAdapter.findUserById(person);
  if (user !== null) knowBrowser(context, user.email, throttle);
  return response;
}

/**
 * Back from GitHub or Google. Whether an address that they have not verified has an account here is nobody's business:
 * the refusal is the same.
 */
async function comeBack(context: RequestContext): Promise<Response> {
  const response = await askAuth(context, null);
  const to = response.headers.get("Location");
  const url = to === null ? null : URL.parse(to, context.deps.settings.publicUrl);
  const error = url?.searchParams.get("error");
  if (url == null || error == null) return response;
  url.searchParams.delete("error_description");
  if (error === "account_not_linked") url.searchParams.set("error", "email_not_verified");
  const headers = new Headers(response.headers);
  headers.set("Location", url.href);
  return new Response(null, { status: response.status, headers });
}

/** Whoever was signed in elsewhere is so no more: a password is changed because somebody else may know it. */
async function changePassword(context: RequestContext, order: AuthOrder): Promise<Response> {
  const { deps, request } = context;
  const { signedIn } = await deps.auth.signedIn(request.headers);
  const response = await askAuth(context, { ...order, revokeOtherSessions: true });
  if (!response.ok || signedIn === null) return response;
  const { id: person, email } = signedIn.person;
  await deps.journal.dropResetLinks({ person });
  await note(context, person, "password_changed", null);
  await tell(context, deps.emails.passwordChanged(email));
  return keepCookies(json({}), response);
}

/** The first letter goes to the old address, whether the new one is free or not: the asker may not learn that. */
async function changeEmail(context: RequestContext, order: AuthOrder): Promise<Response> {
  const { deps } = context;
  const to = order["newEmail"] ?? "";
  const { person } = requireNotSuspended(await requireMember(context), SUSPENDED);
  const { internalAdapter } = await deps.auth.context();
  const response = await askAuth(context, order);
  if (!response.ok || (await internalAdapter.findUserByEmail(to)) === null) return response;
  deps.auth.confirmAddressChange(person.email, to);
  return response;
}
