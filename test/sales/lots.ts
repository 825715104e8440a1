/** What the model stores, and what can be computed from it. */
import type { Grant } from "#ledger/port.ts";

export const MS_OF_DAY = 24 * 60 * 60 * 1000;

export type Lot = Omit<Grant, "remaining"> & {
  no: number;
  spent: number;
  voided: number;
  /** How many of its credits are clawed back, as of this version. */
  clawback: number;
  version: number;
  /** The moments at which an event about its expiry is due, except those handled already. */
  marks: number[];
};
export type Call = {
  callId: string;
  at: number;
  tool: string;
  /** Null: the call was free. */
  lot: Lot | null;
  isReversed: boolean;
  idempotency: { key: string; body: string; response: string; random: string | null } | null;
};
export type Owner = {
  id: string;
  state: "open" | "suspended" | "closed";
  createdAt: number;
  threshold: number;
  /** The level of the last event: 2 enough, 1 low, 0 depleted. */
  told: 0 | 1 | 2;
  hasFreeCall: boolean;
  lots: Lot[];
  calls: Call[];
  keys: { id: string; sha256: string; label: string; start: string; isRevoked: boolean }[];
};

export const leftOf = ({ amount, spent, voided }: Lot) => amount - spent - voided;
export const isOver = ({ expiresAt }: Lot, now: number) => expiresAt !== null && now >= expiresAt;
export const isOnPlan = ({ lots }: Owner) =>
  lots.some(({ kind, clawback, amount }) => kind === "lifetime" && clawback < amount);

/** By expiry, then by age, then by order of arrival. */
export function burnOrder(owner: Owner, now: number): Lot[] {
  const ends = ({ expiresAt }: Lot) => expiresAt ?? Number.MAX_SAFE_INTEGER;
  return owner.lots
    .filter((lot) => !isOver(lot, now) && leftOf(lot) > 0)
    .sort(
      (one, other) =>
        ends(one) - ends(other) || one.grantedAt - other.grantedAt || one.no - other.no,
    );
}
export const balanceOf = (owner: Owner, now: number) =>
  burnOrder(owner, now).reduce((sum, lot) => sum + leftOf(lot), 0);
