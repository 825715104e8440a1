import type { LedgerOperations } from "../port.ts";
import {
  type DueOrder,
  decideAccountChange,
  decideDue,
  decideOpening,
  needsOfAccountChange,
  needsOfDue,
} from "./accounts.ts";
import { decideDebit, decideKeyStatus, needsOfDebit, needsOfKeyStatus } from "./debit.ts";
import { decideClawback, decideGrant, needsOfClawback, needsOfGrant } from "./grants.ts";
import {
  decideHold,
  decideLapse,
  decideRelease,
  decideRenewal,
  type LapseOrder,
  needsOfEnd,
  needsOfHold,
} from "./holds.ts";
import {
  decideKeyChange,
  decideKeyCreation,
  decideRevocation,
  decideRotation,
  needsOfKey,
  needsOfNewSecret,
} from "./keys.ts";
import { decideReversal, needsOfReversal } from "./reverse.ts";
import type { Needs, Rows, Verdict } from "./rows.ts";
import { decideSettlement, needsOfSettlement } from "./settle.ts";

/**
 * The rule of every operation that concerns one account: which rows a store loads for it, and how it is decided. Rules are
 * pure and synchronous: the same rows and the same order give the same outcome and the same changes. For an invalid order they
 * throw `OrderRejected`, and nothing else.
 *
 * In one transaction, a store loads the rows, calls `decide` (again with more rows if it returns `Needs`), and saves the
 * changes. Within a batch, an order sees the changes of the orders before it.
 */
export type RuleOrders = Pick<
  LedgerOperations,
  | "openAccount"
  | "changeAccount"
  | "createKey"
  | "revokeKey"
  | "changeKey"
  | "rotateKey"
  | "grant"
  | "clawback"
  | "keyStatus"
  | "debit"
  | "reverse"
  | "hold"
  | "settle"
  | "release"
  | "renew"
> & {
  /** One of the grants whose events `maintain` writes. */
  recordDue: [DueOrder, { recorded: boolean }];
  /** One of the holds that `expireHolds` ends. */
  lapse: [LapseOrder, { ended: boolean }];
};

export type RuleName = keyof RuleOrders;

export type Rule<Order, Outcome> = {
  needs(order: Order): Needs;
  decide(rows: Rows, order: Order): Verdict<Outcome>;
};

const nothing = (): Needs => ({});

export const RULES: { [Name in RuleName]: Rule<RuleOrders[Name][0], RuleOrders[Name][1]> } = {
  openAccount: { needs: nothing, decide: decideOpening },
  changeAccount: { needs: needsOfAccountChange, decide: decideAccountChange },
  createKey: { needs: needsOfNewSecret, decide: decideKeyCreation },
  revokeKey: { needs: needsOfKey, decide: decideRevocation },
  changeKey: { needs: needsOfKey, decide: decideKeyChange },
  rotateKey: { needs: needsOfNewSecret, decide: decideRotation },
  grant: { needs: needsOfGrant, decide: decideGrant },
  clawback: { needs: needsOfClawback, decide: decideClawback },
  keyStatus: { needs: needsOfKeyStatus, decide: decideKeyStatus },
  debit: { needs: needsOfDebit, decide: decideDebit },
  reverse: { needs: needsOfReversal, decide: decideReversal },
  recordDue: { needs: needsOfDue, decide: decideDue },
  hold: { needs: needsOfHold, decide: decideHold },
  settle: { needs: needsOfSettlement, decide: decideSettlement },
  release: { needs: needsOfEnd, decide: decideRelease },
  renew: { needs: () => ({ hold: true }), decide: decideRenewal },
  lapse: { needs: needsOfEnd, decide: decideLapse },
};

export const isRuleName = (name: string): name is RuleName => Object.hasOwn(RULES, name);
