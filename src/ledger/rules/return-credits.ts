import { isSpendable, rebalance, recordIfBetter, voidCredits } from "./balance.ts";
import { unspend } from "./key-limits.ts";
import type { AccountRow, Changes, DebitPart, DebitRow, GrantRow, Missing, Rows } from "./rows.ts";

/** Giving credits back to the grants that paid for a call, and to the budgets of its key. */

/** What a debit or a hold says of who paid. */
type Paid = Pick<DebitRow, "at" | "keyNo" | "credits" | "grantNo" | "parts">;

/** Gives back so many of the credits that were paid, the part that is spent last first. `balance`: afterwards. */
export function returnPart(
  account: AccountRow,
  rows: Rows,
  paid: Paid,
  credits: number,
  now: number,
): { changes: Changes; balance: number } | Missing {
  const { concerned } = rows;
  if (concerned === undefined) return { needs: { concerned: payersOf(paid, credits) } };
  const partOf = partsOf(paid, credits);
  const grants = concerned.map((grant) =>
    giveBack(grant, partOf(grant), account.state === "closed", now),
  );
  const balanced = rebalance(account, rows, grants, now);
  if ("needs" in balanced) return balanced;
  const { debitKey } = rows;
  if (debitKey === undefined) return { needs: { debitKey: paid.keyNo } };
  const changes: Changes = { grants };
  const after = recordIfBetter(balanced);
  if (after !== account) changes.account = after;
  const { spent } = debitKey;
  if (spent !== null) {
    const returned = { at: paid.at, credits };
    changes.usedKey = { ...debitKey, spent: unspend(spent, returned) };
  }
  return { changes, balance: balanced.balance };
}

/** Splits what several grants paid after the first `credits` of it. */
export function splitParts(
  parts: readonly DebitPart[],
  credits: number,
): { first: DebitPart[]; rest: DebitPart[] } {
  const [first, rest]: [DebitPart[], DebitPart[]] = [[], []];
  let left = credits;
  for (const part of parts) {
    const paid = Math.min(left, part.credits);
    left -= paid;
    if (paid > 0) first.push({ ...part, credits: paid });
    if (paid < part.credits) rest.push({ ...part, credits: part.credits - paid });
  }
  return { first, rest };
}

const payersOf = ({ parts, grantNo, credits }: Paid, returned: number) =>
  parts === null
    ? { nos: [grantNo as number] }
    : { ids: splitParts(parts, credits - returned).rest.map(({ id }) => id) };

/** Returns a function that says what a grant gets back. */
function partsOf({ parts, credits }: Paid, returned: number): (grant: GrantRow) => number {
  if (parts === null) return () => returned;
  const { rest } = splitParts(parts, credits - returned);
  const byId = new Map(rest.map((part) => [part.id, part.credits]));
  return ({ id }) => byId.get(id) ?? 0;
}

/** Credits that are clawed back are voided as they come back. In a closed account, all returned credits are voided. */
function giveBack(grant: GrantRow, credits: number, isClosed: boolean, now: number): GrantRow {
  const returned = { ...grant, remaining: grant.remaining + credits };
  if (isClosed && isSpendable(returned, now)) return voidCredits(returned, returned.remaining, now);
  const missing = Math.max(0, grant.clawback - grant.voided);
  return voidCredits(returned, Math.min(credits, missing), now);
}
