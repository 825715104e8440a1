import { keyedHex } from "#accounts/keyed-hash.ts";
import { readCookie, writeCookie } from "./cookies.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * A cookie for browsers in which someone has signed in. It contains keyed hashes of their addresses and grants nothing. It tells which
 * attempts come from the owner's browser, so that neither guesses nor requests for emails from elsewhere keep the owner out.
 */
const COOKIE = "known";
const USERS_MAX = 5;
const SECONDS = 400 * 86_400;

type Place = { secret: string; publicUrl: string };

/** The key of the hashes in the cookie, from the service's secret. */
export const knownBrowserSecret = (secrets: readonly string[]): string =>
  keyedHex(secrets[0] ?? "", "toolbooth known browsers");

export const isKnownBrowser = (headers: Headers, email: string, place: Place): boolean =>
  marksOf({ headers }, place).includes(markOf(email, place.secret));

/**
 * Marks the browser of a request after a sign-in that names no address, such as one with GitHub. `response` sets the
 * session's cookie.
 */
export async function knowSignedInBrowser(
  context: RequestContext,
  response: Response,
): Promise<void> {
  const { deps, request } = context;
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  const cookie = [...cookies, request.headers.get("cookie") ?? ""].join("; ");
  const { signedIn } = await deps.auth.signedIn(new Headers({ cookie }));
  if (signedIn === null) return;
  const { email } = signedIn.user;
  context.cookies.push(knownBrowserCookie(request, email, deps.settings));
}

/** Marks the browser of this request as known for the address. */
export function knowBrowser({ request, deps, cookies }: RequestContext, email: string): void {
  cookies.push(knownBrowserCookie(request, email, deps.settings));
}

function knownBrowserCookie(request: WithHeaders, email: string, place: Place): string {
  const mark = markOf(email, place.secret);
  const others = marksOf(request, place).filter((each) => each !== mark && MARK.test(each));
  return writeCookie(COOKIE, [mark, ...others].slice(0, USERS_MAX).join("."), SECONDS, place);
}

const MARK = /^[0-9a-f]{32}$/;
type WithHeaders = Pick<Request, "headers">;
const marksOf = (request: WithHeaders, place: Place) =>
  readCookie(request, COOKIE, place)?.split(".") ?? [];

function markOf(email: string, secret: string): string {
  const text = `toolbooth known browser ${email.trim().toLowerCase()}`;
  return keyedHex(secret, text).slice(0, 32);
}
