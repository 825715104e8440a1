/** A fixed time and fixed random bytes, for runtimes whose responses are compared. Works in workerd too. */
export const START = Date.UTC(2026, 0, 15, 10);

/** The same bytes for the same count. */
export const patternedBytes = (count: number) =>
  Uint8Array.from({ length: count }, (_, at) => ((at * 31 + 7) ^ (at >> 5)) & 0xff);
