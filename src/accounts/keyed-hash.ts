import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

const utf8 = new TextEncoder();

/** HMAC-SHA-256 of a text under a secret (RFC 2104). Each purpose starts its texts with a prefix of its own. */
export const keyedHash = (secret: string, text: string): Uint8Array =>
  hmac(sha256, utf8.encode(secret), utf8.encode(text));

export const keyedHex = (secret: string, text: string): string =>
  bytesToHex(keyedHash(secret, text));

/** Compares two hashes of the same length in constant time. */
export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  let difference = 0;
  for (let at = 0; at < one.length; at += 1) difference |= (one[at] ?? 0) ^ (other[at] ?? 0);
  return difference === 0;
}
