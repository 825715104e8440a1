import {
  closeForOperator,
  createKeyForOperator,
  openForOperator,
  revokeKeyForOperator,
} from "./account-acts.ts";
import { done, type OperationsOf, ofAccount, ofKey, unchanged } from "./define-operation.ts";
import type { ACCOUNT_SCHEMAS } from "./schemas/accounts.ts";

/** Operations on accounts, keys and credits. */

export const ACCOUNT_OPERATIONS: OperationsOf<typeof ACCOUNT_SCHEMAS> = {
  findAddress: {
    act: null,
    run: ({ directory }, order) => directory.findByEmail(order),
  },
  listAddresses: {
    act: null,
    run: ({ directory }, order) => directory.listAddresses(order),
  },
  findAccount: {
    act: null,
    run: ({ ledger }, order) => ledger.findAccount(order),
  },
  listKeys: {
    act: null,
    run: ({ ledger }, order) => ledger.listKeys(order),
  },
  credits: {
    act: null,
    run: ({ ledger }, order) => ledger.credits(order),
  },
  openAccount: {
    act: { ...ofAccount, end: (_, { credits }) => done(`${credits?.amount ?? 0} credits`) },
    run: openForOperator,
  },
  suspendAccount: {
    act: ofAccount,
    run: ({ ledger }, order) => ledger.suspendAccount(order),
  },
  resumeAccount: {
    act: ofAccount,
    run: ({ ledger }, order) => ledger.resumeAccount(order),
  },
  closeAccount: {
    act: { ...ofAccount, end: ({ forfeited }) => done(`${forfeited} credits forfeited`) },
    run: closeForOperator,
  },
  createKey: {
    act: ofKey,
    run: createKeyForOperator,
  },
  revokeKey: {
    act: ofKey,
    run: revokeKeyForOperator,
  },
  relabelKey: {
    act: ofKey,
    run: ({ ledger }, order) => ledger.relabelKey(order),
  },
  grant: {
    act: {
      ...ofAccount,
      end({ outcome }, { amount, id }) {
        if (outcome === "granted") return done(`${amount} credits as ${id}`);
        return unchanged(outcome === "no_account" ? "no account" : `${id} was granted before`);
      },
    },
    run: ({ ledger }, order) => ledger.grant(order),
  },
};
