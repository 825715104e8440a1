import { recordFormerEmail } from "#accounts/accounts.ts";
import { RESET_LINK_SECONDS } from "#accounts/auth-options.ts";
import { browserName } from "#accounts/browser-name.ts";
import { originFacts } from "#accounts/security-emails.ts";
import type { SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { signUpNetworkOf } from "#networks.ts";
import { type AuthOrder, askLink, keepCookies } from "./call-auth.ts";
import { AuthError } from "./dashboard-error.ts";
import { knowBrowser } from "./known-browser.ts";
import type { CountPressure } from "./pressure.ts";
import {
  endSessions,
  json,
  listAllSessions,
  type RequestContext,
  recordEvent,
  requireMember,
  requireNotSuspended,
} from "./request-context.ts";
import { requireSendable } from "./sendable.ts";
import type { LinkOpened } from "./shapes.ts";

/** Otherwise the owner could move the suspended account away and sign up again with the old address. */
export const SUSPENDED =
  "This account is suspended, so you cannot change its email address. Contact the operator of this service.";

/**
 * Opens a link from an email. A link that changes an account's address works only for a user who is signed in to the
 * account; otherwise the owner of a mistyped address would get in. Verifying a sign-up signs the user in, in the browser that
 * made it. In any other browser it removes the password, and the response contains a reset token: someone else may have chosen the
 * password. Earlier reset links stop working. Only a POST of the page does this, because mail scanners open links.
 */
export async function openLink(
  context: RequestContext,
  { token = "" }: AuthOrder,
  throttle: SignInThrottle,
  count: CountPressure,
): Promise<Response> {
  const { deps, now } = context;
  const claims = await deps.auth.readLink(token);
  if (claims?.updateTo != null) {
    return moveAddress(context, token, { ...claims, to: claims.updateTo }, throttle, count);
  }
  const response = await takeLink(context, token);
  const { internalAdapter } = await deps.auth.context();
  const email = claims?.email ?? "";
  const [found] = await Promise.all([
    internalAdapter.findUserByEmail(email, { includeAccounts: true }),
    deps.activityLog.dropResetLinks({ email }),
  ]);
  const opened: LinkOpened = { status: true, email };
  if (found === null) return keepCookies(json(opened), response);
  knowBrowser(context, email, throttle);
  if (found.accounts.length > 0) return keepCookies(json(opened), response);
  const resetToken = deps.newSecret();
  await internalAdapter.createVerificationValue({
    identifier: `reset-password:${resetToken}`,
    value: found.user.id,
    expiresAt: new Date(now + RESET_LINK_SECONDS * 1_000),
  });
  return keepCookies(json({ ...opened, resetToken } satisfies LinkOpened), response);
}

/** If the user has been deleted or has a different address now, the link counts as used. */
async function takeLink(context: RequestContext, token: string): Promise<Response> {
  try {
    return await askLink(context, token);
  } catch (error) {
    if (!(error instanceof AuthError) || error.code !== "USER_NOT_FOUND") throw error;
    throw new AuthError("INVALID_TOKEN", "This link is not valid or has already been used.", 401);
  }
}

async function moveAddress(
  context: RequestContext,
  token: string,
  { email: from, to, isLast }: { email: string; to: string; isLast: boolean },
  throttle: SignInThrottle,
  count: CountPressure,
): Promise<Response> {
  const { deps, request, now } = context;
  const { signedIn } = await deps.auth.signedIn(request.headers);
  if (signedIn === null || signedIn.user.email !== from) {
    const detail = `Sign in as ${from} in this browser, then open the link again.`;
    throw new AuthError("SIGN_IN_FIRST", detail, 401);
  }
  const { user, session } = requireNotSuspended(await requireMember(context), SUSPENDED);
  const { internalAdapter } = await deps.auth.context();
  const other = await internalAdapter.findUserByEmail(to);
  const isTaken =
    other?.user.emailVerified === true ||
    (await deps.accountDeps.directory.findByEmail({ email: to })) !== null;
  if (!isLast) {
    await requireSendable(context, "verified", count);
    // Only an email to the new address may reveal that it is taken.
    if (isTaken) deps.auth.notifyOwner(to, signUpNetworkOf(context.peer));
    else await takeLink(context, token);
    return json({ status: true, emailTo: to } satisfies LinkOpened);
  }
  if (isTaken) {
    throw new AuthError("ADDRESS_TAKEN", "Another account has this email address.", 409);
  }
  // Someone signed up with this address and never verified it; the user who opened the link does read its email.
  if (other !== null) await internalAdapter.deleteUser(other.user.id);
  await recordFormerEmail(deps.accountDeps, from, now);
  const response = await takeLink(context, token);
  // The old mailbox may still contain reset links, and someone else may be signed in.
  await deps.activityLog.dropResetLinks({ user: user.id });
  const sessions = await listAllSessions(context, user.id);
  await endSessions(context, sessions, (each) => each !== session.id);
  knowBrowser(context, to, throttle);
  await recordEvent(context, { id: user.id, email: to }, "email_changed", to, {
    alsoEmails: [
      deps.emails.addressChanged({
        to: from,
        newAddress: to,
        origin: originOf(context),
      }),
    ],
  });
  return keepCookies(json({ status: true, moved: true } satisfies LinkOpened), response);
}

const originOf = ({ peer, now, request }: RequestContext) =>
  originFacts({ at: now, address: peer, browser: browserName(request.headers.get("user-agent")) });
