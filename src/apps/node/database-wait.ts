import { explainDatabase, mayPass } from "./database-fault.ts";

/** How long a start waits for a database that is not ready, and how it reports the wait. */
export type Patience = { forMs: number; log(sentence: string): void };

export const NO_PATIENCE: Patience = { forMs: 0, log() {} };

const BETWEEN_TRIES_MS = 1_000;
const LOG_EVERY_MS = 15_000;

/** Retries while the error may be temporary; throws permanent errors immediately, temporary ones after the patience ends. */
export async function waitForDatabase<Result>(
  act: () => Promise<Result>,
  { forMs, log }: Patience,
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
        log(`${explainDatabase(error)} Waiting up to ${left} s for it.`);
        nextWordAt = waited + LOG_EVERY_MS;
      }
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
    }
  }
}
