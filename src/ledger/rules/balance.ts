import { type EventContent, eventOfLevel, isWorse, levelOf } from "../events.ts";
import type { AccountRow, GrantRow, Need, OpenGrant, Rows } from "./rows.ts";

/** Which credits can be spent, in which order, how many they are, and what the owner is told of that. */

export const isSpendable = (
  { remaining, expiresAt }: Pick<GrantRow, "remaining" | "expiresAt">,
  now: number,
): boolean => remaining > 0 && (expiresAt === null || now < expiresAt);

/** Burn order: the soonest end first, none last; then the oldest; then the one that was made first. */
export function compareBurnOrder(one: OpenGrant, other: OpenGrant): number {
  if (one.expiresAt !== other.expiresAt) {
    if (one.expiresAt === null) return 1;
    if (other.expiresAt === null) return -1;
    return one.expiresAt - other.expiresAt;
  }
  return one.grantedAt - other.grantedAt || madeAs(one) - madeAs(other);
}

/** A grant that has no number yet is the youngest. */
const madeAs = ({ no }: OpenGrant) => (no === 0 ? Number.MAX_SAFE_INTEGER : no);

/**
 * The balance at `now`; null where neither the account's row tells it (another grant is the first one, because that one has
 * expired or the clock was set back, or the account was imported) nor all of its grants are known.
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
    return areAll ? held(grants.filter((grant) => isSpendable(grant, now))) : null;
  return account.rest + (front?.remaining ?? 0);
}

/** The account with a balance whose first grant is `front`; the same row where nothing of it changes. */
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

/** With so many of its unspent credits voided; less than 0: so many voided ones can be spent again. */
export function voidCredits(grant: GrantRow, credits: number, now: number): GrantRow {
  const voided = grant.voided + credits;
  const voidedAt = voided === 0 ? null : (grant.voidedAt ?? now);
  return { ...grant, remaining: grant.remaining - credits, voided, voidedAt };
}

/** All grants, with those that have changed or were made as they are now. */
export function withChanged(grants: readonly GrantRow[], changed: readonly GrantRow[]): GrantRow[] {
  const byId = new Map([...grants, ...changed].map((grant) => [grant.id, grant]));
  return [...byId.values()];
}

export type Balanced = { account: AccountRow; balance: number };

/** The account's balance after these of the concerned grants have changed, or were made. Their ends are as before. */
export function rebalance(
  account: AccountRow,
  rows: Rows,
  changed: readonly GrantRow[],
  now: number,
): Balanced | Need {
  const before = balanceAt(account, rows, now);
  if (before === null) return { need: "sum" };
  const changedById = new Map<string, OpenGrant>(changed.map((grant) => [grant.id, grant]));
  const known = rows.grants
    .map((grant) => changedById.get(grant.id) ?? grant)
    .filter((grant) => isSpendable(grant, now));
  if (known.length === 0 && !rows.areAll) return { need: "grants", covering: held(rows.grants) };
  const knownIds = new Set(known.map(({ id }) => id));
  const others = changed.filter((grant) => isSpendable(grant, now) && !knownIds.has(grant.id));
  const [front] = [...known, ...others].sort(compareBurnOrder);
  let balance = before;
  const had = new Map((rows.concerned ?? []).map((grant) => [grant.id, grant]));
  for (const grant of changed) {
    const earlier = had.get(grant.id);
    if (earlier !== undefined && isSpendable(earlier, now)) balance -= earlier.remaining;
    if (isSpendable(grant, now)) balance += grant.remaining;
  }
  return { account: withBalance(account, front, balance), balance };
}

const held = (grants: readonly OpenGrant[]) =>
  grants.reduce((sum, { remaining }) => sum + remaining, 0);

/** The account's balance by all of its grants. */
export function recount(account: AccountRow, grants: readonly GrantRow[], now: number): Balanced {
  const spendable = grants.filter((grant) => isSpendable(grant, now)).sort(compareBurnOrder);
  const balance = held(spendable);
  return { account: withBalance(account, spendable[0], balance), balance };
}

export type Told = { account: AccountRow; events: EventContent[] };

/** After whatever may have lowered the balance: the owner is told of a level that is worse than the last one told. */
export function tellIfWorse({ account, balance }: Balanced): Told {
  const level = levelOf(balance, account.lowBalance);
  if (account.state === "closed" || !isWorse(level, account.notifiedLevel))
    return { account, events: [] };
  const event = eventOfLevel(balance, account.lowBalance);
  return { account: { ...account, notifiedLevel: level }, events: [event] };
}

/** After whatever may have raised it: a better level is recorded in silence, so that the next fall is told. */
export function recordIfBetter({ account, balance }: Balanced): AccountRow {
  const level = levelOf(balance, account.lowBalance);
  if (account.state === "closed" || !isWorse(account.notifiedLevel, level)) return account;
  return { ...account, notifiedLevel: level };
}
