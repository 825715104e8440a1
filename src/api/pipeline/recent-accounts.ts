/** Accounts that were added a moment ago. */
export type RecentAccounts = {
  add(account: string): void;
  has(account: string): boolean;
};

/** Long enough for the next call of a client that keeps calling, short enough for one that has fixed its error. */
export const RECENT_MS = 10_000;
/** About 100 bytes each. Beyond this number the older half is dropped. */
export const RECENT_ACCOUNTS_MAX = 10_000;

export function createRecentAccounts(elapsed: () => number): RecentAccounts {
  let newer = new Map<string, number>();
  let older = new Map<string, number>();
  return {
    add(account) {
      if (newer.size >= RECENT_ACCOUNTS_MAX / 2 && !newer.has(account)) {
        older = newer;
        newer = new Map();
      }
      newer.set(account, elapsed() + RECENT_MS);
    },
    has(account) {
      const until = newer.get(account) ?? older.get(account);
      return until !== undefined && elapsed() < until;
    },
  };
}
