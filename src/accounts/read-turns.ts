/**
 * Turns at reads that can be long, such as searches of the request log and downloads. Without them one member's reads would keep the
 * pages of all others waiting. A reader takes a turn for each slice of its work, and keeps it for some milliseconds.
 */
export type ReadTurns = {
  /**
   * Waits for a turn, in an order that is fair between accounts. Returns a function that ends the turn. Rejects with `TooManyReads` if
   * the account already has as many readers as may wait.
   */
  take(account: string): Promise<() => void>;
};

export class TooManyReads extends Error {}

/** Runs one slice of work in a turn of its own. */
export async function inReadTurn<Result>(
  turns: ReadTurns,
  account: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const end = await turns.take(account);
  try {
    return await work();
  } finally {
    end();
  }
}

/** For the edge, where no thread is shared, and for tests. */
export const FREE_READ_TURNS: ReadTurns = { take: async () => () => {} };
