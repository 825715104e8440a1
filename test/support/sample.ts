/** Samples for `npm test` of cases that show one sentence many times. `npm run test:deep` takes all of them. */

const seed = Number(process.env["TEST_SEED"] ?? Date.now() % 2 ** 31);

/** Returns `size` of the cases, drawn by TEST_SEED, and prints how many. Returns all if the environment variable is `all`. */
export function sampleOf<Case>(
  what: string,
  variable: string,
  size: number,
  cases: readonly Case[],
): Case[] {
  if (process.env[variable] === "all") return [...cases];
  const first = seed % cases.length;
  const taken = [...cases, ...cases].slice(first, first + size);
  console.log(`${taken.length} of ${cases.length} ${what} (TEST_SEED=${seed}, ${variable}=all)`);
  return taken;
}
