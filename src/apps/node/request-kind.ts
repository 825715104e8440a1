import { AUTH_PATH } from "#accounts/auth-options.ts";
import { isKnownBrowser, knownBrowserSecret } from "#api/dashboard/known-browser.ts";

/**
 * How many requests of each kind the dashboard's thread may have at once: those of strangers, which a flood consists of, leave
 * room for the others. Passwords wait in the thread, in queues that are shorter (`password-lanes.ts`).
 */
export const REQUESTS_MAX = { known: 100, "sign-in": 150, "sign-up": 100, other: 250 } as const;
export type RequestKind = keyof typeof REQUESTS_MAX;

const SIGN_IN_PATH = `${AUTH_PATH}/sign-in/email`;
const ANONYMOUS_PATHS = ["sign-up/email", "send-verification-email", "request-password-reset"].map(
  (name) => `${AUTH_PATH}/${name}`,
);

/** Returns a function that tells the kind of a request. A cookie makes a browser known only if it is genuine. */
export function createRequestKinds(at: { secrets: readonly string[]; publicUrl: string }) {
  const place = { secret: knownBrowserSecret(at.secrets), publicUrl: at.publicUrl };
  return (request: Request, body: Uint8Array | null): RequestKind => {
    const { pathname } = new URL(request.url);
    if (ANONYMOUS_PATHS.includes(pathname)) return "sign-up";
    if (pathname !== SIGN_IN_PATH) return "other";
    return isKnownBrowser(request.headers, emailIn(body), place) ? "known" : "sign-in";
  };
}

/** The address in the body of a sign-in; empty where it has none. The dashboard rejects such bodies. */
function emailIn(body: Uint8Array | null): string {
  try {
    const { email } = JSON.parse(new TextDecoder().decode(body ?? new Uint8Array()));
    return typeof email === "string" ? email : "";
  } catch {
    return "";
  }
}
