import type { ReactNode } from "react";
import type { Visitor } from "#api/dashboard/shapes.ts";

/** Whether passkeys work at another address of this service: on the operator's own machine they do at `localhost` only. */
export const worksElsewhere = ({ passkeyOrigin }: Visitor): boolean =>
  passkeyOrigin !== null && passkeyOrigin !== location.origin;

/** Why passkeys cannot be used on this page; null if they can. It stands apart from `passkeys.ts`, so that pages can say it without the code that uses them. */
export function passkeyObstacle(visitor: Visitor): ReactNode {
  const { passkeyOrigin } = visitor;
  if (passkeyOrigin === null) {
    return "Passkeys need a domain name and HTTPS, and this service is published without one of them.";
  }
  if (worksElsewhere(visitor)) {
    const there = passkeyOrigin + location.pathname + location.search;
    return (
      <>
        Passkeys work only at another address of this service:{" "}
        <a href={there}>open this page at {passkeyOrigin}</a>.
      </>
    );
  }
  // As in the helper of @simplewebauthn/browser.
  const isSupported = typeof globalThis.PublicKeyCredential === "function";
  return isSupported ? null : "This browser does not support passkeys.";
}
