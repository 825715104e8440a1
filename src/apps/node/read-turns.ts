import { type ReadTurns, TooManyReads } from "#accounts/read-turns.ts";
import { Turns } from "./turn-queue.ts";

/** Slices of one account that may wait. A page needs two or three. */
const WAITING_MAX = 16;

type Options = {
  /** How many turns there are at once: one where a read occupies the thread, more where it waits for a database. */
  atOnce: number;
  /** A monotonic clock in milliseconds. */
  elapsed(): number;
  /** Leaves the thread to other work after a turn that took so long. */
  rest(tookMs: number): Promise<void>;
};

/** The turns of the dashboard thread. A turn of an account comes after at most one of each other account. */
export function createReadTurns({ atOnce, elapsed, rest }: Options): ReadTurns {
  const turns = new Turns(
    () => atOnce,
    WAITING_MAX,
    ({ message }) => new TooManyReads(message),
  );
  return {
    async take(account) {
      await turns.take(account);
      const startedAt = elapsed();
      let isEnded = false;
      return () => {
        if (isEnded) return;
        isEnded = true;
        void rest(elapsed() - startedAt).then(() => turns.end());
      };
    },
  };
}
