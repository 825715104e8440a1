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

/** Turns of accounts at threads, of which there are few. */
export class Turns {
  readonly #queue = createTurnQueue<PromiseWithResolvers<void>>();
  readonly #atOnce: () => number;
  readonly #waitingMax: number;
  readonly #tooMany: (cause: Error) => Error;
  #taken = 0;

  /**
   * `atOnce`: how many turns there are now; call `give` when it grows. `waitingMax`: for each account. `tooMany`: the error of what may not
   * wait, or not any longer.
   */
  constructor(atOnce: () => number, waitingMax: number, tooMany: (cause: Error) => Error) {
    this.#atOnce = atOnce;
    this.#waitingMax = waitingMax;
    this.#tooMany = tooMany;
  }

  waiting(): number {
    return this.#queue.size();
  }

  /** Resolves when it is the account's turn, which `end` ends. Without `patienceMs` it waits for as long as that takes. */
  async take(account: string, patienceMs?: number): Promise<void> {
    const ahead = this.#queue.sizeOf(account);
    if (ahead >= this.#waitingMax)
      throw this.#tooMany(new Error(`${ahead} of the account wait for their turn`));
    const turn = Promise.withResolvers<void>();
    this.#queue.add(account, turn);
    this.give();
    const isWaiting = this.#queue.sizeOf(account) > ahead;
    if (!isWaiting || patienceMs === undefined) return turn.promise;
    const late = setTimeout(() => {
      this.#queue.remove(turn);
      turn.reject(this.#tooMany(new Error("Its turn did not come in time")));
    }, patienceMs);
    return turn.promise.finally(() => clearTimeout(late));
  }

  end(): void {
    this.#taken -= 1;
    this.give();
  }

  give(): void {
    while (this.#taken < this.#atOnce()) {
      const turn = this.#queue.next();
      if (turn === undefined) return;
      this.#taken += 1;
      turn.resolve();
    }
  }

  /** Rejects all that wait. */
  refuse(error: Error): void {
    for (let turn = this.#queue.next(); turn !== undefined; turn = this.#queue.next())
      turn.reject(error);
  }
}
