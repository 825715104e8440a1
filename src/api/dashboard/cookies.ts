import { cookiePath, cookiePrefix } from "#accounts/auth-options.ts";

/** Our cookies follow the same rules as Better Auth's: their names and flags are as strict as PUBLIC_URL allows. */
type Place = { publicUrl: string };

const isSecure = ({ publicUrl }: Place) => publicUrl.startsWith("https:");
const nameOf = (name: string, { publicUrl }: Place) =>
  `${cookiePrefix(publicUrl)}toolbooth.${name}`;

/** Returns the value of one of our cookies. */
export const readCookie = (
  request: Pick<Request, "headers">,
  name: string,
  place: Place,
): string | undefined => readCookies(request, `${name}=`, place)[0];

/** Returns the values of our cookies whose name and `=` begin with `start`, in the order of the request. */
export function readCookies(
  request: Pick<Request, "headers">,
  start: string,
  place: Place,
): string[] {
  const whole = nameOf(start, place);
  const cookies = request.headers.get("cookie")?.split(";") ?? [];
  return cookies
    .map((text) => text.trim())
    .filter((text) => text.startsWith(whole))
    .map((text) => text.slice(text.indexOf("=") + 1));
}

export function writeCookie(name: string, value: string, days: number, place: Place): string {
  const secure = isSecure(place) ? "; Secure" : "";
  const path = cookiePath(place.publicUrl);
  return `${nameOf(name, place)}=${value}; Path=${path}; Max-Age=${days * 86_400}; HttpOnly; SameSite=Lax${secure}`;
}
