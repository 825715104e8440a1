import { sha256 } from "@noble/hashes/sha2.js";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/**
 * The Content-Security-Policy of every page: nothing is loaded from anywhere, and of inline code only this very style
 * and script are allowed, by their hashes (CSP Level 3, section 2.3.1).
 */
export const PAGE_CSP = [
  "default-src 'none'",
  `style-src '${hashSource(STYLE)}'`,
  `script-src '${hashSource(SCRIPT)}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function hashSource(text: string): string {
  const digest = sha256(new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}
