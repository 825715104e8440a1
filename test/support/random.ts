/** Returns numbers from 0 up to, but not including, 1 (mulberry32). The same seed gives the same numbers. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const given = process.env["TEST_SEED"];

/** Where random tests begin. It is printed; `TEST_SEED=n` repeats them. */
export const SEED = Number(given ?? Date.now() % 1_000_000);
// `test/run.ts` sets and prints it for all files; `node --test <file>` does not.
if (given === undefined) process.stdout.write(`TEST_SEED=${SEED}\n`);
