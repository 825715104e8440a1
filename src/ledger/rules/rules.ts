import type { LedgerOperations } from "../port.ts";
import {
  type DueOrder,
  decideAccountChange,
  decideDue,
  decideOpening,
  loadsOfAccountChange,
  loadsOfDue,
} from "./accounts.ts";
import { decideDebit, decideKeyStatus, loadsOfDebit, loadsOfKeyStatus } from "./debit.ts";
import { decideClawback, decideGrant, loadsOfClawback, loadsOfGrant } from "./grants.ts";
import {
  decideHold,
  decideLapse,
  decideRelease,
  decideRenewal,
  type LapseOrder,
  loadsOfEnd,
  loadsOfHold,
} from "./holds.ts";
import {
  decideKeyChange,
  decideKeyCreation,
  decideRevocation,
  decideRotation,
  loadsOfKey,
  loadsOfNewSecret,
} from "./keys.ts";
import { decideReversal, loadsOfReversal } from "./reverse.ts";
import type { Loads, Rows, Verdict } from "./rows.ts";
import { decideSettlement, loadsOfSettlement } from "./settle.ts";

/**
 * The rule of every operation that concerns one account: which rows a store loads for it, and how it is decided. Rules are
 * pure and synchronous: the same rows and the same order give the same outcome and the same changes. For an invalid order they
 * throw `OrderRejected`, and nothing else.
 *
 * In one transaction, a store loads the rows, calls `decide` (again with more rows if it returns a `Need`), and saves the
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
  loads(order: Order): Loads;
  decide(rows: Rows, order: Order): Verdict<Outcome>;
};

const nothing = (): Loads => ({});

export const RULES: { [Name in RuleName]: Rule<RuleOrders[Name][0], RuleOrders[Name][1]> } = {
  openAccount: { loads: nothing, decide: decideOpening },
  changeAccount: { loads: loadsOfAccountChange, decide: decideAccountChange },
  createKey: { loads: loadsOfNewSecret, decide: decideKeyCreation },
  revokeKey: { loads: loadsOfKey, decide: decideRevocation },
  changeKey: { loads: loadsOfKey, decide: decideKeyChange },
  rotateKey: { loads: loadsOfNewSecret, decide: decideRotation },
  grant: { loads: loadsOfGrant, decide: decideGrant },
  clawback: { loads: loadsOfClawback, decide: decideClawback },
  keyStatus: { loads: loadsOfKeyStatus, decide: decideKeyStatus },
  debit: { loads: loadsOfDebit, decide: decideDebit },
  reverse: { loads: loadsOfReversal, decide: decideReversal },
  recordDue: { loads: loadsOfDue, decide: decideDue },
  hold: { loads: loadsOfHold, decide: decideHold },
  settle: { loads: loadsOfSettlement, decide: decideSettlement },
  release: { loads: loadsOfEnd, decide: decideRelease },
  renew: { loads: () => ({ hold: true }), decide: decideRenewal },
  lapse: { loads: loadsOfEnd, decide: decideLapse },
};

export const isRuleName = (name: string): name is RuleName => Object.hasOwn(RULES, name);
