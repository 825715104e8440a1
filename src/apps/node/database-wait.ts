import { explainDatabase, mayPass } from "./database-fault.ts";

/** How long a start waits for a database that may come yet, and who is told meanwhile. */
export type Patience = { forMs: number; tell(sentence: string): void };

export const NO_PATIENCE: Patience = { forMs: 0, tell() {} };

const BETWEEN_TRIES_MS = 1_000;
const BETWEEN_WORDS_MS = 15_000;

/** What no wait cures is thrown at once; what may pass, once the patience is over. */
export async function whenFit<Result>(
  act: () => Promise<Result>,
  { forMs, tell }: Patience,
): Promise<Result> {
  const from = performance.now();
  for (let nextWordAt = 0; ; ) {
    try {
      return await act();
    } catch (error) {
      const waited = performance.now() - from;
      if (!mayPass(error) || waited + BETWEEN_TRIES_MS > forMs) throw error;
      if (waited >= nextWordAt) {
        const left = Math.round((forMs - waited) / 1_000);
        tell(`${explainDatabase(error)} The start waits for it, up to ${left} s more.`);
        nextWordAt = waited + BETWEEN_WORDS_MS;
      }
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
    }
  }
}
