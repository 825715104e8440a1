import type { SqlDriver, SqlValue } from "./driver.ts";

/**
 * The checksum of a row of the ledger, by which `audit` notices damage that SQLite cannot see: its pages have no checksums.
 *
 * FNV-1a over the characters of texts and the two halves of numbers. Every step is reversible, so a change that is confined to one
 * character or one half of a number always changes the checksum. Any other change goes unnoticed once in 4 billion. It is not a
 * digest: it detects accidents, not forgery. In JavaScript a debit's row takes 0.2 µs; a call into a native digest takes longer.
 */
export function rowChecksum(values: readonly SqlValue[]): number {
  let hash = 0x811c9dc5;
  for (const value of values) {
    if (typeof value === "string") {
      for (let index = 0; index < value.length; index++)
        hash = Math.imul(hash ^ value.charCodeAt(index), PRIME);
      hash ^= TEXT_END;
    } else if (value === null) hash ^= NULL;
    else {
      hash = Math.imul(hash ^ value, PRIME);
      hash ^= Math.floor(value / 2 ** 32);
    }
    hash = Math.imul(hash ^ (hash >>> 15), PRIME);
  }
  return hash | 0;
}

const PRIME = 0x01000193;
/** Larger than any character, so that ("a", "b") differs from ("ab", ""). */
const TEXT_END = 0x1_0000;
const NULL = 0x2_0000;

/** The name of `rowChecksum` in SQL, on the connections of `node:sqlite`. */
export const ROW_CHECKSUM = "row_checksum";

/** Returns the clause that sets a checksum in an UPDATE or upsert, or an empty text where there are none. `values`: the SQL of its columns. */
export const setChecksum = (driver: SqlDriver, values: string): string =>
  driver.checksum === undefined ? "" : `, checksum = ${ROW_CHECKSUM}(${values})`;
