import { cookiePath, cookiePrefix } from "#accounts/auth-options.ts";

/** Our cookies follow the same rules as Better Auth's: their names and flags are as strict as PUBLIC_URL allows. */
type Place = { publicUrl: string };

const isSecure = ({ publicUrl }: Place) => publicUrl.startsWith("https:");
const nameOf = (name: string, { publicUrl }: Place) => `${cookiePrefix(publicUrl)}tb.${name}`;

/** Returns the value of one of our cookies. */
export function readCookie(
  request: Pick<Request, "headers">,
  name: string,
  place: Place,
): string | undefined {
  const start = `${nameOf(name, place)}=`;
  const cookies = request.headers.get("cookie")?.split(";") ?? [];
  return cookies
    .map((text) => text.trim())
    .find((text) => text.startsWith(start))
    ?.slice(start.length);
}

/** A cookie that lives for so many seconds; none: the browser drops it. */
export function writeCookie(name: string, value: string, seconds: number, place: Place): string {
  const secure = isSecure(place) ? "; Secure" : "";
  const path = cookiePath(place.publicUrl);
  return `${nameOf(name, place)}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}
