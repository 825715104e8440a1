/** Accounts that were added a moment ago. */
export type RecentAccounts = {
  add(account: string): void;
  has(account: string): boolean;
};

/** Long enough to meet a client that goes on at every call, short enough that a client need not wait for its end. */
export const RECENT_MS = 10_000;
/** About 100 bytes each. Beyond this the ones added longest ago are forgotten early, many at once. */
export const RECENT_ACCOUNTS_MAX = 10_000;

export function createRecentAccounts(elapsed: () => number): RecentAccounts {
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  return {
    add(account) {
      if (young.size >= RECENT_ACCOUNTS_MAX / 2 && !young.has(account)) {
        old = young;
        young = new Map();
      }
      young.set(account, elapsed() + RECENT_MS);
    },
    has(account) {
      const until = young.get(account) ?? old.get(account);
      return until !== undefined && elapsed() < until;
    },
  };
}
