import type { Order, Outcome } from "../port.ts";
import { endUncharged } from "./holds.ts";
import { returnPart } from "./return-credits.ts";
import {
  type AccountRow,
  type Changes,
  type DebitRow,
  type Missing,
  type Needs,
  type Rows,
  unchanged,
  type Verdict,
} from "./rows.ts";

/** Reversing the debit of a call whose response was never sent: each grant gets back what it paid, and so do the budgets of the key. */

export const needsOfReversal = (): Needs => ({ debit: true, grants: { covering: 0 } });

export function decideReversal(rows: Rows, order: Order<"reverse">): Verdict<Outcome<"reverse">> {
  const { account, debit } = rows;
  const { callId, at, now } = order;
  if (account === null) return unchanged({ reversed: false });
  if (debit === undefined) return { needs: { debit: true } };
  if (debit === null) return reverseEarly(account, rows, order);
  if (debit.reversedAt !== null) return unchanged({ reversed: false });

  const { isFree, ...call } = debit;
  const changes: Changes = {
    debit: { ...debit, reversedAt: now },
    reversal: { ...call, reversedAt: now },
    // A call that is no longer charged must not be replayed, and one that may have changed the world must not run again.
    forgetCall: { callId, at },
  };
  if (isFree) changes.account = { ...account, freeCall: "open" };
  if (debit.grantNo === null) return { outcome: { reversed: true }, changes };
  const returned = returnPart(account, rows, debit, debit.credits, now);
  if ("needs" in returned) return returned;
  return { outcome: { reversed: true }, changes: { ...changes, ...returned.changes } };
}

/** Leaves a mark that rejects the debit, should it still arrive. If the call is running, its hold ends. */
function reverseEarly(
  account: AccountRow,
  rows: Rows,
  { callId, at, now, key }: Order<"reverse">,
): Verdict<{ reversed: boolean }> {
  const { hold } = rows;
  if (hold === undefined) return { needs: { hold: true } };
  const mark = markOf(callId, at, now);
  if (hold === null) return { outcome: { reversed: false }, changes: { debit: mark } };
  const keyAfter = hold.onCrash === "release" ? "free" : (key ?? "unknown");
  const ended: Changes | Missing = endUncharged(account, rows, hold, keyAfter, now);
  if ("needs" in ended) return ended;
  return { outcome: { reversed: false }, changes: { ...ended, debit: mark } };
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
