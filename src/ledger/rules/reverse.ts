import type { LedgerOperations } from "../port.ts";
import { isSpendable, rebalance, recordIfBetter, voidCredits } from "./balance.ts";
import type { AccountRow, Changes, DebitRow, GrantRow, Loads, Rows, Verdict } from "./rows.ts";

/** A call whose response never left gets its credits back, each grant its part. */
type Order = LedgerOperations["reverse"][0];

export const loadsOfReversal = (): Loads => ({ debit: true, grants: { covering: 0 } });

export function decideReversal(
  rows: Rows,
  { callId, at, now }: Order,
): Verdict<LedgerOperations["reverse"][1]> {
  const { account, debit, concerned } = rows;
  if (account === null) return { outcome: { reversed: false }, changes: {} };
  if (debit === undefined) return { need: "debit" };
  if (debit === null)
    return { outcome: { reversed: false }, changes: { debit: markOf(callId, at, now) } };
  if (debit.reversedAt !== null) return { outcome: { reversed: false }, changes: {} };

  const { isFree, ...call } = debit;
  const changes: Changes = {
    debit: { ...debit, reversedAt: now },
    reversal: { ...call, reversedAt: now },
    // What is not charged any more must not be replayed.
    forgetCall: { callId, at },
  };
  if (isFree) changes.account = { ...account, freeCall: "open" };
  if (debit.grantNo !== null) {
    if (concerned === undefined) return { need: "concerned", grants: payersOf(debit) };
    const partOf = partsOf(debit);
    const grants = concerned.map((grant) =>
      reverseCall(grant, partOf(grant), account.state === "closed", now),
    );
    const balanced = rebalance(account, rows, grants, now);
    if ("need" in balanced) return balanced;
    changes.grants = grants;
    changes.account = recordIfBetter(balanced);
  }
  return { outcome: { reversed: true }, changes: withoutSame(changes, account) };
}

/** In the place of a debit that may still be on its way: it finds that it was reversed. */
const markOf = (callId: string, at: number, now: number): DebitRow => ({
  ...{ at, callId, keyNo: 0, tool: "", credits: 0, isFree: false },
  ...{ grantNo: null, parts: null, reversedAt: now },
});

const payersOf = ({ parts, grantNo }: DebitRow) =>
  parts === null ? { nos: [grantNo as number] } : { ids: parts.map(({ id }) => id) };

/** What each grant paid. */
function partsOf({ parts, credits }: DebitRow): (grant: GrantRow) => number {
  if (parts === null) return () => credits;
  const byId = new Map(parts.map((part) => [part.id, part.credits]));
  return ({ id }) => byId.get(id) ?? 0;
}

/** What is clawed back of the grant and was spent is voided as it comes back; so is all that a closed account could spend. */
function reverseCall(grant: GrantRow, credits: number, isClosed: boolean, now: number): GrantRow {
  const returned = { ...grant, remaining: grant.remaining + credits };
  if (isClosed && isSpendable(returned, now)) return voidCredits(returned, returned.remaining, now);
  const missing = Math.max(0, grant.clawback - grant.voided);
  return voidCredits(returned, Math.min(credits, missing), now);
}

function withoutSame({ account, ...changes }: Changes, before: AccountRow): Changes {
  return account === undefined || account === before ? changes : { ...changes, account };
}
