import { RESET_LINK_SECONDS } from "#accounts/auth-options.ts";
import { recordFormerEmail } from "#accounts/people.ts";
import type { SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { AuthError, type AuthOrder, askLink, keepCookies } from "./call-auth.ts";
import { knowBrowser } from "./known-browser.ts";
import {
  json,
  note,
  type RequestContext,
  requireMember,
  requireNotSuspended,
  tell,
} from "./request-context.ts";

/** Else its owner left it behind at the new address, signed up again with the old one and was free. */
export const SUSPENDED =
  "This account is suspended, so its address cannot be changed now. Ask the people who run this service.";

/**
 * A link out of a letter. One that moves an account to another address does so only for who is signed in to it: else
 * the reader of a mistyped address would be let in. One that verifies a sign-up whose password was not theirs who read
 * the letter leaves them without one, so they get what a reset letter would bring. Earlier reset letters end with it.
 */
export async function openLink(
  context: RequestContext,
  { token = "" }: AuthOrder,
  throttle: SignInThrottle,
): Promise<Response> {
  const { deps, now } = context;
  const claims = await deps.auth.readLink(token);
  if (claims?.updateTo != null) {
    return moveAddress(context, token, { ...claims, to: claims.updateTo }, throttle);
  }
  const response = await takeLink(context, token);
  if (!response.ok) return response;
  const { internalAdapter } = await deps.auth.context();
  const email = claims?.email ?? "";
  const found = await internalAdapter.findUserByEmail(email, { includeAccounts: true });
  if (found === null) return keepCookies(json({ status: true }), response);
  await deps.journal.dropResetLinks({ person: found.user.id });
  knowBrowser(context, email, throttle);
  if (found.accounts.length > 0) return keepCookies(json({ status: true }), response);
  const resetToken = deps.newSecret();
  await internalAdapter.createVerificationValue({
    identifier: `reset-password:${resetToken}`,
    value: found.user.id,
    expiresAt: new Date(now + RESET_LINK_SECONDS * 1_000),
  });
  return keepCookies(json({ status: true, resetToken }), response);
}

/** A link for somebody who is gone, or who has another address by now, is a used one. */
async function takeLink(context: RequestContext, token: string): Promise<Response> {
  const response = await askLink(context, token);
  if (response.ok) return response;
  const { code } = (await response.clone().json()) as { code: string };
  if (code !== "USER_NOT_FOUND") return response;
  throw new AuthError("INVALID_TOKEN", "This link has been used or is not valid.", 401);
}

async function moveAddress(
  context: RequestContext,
  token: string,
  { email: from, to, isLast }: { email: string; to: string; isLast: boolean },
  throttle: SignInThrottle,
): Promise<Response> {
  const { deps, request, now } = context;
  const { signedIn } = await deps.auth.signedIn(request.headers);
  if (signedIn === null || signedIn.person.email !== from) {
    const detail = `Sign in as ${from} first, in this browser; then open the link again.`;
    throw new AuthError("SIGN_IN_FIRST", detail, 401);
  }
  const { person } = requireNotSuspended(await requireMember(context), SUSPENDED);
  const { internalAdapter } = await deps.auth.context();
  const other = await internalAdapter.findUserByEmail(to);
  const isTaken =
    other?.user.emailVerified === true ||
    (await deps.accountDeps.directory.findByEmail({ email: to })) !== null;
  if (!isLast) {
    // Whether the new address is taken, only its own letter may tell.
    if (isTaken) deps.auth.notifyOwner(to);
    else {
      const response = await takeLink(context, token);
      if (!response.ok) return response;
    }
    return json({ status: true, emailTo: to });
  }
  if (isTaken) {
    throw new AuthError("ADDRESS_TAKEN", "This address has an account already.", 409);
  }
  // Somebody signed up with it and never confirmed it; whoever opened this link reads its letters.
  if (other !== null) await internalAdapter.deleteUser(other.user.id);
  await recordFormerEmail(deps.accountDeps, from, now);
  const response = await takeLink(context, token);
  if (!response.ok) return response;
  // Those that lie in the mail of the address that was left.
  await deps.journal.dropResetLinks({ person: person.id });
  knowBrowser(context, to, throttle);
  await note(context, person.id, "email_changed", to);
  await tell(context, deps.emails.addressChanged(from, to));
  return keepCookies(json({ status: true, moved: true }), response);
}
