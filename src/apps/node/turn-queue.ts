/**
 * What waits for a thread, in rounds: each account has one job in a round, and its next one in the round after that. So a job of an
 * account that sends little waits for one job of each other account, however many these have sent. In order of arrival alone, an
 * account that sends 64 documents of a megabyte would keep the next one waiting for 8 s.
 */
export type TurnQueue<Job> = {
  size(): number;
  sizeOf(account: string): number;
  add(account: string, job: Job): void;
  /** Removes the job whose turn it is. */
  next(): Job | undefined;
  remove(job: Job): void;
};

export function createTurnQueue<Job>(): TurnQueue<Job> {
  /** In the order of their turns. */
  let waiting: { account: string; round: number; job: Job }[] = [];
  /** The round of the last job of an account. */
  const rounds = new Map<string, number>();
  let current = 0;

  return {
    size: () => waiting.length,
    sizeOf: (account) => waiting.filter((each) => each.account === account).length,
    add(account, job) {
      const last = rounds.get(account);
      const round = last === undefined ? current : last + 1;
      rounds.set(account, round);
      const at = waiting.findIndex((each) => each.round > round);
      waiting.splice(at === -1 ? waiting.length : at, 0, { account, round, job });
    },
    next() {
      const first = waiting.shift();
      if (first === undefined) return undefined;
      current = first.round;
      for (const [account, round] of rounds) if (round < current) rounds.delete(account);
      return first.job;
    },
    remove(job) {
      waiting = waiting.filter((each) => each.job !== job);
    },
  };
}
