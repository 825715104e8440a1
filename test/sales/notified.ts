/** The model's events: a list of events, and one event for each level that a balance drops to. */
import type { EventContent } from "#ledger/events.ts";
import { balanceOf, type Lot, leftOf, MS_OF_DAY, type Owner } from "./lots.ts";

/** `id`: as the ledger has named it, once the model has seen it. */
export type Told = { id: string | null; account: string; at: number; content: EventContent };

export function createTold() {
  /** Events that are not settled. */
  let waiting: Told[] = [];

  function write({ id: account, state }: Owner, at: number, content: EventContent): void {
    if (state !== "closed") waiting.push({ id: null, account, at, content });
  }

  function levelOf(owner: Owner, now: number): 0 | 1 | 2 {
    const balance = balanceOf(owner, now);
    if (balance === 0) return 0;
    return balance < owner.threshold ? 1 : 2;
  }

  /** Whether there was an event. */
  function fall(owner: Owner, now: number): boolean {
    const level = levelOf(owner, now);
    if (owner.state === "closed" || level >= owner.told) return false;
    owner.told = level;
    const low = { balance: balanceOf(owner, now), lowBalance: owner.threshold };
    write(owner, now, level === 0 ? { kind: "credits.depleted" } : { kind: "credits.low", ...low });
    return true;
  }

  return {
    write,
    fall,
    waiting: () => waiting,
    note(owner: Owner, now: number): void {
      owner.told = levelOf(owner, now);
    },
    rise(owner: Owner, now: number): void {
      const level = levelOf(owner, now);
      if (level > owner.told) owner.told = level;
    },
    ofEnd(owner: Owner, lot: Lot, now: number): boolean {
      const { id, kind, expiresAt } = lot;
      if (expiresAt === null || now >= expiresAt) return fall(owner, now);
      const remaining = leftOf(lot);
      if (remaining === 0) return false;
      const days = expiresAt - now <= 7 * MS_OF_DAY ? 7 : 30;
      write(owner, now, {
        ...{ kind: "credits.expiring", days },
        grant: { id, kind, remaining, expiresAt },
      });
      return true;
    },
    forget(account: string): void {
      waiting = waiting.filter((told) => told.account !== account);
    },
    /** Returns how many of these it knows, and removes them. */
    settle(ids: readonly string[]): Told[] {
      const gone = waiting.filter(({ id }) => id !== null && ids.includes(id));
      waiting = waiting.filter((told) => !gone.includes(told));
      return gone;
    },
  };
}
