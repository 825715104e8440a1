/** Values of names that were set a moment ago, in bounded memory. */
export type RecentNames<Value> = {
  set(name: string, value: Value): void;
  get(name: string): Value | undefined;
};

/** About 100 bytes each. Beyond this number the older half is dropped. */
export const RECENT_NAMES_MAX = 10_000;

export function createRecentNames<Value>(max = RECENT_NAMES_MAX): RecentNames<Value> {
  let newer = new Map<string, Value>();
  let older = new Map<string, Value>();
  return {
    set(name, value) {
      if (newer.size >= max / 2 && !newer.has(name)) {
        older = newer;
        newer = new Map();
      }
      newer.set(name, value);
    },
    get: (name) => newer.get(name) ?? older.get(name),
  };
}

/** Accounts that were added a moment ago. */
export type RecentAccounts = {
  add(account: string): void;
  has(account: string): boolean;
};

/** Long enough for the next call of a client that keeps calling, short enough for one that has fixed its error. */
export const RECENT_MS = 10_000;

export function createRecentAccounts(elapsed: () => number): RecentAccounts {
  const names = createRecentNames<number>();
  return {
    add: (account) => names.set(account, elapsed() + RECENT_MS),
    has(account) {
      const until = names.get(account);
      return until !== undefined && elapsed() < until;
    },
  };
}
