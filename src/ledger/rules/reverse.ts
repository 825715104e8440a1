import type { LedgerOperations } from "../port.ts";
import { isSpendable, rebalance, recordIfBetter, voidCredits } from "./balance.ts";
import { unspend } from "./key-limits.ts";
import type { AccountRow, Changes, DebitRow, GrantRow, Loads, Rows, Verdict } from "./rows.ts";

/** Reversing the debit of a call whose response was never sent: each grant gets back what it paid, and so do the budgets of the key. */
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
    // A call that is no longer charged must not be replayed.
    forgetCall: { callId, at },
  };
  if (isFree) changes.account = { ...account, freeCall: "open" };
  if (debit.grantNo !== null) {
    if (concerned === undefined) return { need: "concerned", grants: payersOf(debit) };
    const partOf = partsOf(debit);
    const grants = concerned.map((grant) =>
      giveBack(grant, partOf(grant), account.state === "closed", now),
    );
    const balanced = rebalance(account, rows, grants, now);
    if ("need" in balanced) return balanced;
    changes.grants = grants;
    changes.account = recordIfBetter(balanced);
    const { debitKey } = rows;
    if (debitKey === undefined) return { need: "debitKey", no: debit.keyNo };
    const { spent } = debitKey;
    if (spent !== null) changes.usedKey = { ...debitKey, spent: unspend(spent, debit) };
  }
  return { outcome: { reversed: true }, changes: withoutUnchanged(changes, account) };
}

/** Stored in place of a debit that may still arrive, so that it is rejected then. */
const markOf = (callId: string, at: number, now: number): DebitRow => ({
  at,
  callId,
  keyNo: 0,
  tool: "",
  credits: 0,
  isFree: false,
  grantNo: null,
  parts: null,
  reversedAt: now,
});

const payersOf = ({ parts, grantNo }: DebitRow) =>
  parts === null ? { nos: [grantNo as number] } : { ids: parts.map(({ id }) => id) };

/** Returns a function that says what a grant paid. */
function partsOf({ parts, credits }: DebitRow): (grant: GrantRow) => number {
  if (parts === null) return () => credits;
  const byId = new Map(parts.map((part) => [part.id, part.credits]));
  return ({ id }) => byId.get(id) ?? 0;
}

/** Credits that are clawed back are voided as they come back. In a closed account, all returned credits are voided. */
function giveBack(grant: GrantRow, credits: number, isClosed: boolean, now: number): GrantRow {
  const returned = { ...grant, remaining: grant.remaining + credits };
  if (isClosed && isSpendable(returned, now)) return voidCredits(returned, returned.remaining, now);
  const missing = Math.max(0, grant.clawback - grant.voided);
  return voidCredits(returned, Math.min(credits, missing), now);
}

/** Leaves out an account row that is unchanged. */
function withoutUnchanged({ account, ...changes }: Changes, before: AccountRow): Changes {
  return account === undefined || account === before ? changes : { ...changes, account };
}
