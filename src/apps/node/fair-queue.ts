/**
 * What waits for a thread, in an order that is fair between accounts: each gets the same share of the work, however much it
 * sends. So a call of an account that sends little waits for the job that runs and not for the queues of the others. This is
 * start-time fair queueing: a job begins, in virtual time, where the last job of its account ended, or now if the account has been
 * idle; the job that would end first is the next one. The cost of a job is the size of its body.
 */
export type FairQueue<Job> = {
  size(): number;
  add(account: string, cost: number, job: Job): void;
  /** Removes the job whose turn it is. */
  next(): Job | undefined;
  remove(job: Job): void;
  /**
   * Removes the newest job of the account with the most jobs, if it has at least two more than this account. Undefined if there is
   * none.
   */
  giveWay(account: string): Job | undefined;
};

type Waiting<Job> = { account: string; start: number; end: number; job: Job };

export function createFairQueue<Job>(): FairQueue<Job> {
  /** The oldest first. */
  let waiting: Waiting<Job>[] = [];
  /** Where the last job of an account ends. */
  const ends = new Map<string, number>();
  /** Where the job began that was the last one to have its turn. */
  let now = 0;

  function take(one: Waiting<Job>): Job {
    waiting = waiting.filter((each) => each !== one);
    return one.job;
  }

  return {
    size: () => waiting.length,
    add(account, cost, job) {
      const start = Math.max(now, ends.get(account) ?? 0);
      const end = start + cost;
      ends.set(account, end);
      waiting.push({ account, start, end, job });
    },
    next() {
      const [first, ...others] = waiting;
      if (first === undefined) return undefined;
      const chosen = others.reduce((best, each) => (each.end < best.end ? each : best), first);
      now = Math.max(now, chosen.start);
      for (const [account, end] of ends) if (end <= now) ends.delete(account);
      return take(chosen);
    },
    remove(job) {
      const found = waiting.find((each) => each.job === job);
      if (found !== undefined) take(found);
    },
    giveWay(account) {
      const counts = new Map<string, number>();
      for (const each of waiting) counts.set(each.account, (counts.get(each.account) ?? 0) + 1);
      const [largest] = [...counts].sort(([, one], [, other]) => other - one);
      if (largest === undefined || largest[1] < (counts.get(account) ?? 0) + 2) return undefined;
      const newest = waiting.findLast((each) => each.account === largest[0]);
      return newest && take(newest);
    },
  };
}
