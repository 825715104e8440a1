/** Accounts of which something was noted a moment ago. */
export type RecentAccounts = {
  note(account: string): void;
  has(account: string): boolean;
};

/** Long enough that whoever goes on is met at every call, short enough that nobody waits for it to be over. */
export const RECENT_MS = 10_000;
/** About 100 bytes each. Where there are more, the ones noted longest ago are forgotten early, many at once. */
export const RECENT_ACCOUNTS_MAX = 10_000;

export function createRecentAccounts(elapsed: () => number): RecentAccounts {
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  return {
    note(account) {
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
