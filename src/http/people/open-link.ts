import { RESET_LINK_SECONDS } from "#accounts/auth-options.ts";
import { noteLeft } from "#accounts/people.ts";
import { AuthRefusal, askAuth, keepCookies } from "./ask-auth.ts";
import { json, note, requireMember, tell, type Visit } from "./visit.ts";

/**
 * A link out of a letter. One that moves an account to another address does so only for who is signed in to it: else
 * the reader of a mistyped address would be let in. One that verifies a sign-up whose password was not theirs who read
 * the letter leaves them without one, so they get what a reset letter would bring.
 */
export async function openLink(visit: Visit): Promise<Response> {
  const { house, url, now } = visit;
  // Where it leads afterwards is our page's business.
  url.searchParams.delete("callbackURL");
  const claims = await house.auth.readLink(url.searchParams.get("token") ?? "");
  if (claims?.updateTo != null) return moveAddress(visit, claims.email, claims.updateTo, claims);
  const response = await askLink(visit);
  if (!response.ok) return response;
  const { internalAdapter } = await house.auth.context();
  const email = claims?.email ?? "";
  const found = await internalAdapter.findUserByEmail(email, { includeAccounts: true });
  if (found === null || found.accounts.length > 0)
    return keepCookies(json({ status: true }), response);
  const resetToken = house.newSecret();
  await internalAdapter.createVerificationValue({
    identifier: `reset-password:${resetToken}`,
    value: found.user.id,
    expiresAt: new Date(now + RESET_LINK_SECONDS * 1_000),
  });
  return keepCookies(json({ status: true, resetToken }), response);
}

/** A link for somebody who is gone, or who has another address by now, is a used one. */
async function askLink(visit: Visit): Promise<Response> {
  const response = await askAuth(visit, null);
  if (response.ok) return response;
  const { code } = (await response.clone().json()) as { code: string };
  if (code !== "USER_NOT_FOUND") return response;
  throw new AuthRefusal("INVALID_TOKEN", "This link has been used or is not valid.", 401);
}

async function moveAddress(
  visit: Visit,
  from: string,
  to: string,
  { isLast }: { isLast: boolean },
): Promise<Response> {
  const { house, request, now } = visit;
  const { signedIn } = await house.auth.signedIn(request.headers);
  if (signedIn === null || signedIn.person.email !== from) {
    const detail = `Sign in as ${from} first, in this browser; then open the link again.`;
    throw new AuthRefusal("SIGN_IN_FIRST", detail, 401);
  }
  const member = await requireMember(visit);
  const { internalAdapter } = await house.auth.context();
  const other = await internalAdapter.findUserByEmail(to);
  const isTaken =
    other?.user.emailVerified === true ||
    (await house.desk.directory.findByEmail({ email: to })) !== null;
  if (!isLast) {
    // Whether the new address is taken, only its own letter may tell.
    if (isTaken) house.auth.tellOwner(to);
    else {
      const response = await askLink(visit);
      if (!response.ok) return response;
    }
    return json({ status: true, letterTo: to });
  }
  if (isTaken) {
    throw new AuthRefusal("ADDRESS_TAKEN", "This address has an account already.", 409);
  }
  // Somebody signed up with it and never confirmed it; whoever opened this link reads its letters.
  if (other !== null) await internalAdapter.deleteUser(other.user.id);
  await noteLeft(house.desk, from, now);
  const response = await askLink(visit);
  if (!response.ok) return response;
  await note(visit, member.person.id, "email_changed", to);
  await tell(visit, house.letters.moved(from, to));
  return keepCookies(json({ status: true, moved: true }), response);
}
