import { type EventContent, eventOfLevel, isWorse, levelOf } from "../events.ts";
import type { AccountRow, GrantRow, Missing, OpenGrant, Rows } from "./rows.ts";

/** Which credits are spendable, in which order they are spent, the balance, and the events about it. */

export const isSpendable = (
  { remaining, expiresAt }: Pick<GrantRow, "remaining" | "expiresAt">,
  now: number,
): boolean => remaining > 0 && (expiresAt === null || now < expiresAt);

/** The order in which grants are spent: by expiry, with grants that never expire last; then by age; then as they were made. */
function compareBurnOrder(one: OpenGrant, other: OpenGrant): number {
  if (one.expiresAt !== other.expiresAt) {
    if (one.expiresAt === null) return 1;
    if (other.expiresAt === null) return -1;
    return one.expiresAt - other.expiresAt;
  }
  return one.grantedAt - other.grantedAt || creationOrder(one) - creationOrder(other);
}

/** A new grant has no number yet, so it comes last. */
const creationOrder = ({ no }: OpenGrant) => (no === 0 ? Number.MAX_SAFE_INTEGER : no);

/**
 * Returns the balance at `now`, or null if it needs a sum over all grants. The account's row determines the balance only while
 * its front grant is the first spendable one. It does not after that grant expired, after the clock was set back, and for an
 * imported account.
 */
export function balanceAt(
  account: AccountRow,
  { grants, areAll, sum }: Rows,
  now: number,
): number | null {
  if (sum !== undefined) return sum;
  const front = grants.find((grant) => isSpendable(grant, now));
  if (front === undefined && !areAll) return null;
  if (account.rest < 0 || (front?.id ?? null) !== account.frontGrant)
    return areAll ? sumRemaining(grants.filter((grant) => isSpendable(grant, now))) : null;
  return account.rest + (front?.remaining ?? 0);
}

/** Returns the account with this balance and front grant; the same object if nothing changes. */
export function withBalance(
  account: AccountRow,
  front: OpenGrant | undefined,
  balance: number,
): AccountRow {
  const frontGrant = front?.id ?? null;
  const rest = balance - (front?.remaining ?? 0);
  if (frontGrant === account.frontGrant && rest === account.rest) return account;
  return { ...account, frontGrant, rest };
}

/** Voids unspent credits of a grant. A negative number makes voided credits spendable again. */
export function voidCredits(grant: GrantRow, credits: number, now: number): GrantRow {
  const voided = grant.voided + credits;
  const voidedAt = voided === 0 ? null : (grant.voidedAt ?? now);
  return { ...grant, remaining: grant.remaining - credits, voided, voidedAt };
}

/** Returns the grants with changed and new ones merged in. */
export function withChanged(grants: readonly GrantRow[], changed: readonly GrantRow[]): GrantRow[] {
  const byId = new Map([...grants, ...changed].map((grant) => [grant.id, grant]));
  return [...byId.values()];
}

export type Balanced = { account: AccountRow; balance: number };

/** Computes the balance after some of the concerned grants changed or were made. Their expiries must not have changed. */
export function rebalance(
  account: AccountRow,
  rows: Rows,
  changed: readonly GrantRow[],
  now: number,
): Balanced | Missing {
  const before = balanceAt(account, rows, now);
  if (before === null) return { needs: { sum: true } };
  const changedById = new Map<string, OpenGrant>(changed.map((grant) => [grant.id, grant]));
  const known = rows.grants
    .map((grant) => changedById.get(grant.id) ?? grant)
    .filter((grant) => isSpendable(grant, now));
  if (known.length === 0 && !rows.areAll)
    return { needs: { grants: { covering: sumRemaining(rows.grants) } } };
  const knownIds = new Set(known.map(({ id }) => id));
  const others = changed.filter((grant) => isSpendable(grant, now) && !knownIds.has(grant.id));
  const [front] = [...known, ...others].sort(compareBurnOrder);
  let balance = before;
  const previousById = new Map((rows.concerned ?? []).map((grant) => [grant.id, grant]));
  for (const grant of changed) {
    const earlier = previousById.get(grant.id);
    if (earlier !== undefined && isSpendable(earlier, now)) balance -= earlier.remaining;
    if (isSpendable(grant, now)) balance += grant.remaining;
  }
  return { account: withBalance(account, front, balance), balance };
}

const sumRemaining = (grants: readonly OpenGrant[]) =>
  grants.reduce((sum, { remaining }) => sum + remaining, 0);

/** Computes the balance from all grants of the account. */
export function recount(account: AccountRow, grants: readonly GrantRow[], now: number): Balanced {
  const spendable = grants.filter((grant) => isSpendable(grant, now)).sort(compareBurnOrder);
  const balance = sumRemaining(spendable);
  return { account: withBalance(account, spendable[0], balance), balance };
}

export type Notified = { account: AccountRow; events: EventContent[] };

/** Adds an event if the balance fell to a level that is worse than the one the owner was last notified of. */
export function notifyIfWorse({ account, balance }: Balanced): Notified {
  const level = levelOf(balance, account.lowBalance);
  if (account.state === "closed" || !isWorse(level, account.notifiedLevel))
    return { account, events: [] };
  const event = eventOfLevel(balance, account.lowBalance);
  return { account: { ...account, notifiedLevel: level }, events: [event] };
}

/** Records a better level without an event, so that the next fall causes one. */
export function recordIfBetter({ account, balance }: Balanced): AccountRow {
  const level = levelOf(balance, account.lowBalance);
  if (account.state === "closed" || !isWorse(account.notifiedLevel, level)) return account;
  return { ...account, notifiedLevel: level };
}
