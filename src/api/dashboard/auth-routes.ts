import { AUTH_PATH } from "#accounts/auth-options.ts";
import { undoEmailChange } from "./address.ts";
import { type AuthOrder, askAuth, readOrder } from "./call-auth.ts";
import { DashboardError } from "./dashboard-error.ts";
import { knowSignedInBrowser } from "./known-browser.ts";
import { addPasskey, beginPasskey, beginPasskeySignIn, signInByPasskey } from "./passkeys.ts";
import type { DashboardHandler, DashboardRoutes, RequestContext } from "./request-context.ts";
import { enterCode, openLink, startSignIn } from "./sign-in.ts";

type Step = (context: RequestContext, order: AuthOrder) => Promise<Response>;

const authRoute = (fields: readonly string[], step: Step) => ({
  POST: async (context: RequestContext) => step(context, await readOrder(context, fields)),
});

const passkeyRoute = (handler: DashboardHandler) => ({
  POST: (context: RequestContext) => {
    if (context.deps.auth.passkeyPlace !== null) return handler(context);
    throw new DashboardError(
      "invalid_request",
      "Passkeys need a domain name and HTTPS. The address of this service has neither, or only one of them.",
    );
  },
});

const PASSKEYS = `${AUTH_PATH}/passkey`;

/** Everything below `/dashboard/auth`: our sign-in by email, and the parts of Better Auth that the pages use, with the fields that each takes. */
export const AUTH_ROUTES: DashboardRoutes = {
  [`${AUTH_PATH}/sign-in/start`]: { POST: startSignIn },
  [`${AUTH_PATH}/sign-in/code`]: { POST: enterCode },
  [`${AUTH_PATH}/sign-in/link`]: { POST: openLink },
  [`${AUTH_PATH}/undo-email-change`]: { POST: undoEmailChange },
  [`${AUTH_PATH}/sign-in/social`]: authRoute(
    ["provider", "callbackURL", "errorCallbackURL"],
    askAuth,
  ),
  [`${AUTH_PATH}/callback/github`]: { GET: returnFromProvider },
  [`${AUTH_PATH}/callback/google`]: { GET: returnFromProvider },
  [`${AUTH_PATH}/sign-out`]: authRoute([], askAuth),
  [`${PASSKEYS}/generate-register-options`]: passkeyRoute(beginPasskey),
  [`${PASSKEYS}/verify-registration`]: passkeyRoute(addPasskey),
  [`${PASSKEYS}/generate-authenticate-options`]: passkeyRoute(beginPasskeySignIn),
  [`${PASSKEYS}/verify-authentication`]: passkeyRoute(signInByPasskey),
};

/**
 * GitHub or Google sends the user back here. The error for an unverified address is the same whether or not the address
 * has an account, so that it does not reveal who has one.
 */
async function returnFromProvider(context: RequestContext): Promise<Response> {
  // The state and the code are for one sign-in, and HEAD makes none (RFC 9110, section 9.2.1).
  if (context.isHead) return new Response(null, { status: 204 });
  const { publicUrl } = context.deps.settings;
  const response = await askAuth(context, null);
  const location = response.headers.get("Location");
  const url = location === null ? null : URL.parse(location, publicUrl);
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
