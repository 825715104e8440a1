import { sha256 } from "@noble/hashes/sha2.js";

/** The SHA-256 of a text in Base64. */
const hashOf = (text: string): string =>
  btoa(String.fromCharCode(...sha256(new TextEncoder().encode(text))));

/** A text as a source of a Content-Security-Policy (CSP Level 3, section 2.3.1). */
export const hashSource = (text: string): string => `sha256-${hashOf(text)}`;

/** The value of `ETag` for a representation (RFC 9110, section 8.8.3), without the mark of a weak one. */
export const etagOf = (text: string): string => `"${hashOf(text).slice(0, 22)}"`;
