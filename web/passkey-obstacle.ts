import type { Visitor } from "#api/dashboard/shapes.ts";

/** Why passkeys cannot be used on this page; null if they can. It stands apart from `passkeys.ts`, so that pages can say it without the code that uses them. */
export function passkeyObstacle({ passkeyOrigin }: Visitor): string | null {
  if (passkeyOrigin === null) {
    return "Passkeys need a domain name and HTTPS, and this service is published without one of them.";
  }
  if (passkeyOrigin !== location.origin) {
    return `Passkeys work only at ${passkeyOrigin}. Open this page there.`;
  }
  // As in the helper of @simplewebauthn/browser.
  const isSupported = typeof globalThis.PublicKeyCredential === "function";
  return isSupported ? null : "This browser does not support passkeys.";
}
