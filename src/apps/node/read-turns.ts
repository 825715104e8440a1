import { type ReadTurns, TooManyReads } from "#accounts/read-turns.ts";
import { createTurnQueue } from "./turn-queue.ts";

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
  const queue = createTurnQueue<() => void>();
  let taken = 0;

  function startNext(): void {
    if (taken === atOnce) return;
    const start = queue.next();
    if (start === undefined) return;
    taken += 1;
    start();
  }

  function begin(): () => void {
    const startedAt = elapsed();
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      void rest(elapsed() - startedAt).then(() => {
        taken -= 1;
        startNext();
      });
    };
  }

  return {
    async take(account) {
      const ahead = queue.sizeOf(account);
      if (ahead >= WAITING_MAX)
        throw new TooManyReads(`${ahead} reads of the account wait for their turn`);
      const { promise, resolve } = Promise.withResolvers<void>();
      queue.add(account, resolve);
      startNext();
      await promise;
      return begin();
    },
  };
}
