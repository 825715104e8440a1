import { sha256 } from "@noble/hashes/sha2.js";
import { STYLE } from "./style.ts";

/**
 * The Content-Security-Policy of the server-rendered pages: scripts are files of this service, the one inline style is allowed
 * by its hash (CSP Level 3, section 2.3.1), and nothing is loaded from elsewhere.
 */
export const PAGE_CSP = [
  "default-src 'none'",
  `style-src '${hashSource(STYLE)}'`,
  "script-src 'self'",
  "img-src data:",
  // The search of the documentation fetches its index.
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function hashSource(text: string): string {
  const digest = sha256(new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}
