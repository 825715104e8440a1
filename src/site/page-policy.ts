import { sha256 } from "@noble/hashes/sha2.js";
import { STYLE } from "./style.ts";

/**
 * The Content-Security-Policy of every page: scripts come from files of this service alone, of inline code only this
 * very style is allowed, by its hash (CSP Level 3, section 2.3.1), and nothing else is loaded from anywhere.
 */
export const PAGE_CSP = [
  "default-src 'none'",
  `style-src '${hashSource(STYLE)}'`,
  "script-src 'self'",
  "img-src data:",
  // For programs that look at the page from within and ask for /robots.txt.
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function hashSource(text: string): string {
  const digest = sha256(new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}
