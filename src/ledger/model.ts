import type { KeyLimits, KeySpent } from "./key-limits.ts";

/** The things that a ledger stores. Times are milliseconds since 1970 UTC. */

export const GRANT_KINDS = ["starter", "pack", "lifetime", "operator"] as const;
export type GrantKind = (typeof GRANT_KINDS)[number];

export type Grant = {
  /** Chosen by the code that makes the grant (`starter:<account>`, …). An account has at most one grant of an id. */
  id: string;
  kind: GrantKind;
  amount: number;
  remaining: number;
  grantedAt: number;
  /** The first millisecond at which the grant can no longer be spent. Null: it never expires. */
  expiresAt: number | null;
  /** When the grant would expire if its account were not on the lifetime plan. Null if the plan did not change its expiry. */
  waivedExpiresAt: number | null;
};

/** A stored API key: the SHA-256 of the key (hex) and its first characters, never the key itself. */
export type Key = {
  id: string;
  account: string;
  sha256: string;
  start: string;
  label: string;
  createdAt: number;
  /** Accurate to `LAST_USED_STEP_MS`, so that a busy key does not cost a write per call. */
  lastUsedAt: number | null;
  revokedAt: number | null;
  /** The secret before the last rotation, and when it stops working. Null if the key was never rotated. */
  previous: { sha256: string; until: number } | null;
  /** Null if the key has no limits of its own. */
  limits: KeyLimits | null;
  /** What its calls cost since it has a budget; null without a budget. */
  spent: KeySpent | null;
};

/** `lastUsedAt` of a key is updated if it is at least this old. */
export const LAST_USED_STEP_MS = 60_000;

export type AccountState = "open" | "suspended" | "closed";
/** `withheld`: the account gets no free call, because its owner had one with an earlier account. */
export type FreeCall = "open" | "used" | "withheld";

export type AccountStatus = {
  account: string;
  state: AccountState;
  createdAt: number;
  freeCall: FreeCall;
  balance: number;
  /** What running calls hold, which the balance does not include. */
  held: number;
  /** Whether the account is on the lifetime plan. */
  lifetime: boolean;
  /** The owner is notified when the balance falls below this number of credits. */
  lowBalance: number;
  /** The prices by tool that the operator has set for this account. */
  prices: Readonly<Record<string, number>>;
};
