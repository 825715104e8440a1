import { AUTH_PATH } from "#accounts/auth-options.ts";
import type { Attempt, SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { type AuthOrder, AuthRefusal, askAuth, keepCookies, readOrder } from "./call-auth.ts";
import { readCookie, writeCookie } from "./cookies.ts";
import { PeopleFault, tooFast, WrongMethod } from "./dashboard-error.ts";
import { isKnownBrowser, knowBrowser } from "./known-browser.ts";
import { networkOf } from "./network.ts";
import { openLink, SUSPENDED } from "./open-link.ts";
import {
  json,
  note,
  requireMember,
  requireNotSuspended,
  tell,
  type Visit,
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

type Step = (visit: Visit, order: AuthOrder) => Promise<Response>;

export function createAuthDoor(throttle: SignInThrottle) {
  const steps: Record<string, Step> = {
    "POST /sign-up/email": signUp,
    "POST /sign-in/email": createSignIn(throttle),
    "GET /callback/github": comeBack,
    "GET /callback/google": comeBack,
    "POST /send-verification-email": sendVerification,
    "POST /verify-email": (visit, order) => openLink(visit, order, throttle),
    "POST /request-password-reset": requestReset,
    "POST /reset-password": (visit, order) => resetPassword(visit, order, throttle),
    "POST /change-password": changePassword,
    "POST /change-email": changeEmail,
  };
  return async (visit: Visit): Promise<Response> => {
    const { request, url } = visit;
    const name = `${request.method} ${url.pathname.slice(AUTH_PATH.length)}`;
    const fields = Object.hasOwn(OPEN, name) ? OPEN[name] : undefined;
    if (fields === undefined) {
      const methods = methodsOf(url.pathname.slice(AUTH_PATH.length));
      if (methods.length > 0) throw new WrongMethod(request.method, methods);
      throw new PeopleFault("not_found", `There is nothing at ${url.pathname.slice(0, 200)}.`);
    }
    try {
      if (fields === null) return await (steps[name]?.(visit, {}) ?? askAuth(visit, null));
      const order = await readOrder(visit, fields);
      return await (steps[name]?.(visit, order) ?? askAuth(visit, order));
    } catch (error) {
      if (error instanceof AuthRefusal) return error.response;
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

async function signUp(visit: Visit, order: AuthOrder): Promise<Response> {
  let response = await askAuth(visit, { name: "", ...order });
  // Twice at the same moment: the second finds what the first has made.
  if (response.status === 422) response = await askAuth(visit, { name: "", ...order });
  if (!response.ok) return response;
  const { user } = (await response.json()) as { user: { id: string } };
  const { settings } = visit.house;
  const before = readCookie(visit.request, SIGN_UP, settings)?.match(/[0-9A-Za-z]{24}/g) ?? [];
  const marks = [user.id, ...before].slice(0, SIGN_UPS_MAX).join(".");
  visit.cookies.push(writeCookie(SIGN_UP, marks, SIGN_UP_DAYS, settings));
  return json({ signUp: user.id });
}

/** The page that signed up may name its sign-up too: a browser may keep no cookies. */
function sendVerification(visit: Visit, { signUp, ...order }: AuthOrder): Promise<Response> {
  const signUps = readCookie(visit.request, SIGN_UP, visit.house.settings)?.split(".") ?? [];
  return askAuth(visit, { ...order, signUps: [signUp ?? "", ...signUps] });
}

/** Whoever waits holds a request open; all that wait, for whomever, may not crowd out everybody else. */
const WAITING_MAX = 100;

function createSignIn(throttle: SignInThrottle): Step {
  let waiting = 0;
  async function holdBack({ house }: Visit, ms: number): Promise<void> {
    if (waiting >= WAITING_MAX) throw tooFast(ms);
    waiting += 1;
    await house.wait(ms).finally(() => {
      waiting -= 1;
    });
  }
  return async (visit, order) => {
    const { house, request, peer } = visit;
    const email = order["email"] ?? "";
    const attempt: Attempt = {
      email,
      address: networkOf(peer ?? ""),
      isKnownBrowser: isKnownBrowser(request, email, house.settings),
    };
    const asked = await throttle.ask(attempt, visit.now);
    if ("refusedForMs" in asked) throw tooFast(asked.refusedForMs);
    if (asked.waitMs > 0) await holdBack(visit, asked.waitMs);
    return signIn(visit, order, attempt, throttle);
  };
}

async function signIn(
  visit: Visit,
  order: AuthOrder,
  attempt: Attempt,
  throttle: SignInThrottle,
): Promise<Response> {
  const response = await askAuth(visit, order);
  if (!response.ok) {
    const { code } = (await response.clone().json()) as { code: string };
    // The address is not verified yet, but the password was right.
    if (code === "EMAIL_NOT_VERIFIED") throttle.succeeded(attempt);
    return response;
  }
  knowBrowser(visit, attempt.email, throttle);
  return keepCookies(json({}), response);
}

/** As long as better-auth takes to answer who asks for the other letter: known addresses take longer than unknown ones. */
const LETTER_ANSWER_MS = 500;

async function requestReset(visit: Visit, order: AuthOrder): Promise<Response> {
  const [response] = await Promise.all([askAuth(visit, order), visit.house.wait(LETTER_ANSWER_MS)]);
  return response;
}

/** A new password ends every other link to one: older letters may lie where somebody else reads them. */
async function resetPassword(
  visit: Visit,
  order: AuthOrder,
  throttle: SignInThrottle,
): Promise<Response> {
  const { house } = visit;
  const { internalAdapter } = await house.auth.context();
  const link = `reset-password:${order["token"] ?? ""}`;
  const person = (await internalAdapter.findVerificationValue(link))?.value;
  const response = await askAuth(visit, order);
  if (!response.ok || person === undefined) return response;
  await house.journal.dropResetLinks({ person });
  const user = await internalAdapter.findUserById(person);
  if (user !== null) knowBrowser(visit, user.email, throttle);
  return response;
}

/**
 * Back from GitHub or Google. Whether an address that they have not verified has an account here is nobody's business:
 * the refusal is the same.
 */
async function comeBack(visit: Visit): Promise<Response> {
  const response = await askAuth(visit, null);
  const to = response.headers.get("Location");
  const url = to === null ? null : URL.parse(to, visit.house.settings.publicUrl);
  const error = url?.searchParams.get("error");
  if (url == null || error == null) return response;
  url.searchParams.delete("error_description");
  if (error === "account_not_linked") url.searchParams.set("error", "email_not_verified");
  const headers = new Headers(response.headers);
  headers.set("Location", url.href);
  return new Response(null, { status: response.status, headers });
}

/** Whoever was signed in elsewhere is so no more: a password is changed because somebody else may know it. */
async function changePassword(visit: Visit, order: AuthOrder): Promise<Response> {
  const { house, request } = visit;
  const { signedIn } = await house.auth.signedIn(request.headers);
  const response = await askAuth(visit, { ...order, revokeOtherSessions: true });
  if (!response.ok || signedIn === null) return response;
  const { id: person, email } = signedIn.person;
  await house.journal.dropResetLinks({ person });
  await note(visit, person, "password_changed", null);
  await tell(visit, house.letters.passwordChanged(email));
  return keepCookies(json({}), response);
}

/** The first letter goes to the old address, whether the new one is free or not: the asker may not learn that. */
async function changeEmail(visit: Visit, order: AuthOrder): Promise<Response> {
  const { house } = visit;
  const to = order["newEmail"] ?? "";
  const { person } = requireNotSuspended(await requireMember(visit), SUSPENDED);
  const { internalAdapter } = await house.auth.context();
  const response = await askAuth(visit, order);
  if (!response.ok || (await internalAdapter.findUserByEmail(to)) === null) return response;
  house.auth.confirmMove(person.email, to);
  return response;
}
