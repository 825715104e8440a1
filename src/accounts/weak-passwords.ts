import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { keepList } from "./lists.ts";

/**
 * The 100,000 most common passwords that are long enough to be chosen here, as a Bloom filter (Bloom, 1970) of 256 KiB, which
 * is the file `weak-passwords.bin`. With 14 bits for each password, it also finds about 1 in 20,000 other passwords; someone who meets that chooses another one.
 */
export const FILTER_BITS = 2 ** 21;
const BITS_PER_PASSWORD = 14;

/** Guessers try every spelling, so passwords that differ only in case are one. */
export const normalizePassword = (password: string): string =>
  password.normalize("NFKC").toLowerCase();

/** The bits of a normalized password, by double hashing (Kirsch and Mitzenmacher, 2006). */
export function bitsOf(normalized: string): number[] {
  const hash = sha256(utf8ToBytes(normalized));
  const view = new DataView(hash.buffer, hash.byteOffset);
  const [first, step] = [view.getUint32(0), (view.getUint32(4) | 1) >>> 0];
  // Both factors are below 2^32 and 14, so the sum is exact.
  return Array.from({ length: BITS_PER_PASSWORD }, (_, at) => (first + at * step) % FILTER_BITS);
}

/** Whether a password is common. Rejects with `NotCarriedOut` while the filter cannot be read. */
export type IsCommonPassword = (password: string) => Promise<boolean>;

/** `read`: the bytes of `weak-passwords.bin`, needed once. */
export function createIsCommonPassword(read: () => Promise<Uint8Array>): IsCommonPassword {
  const filter = keepList("common passwords", () => read().then(requireComplete));
  return async (password) => {
    const bits = await filter();
    return bitsOf(normalizePassword(password)).every(
      (bit) => ((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0,
    );
  };
}

/** Bits that are missing would let common passwords through. */
function requireComplete(filter: Uint8Array): Uint8Array {
  if (filter.byteLength === FILTER_BITS / 8) return filter;
  throw new Error(`It has ${filter.byteLength} bytes instead of ${FILTER_BITS / 8}`);
}
