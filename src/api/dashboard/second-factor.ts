import type { SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { spellRecoveryCode as spell } from "#accounts/totp.ts";
import { askAuthWith, keepCookies } from "./call-auth.ts";
import { AuthError, DashboardError } from "./dashboard-error.ts";
import { codesLocked, readCode, wrongCode } from "./fresh-proof.ts";
import { knowBrowser } from "./known-browser.ts";
import { type DashboardHandler, json, type RequestContext, readJson } from "./request-context.ts";
import type { WaitingView } from "./shapes.ts";

/** Signing in with a passkey, and the second step of a sign-in with a password or a provider. */

/** Which factors the sign-in in this browser waits for. */
export async function showWaiting(context: RequestContext): Promise<Response> {
  const response = await askAuthWith(context, "GET", null);
  const { methods } = (await response.json()) as WaitingView;
  const view: WaitingView = {
    methods: methods && {
      totp: methods.totp,
      passkey: methods.passkey && context.deps.auth.passkeyPlace !== null,
    },
  };
  return json(view);
}

export function createFinishByCode(throttle: SignInThrottle): DashboardHandler {
  return async (context) => {
    const { deps, request } = context;
    const { code } = await readCode(context);
    // For a user who is signed in, the plugin compares codes without counting the attempts.
    if ((await deps.auth.signedIn(request.headers)).signedIn !== null) return json({});
    const order = { code: context.url.pathname.endsWith("verify-totp") ? code : spell(code) };
    const response = await askAuthWith(context, "POST", order).catch((error) => {
      throw errorOf(error);
    });
    return finish(context, response, throttle);
  };
}

/** The options with which the browser finds a passkey for this service. Needs no session. */
export async function beginPasskeySignIn(context: RequestContext): Promise<Response> {
  const response = await askAuthWith(context, "GET", null);
  const options = (await response.json()) as object;
  // The plugin asks for less than it then accepts (see `loadPasskeyPlugin`).
  return keepCookies(json({ ...options, userVerification: "required" }), response);
}

export function createSignInByPasskey(throttle: SignInThrottle): DashboardHandler {
  return async (context) => {
    const { response: assertion } = await readJson(context);
    if (typeof assertion !== "object" || assertion === null) throw unknownPasskey();
    const response = await askAuthWith(context, "POST", { response: assertion }).catch((error) => {
      if (error instanceof AuthError && error.code !== "USER_NOT_VERIFIED") throw unknownPasskey();
      throw error;
    });
    return finish(context, response, throttle);
  };
}

async function finish(
  context: RequestContext,
  response: Response,
  throttle: SignInThrottle,
): Promise<Response> {
  const { user } = (await response.json()) as { user: { email: string } };
  knowBrowser(context, user.email, throttle);
  return keepCookies(json({}), response);
}

function errorOf(error: unknown): unknown {
  if (!(error instanceof AuthError)) return error;
  switch (error.code) {
    case "INVALID_CODE":
    case "INVALID_BACKUP_CODE":
      return wrongCode();
    case "ACCOUNT_TEMPORARILY_LOCKED":
      return codesLocked();
    case "INVALID_TWO_FACTOR_COOKIE":
    case "TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE":
    case "TOTP_NOT_ENABLED":
    case "BACKUP_CODES_NOT_ENABLED":
      return new DashboardError(
        "sign_in_again",
        "This sign-in has expired, or had too many wrong codes. Sign in again.",
      );
    default:
      return error;
  }
}

const unknownPasskey = () =>
  new DashboardError(
    "unknown_passkey",
    "This passkey could not be used to sign in. It may have been removed from your account. Try again, or sign in another way.",
  );
