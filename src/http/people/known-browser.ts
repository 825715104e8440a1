import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/**
 * A mark that a browser signed somebody in before: a keyed hash of the address, in a cookie. It opens nothing; it only
 * tells a person's own browser from a stranger's, so that a stranger who guesses passwords does not slow its owner.
 */
const COOKIE = "toolbooth.known";
const PEOPLE_MAX = 5;
const DAYS = 400;

export const isKnownBrowser = (request: Request, email: string, secret: string): boolean =>
  marksOf(request).includes(markOf(email, secret));

export function knownBrowserCookie(
  request: Request,
  email: string,
  { secret, publicUrl }: { secret: string; publicUrl: string },
): string {
  const mark = markOf(email, secret);
  const marks = [mark, ...marksOf(request).filter((each) => each !== mark)].slice(0, PEOPLE_MAX);
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  return `${COOKIE}=${marks.join(".")}; Path=/; Max-Age=${DAYS * 86_400}; HttpOnly; SameSite=Lax${secure}`;
}

function marksOf(request: Request): string[] {
  const cookies = request.headers.get("cookie")?.split(";") ?? [];
  const found = cookies.map((text) => text.trim()).find((text) => text.startsWith(`${COOKIE}=`));
  return found?.slice(COOKIE.length + 1).split(".") ?? [];
}

function markOf(email: string, secret: string): string {
  const utf8 = new TextEncoder();
  const text = `toolbooth known browser ${email.trim().toLowerCase()}`;
  return bytesToHex(hmac(sha256, utf8.encode(secret), utf8.encode(text))).slice(0, 32);
}
