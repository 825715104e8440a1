import { PEER_HEADER } from "#accounts/auth-hooks.ts";
import { AUTH_PATH, RESET_LINK_SECONDS } from "#accounts/auth-options.ts";
import type { Attempt, SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { isKnownBrowser, knownBrowserCookie } from "./known-browser.ts";
import { PeopleFault, tooFast } from "./people-fault.ts";
import { json, tell, type Visit } from "./visit.ts";

/**
 * The door to better-auth: what of it can be asked, and what comes before and after. Its answers to a sign-in carry
 * the session's token for apps without cookies; pages have no use for it, so it does not leave.
 */
const OPEN = new Set([
  "POST /sign-up/email",
  "POST /sign-in/email",
  "POST /sign-in/social",
  "GET /callback/github",
  "GET /callback/google",
  "POST /sign-out",
  "POST /send-verification-email",
  "GET /verify-email",
  "POST /request-password-reset",
  "POST /reset-password",
  "POST /change-password",
  "POST /change-email",
]);

export function createAuthDoor(throttle: SignInThrottle) {
  return async (visit: Visit): Promise<Response> => {
    const { request, url } = visit;
    const path = url.pathname.slice(AUTH_PATH.length);
    const name = `${request.method} ${path}`;
    if (!OPEN.has(name)) throw new PeopleFault("not_found", `There is nothing at ${url.pathname}.`);
    if (name === "POST /sign-in/email") return signIn(visit, throttle);
    if (name === "GET /verify-email") return verifyEmail(visit);
    if (name === "POST /change-password") return changePassword(visit);
    const response = await pass(visit);
    if (!response.ok) return response;
    if (name === "POST /sign-up/email") {
      const { user } = (await response.json()) as { user: { id: string } };
      return keepCookies(json({ signUp: user.id }), response);
    }
    return response;
  };
}

/** Hands the request on as better-auth expects it: at its own address, and with our word on where it comes from. */
function pass({ house, request, url, peer }: Visit): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.delete(PEER_HEADER);
  if (peer !== null) headers.set(PEER_HEADER, peer);
  const address = `${house.settings.publicUrl}${url.pathname}${url.search}`;
  return house.auth.handle(new Request(address, new Request(request, { headers })));
}

async function signIn(visit: Visit, throttle: SignInThrottle): Promise<Response> {
  const { house, request, peer } = visit;
  const { email } = await peek(request);
  const attempt: Attempt = {
    email: typeof email === "string" ? email.trim().toLowerCase() : "",
    address: networkOf(peer ?? ""),
    isKnownBrowser:
      typeof email === "string" && isKnownBrowser(request, email, house.settings.secret),
  };
  const asked = throttle.ask(attempt, visit.now);
  if ("refusedForMs" in asked) throw tooFast(asked.refusedForMs);
  if (asked.waitMs > 0) await house.wait(asked.waitMs);
  const response = await pass(visit);
  // 403: the address is not verified yet, but the password was right.
  if (response.ok || response.status === 403) throttle.succeeded(attempt);
  if (!response.ok) return response;
  visit.cookies.push(knownBrowserCookie(request, attempt.email, house.settings));
  return keepCookies(json({}), response);
}

/**
 * A link out of a letter. One that moves an account to another address does so only for who is signed in to it: else
 * the reader of a mistyped address would be let in. One that verifies a sign-up whose password was not theirs who read
 * the letter leaves them without one, so they get what a reset letter would bring.
 */
async function verifyEmail(visit: Visit): Promise<Response> {
  const { house, url } = visit;
  const claims = readClaims(url.searchParams.get("token") ?? "");
  // Where it leads afterwards is our page's business.
  url.searchParams.delete("callbackURL");
  if (claims.updateTo !== null) return moveAddress(visit, claims.email, claims.updateTo);
  const response = await pass(visit);
  if (!response.ok) return response;
  const { internalAdapter } = await house.auth.context();
  const found = await internalAdapter.findUserByEmail(claims.email, { includeAccounts: true });
  if (found === null || found.accounts.length > 0)
    return keepCookies(json({ status: true }), response);
  const resetToken = house.newSecret();
  await internalAdapter.createVerificationValue({
    identifier: `reset-password:${resetToken}`,
    value: found.user.id,
    expiresAt: new Date(visit.now + RESET_LINK_SECONDS * 1_000),
  });
  return keepCookies(json({ status: true, resetToken }), response);
}

async function moveAddress(visit: Visit, from: string, to: string): Promise<Response> {
  const { house, now, request } = visit;
  const { signedIn } = await house.auth.signedIn(request.headers);
  if (signedIn === null || signedIn.person.email !== from) {
    const detail = `Sign in as ${from} first, in this browser; then open the link again.`;
    return json({ code: "SIGN_IN_FIRST", message: detail }, 401);
  }
  if ((await house.desk.directory.findByEmail({ email: to })) !== null) {
    return json({ code: "ADDRESS_TAKEN", message: "This address has an account already." }, 409);
  }
  const response = await pass(visit);
  const person = signedIn.person.id;
  const { internalAdapter } = await house.auth.context();
  const after = await internalAdapter.findUserById(person);
  if (response.ok && after?.email === to) {
    const event = { person, at: now, kind: "email_changed", detail: to } as const;
    await house.journal.noteEvent({ ...event, address: visit.peer });
    await tell(visit, house.letters.moved(from, to));
    return keepCookies(json({ status: true, moved: true }), response);
  }
  return response;
}

async function changePassword(visit: Visit): Promise<Response> {
  const { house, now, request } = visit;
  const { signedIn } = await house.auth.signedIn(request.headers);
  const response = await pass(visit);
  if (!response.ok || signedIn === null) return response;
  const { id: person, email } = signedIn.person;
  const event = { person, at: now, kind: "password_changed", detail: null } as const;
  await house.journal.noteEvent({ ...event, address: visit.peer });
  await tell(visit, house.letters.passwordChanged(email));
  return keepCookies(json({}), response);
}

function keepCookies(made: Response, from: Response): Response {
  for (const cookie of from.headers.getSetCookie()) made.headers.append("Set-Cookie", cookie);
  return made;
}

async function peek(request: Request): Promise<Record<string, unknown>> {
  try {
    const value: unknown = await request.clone().json();
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** What a link's token claims; better-auth checks whether it is true. */
function readClaims(token: string): { email: string; updateTo: string | null } {
  try {
    const part = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const claims = JSON.parse(atob(part)) as Record<string, unknown>;
    const { email, updateTo } = claims;
    return {
      email: typeof email === "string" ? email : "",
      updateTo: typeof updateTo === "string" ? updateTo : null,
    };
  } catch {
    return { email: "", updateTo: null };
  }
}

/** Who has one IPv6 address has 2^64 of them: they count as one. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return groups.slice(0, 4).join(":");
}
