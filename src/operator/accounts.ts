import { requestsPage } from "#accounts/request-log.ts";
import {
  clawBackForOperator,
  closeForOperator,
  createKeyForOperator,
  exportForOperator,
  findOwnerForOperator,
  limitKeyForOperator,
  openForOperator,
  resetPasskeysForOperator,
  revokeKeyForOperator,
  rotateKeyForOperator,
  setEmailForOperator,
} from "./account-actions.ts";
import { done, type OperationsOf, ofAccount, ofKey, unchanged } from "./define-operation.ts";
import type { ACCOUNT_SCHEMAS } from "./schemas/accounts.ts";

/** Operations on accounts, keys and credits. */

export const ACCOUNT_OPERATIONS: OperationsOf<typeof ACCOUNT_SCHEMAS> = {
  findAddress: {
    action: null,
    run: ({ directory }, order) => directory.findByEmail(order),
  },
  listAddresses: {
    action: null,
    run: ({ directory }, order) => directory.listAddresses(order),
  },
  findAccount: {
    action: null,
    run: ({ ledger }, order) => ledger.findAccount(order),
  },
  listKeys: {
    action: null,
    run: ({ ledger }, order) => ledger.listKeys(order),
  },
  credits: {
    action: null,
    run: ({ ledger }, order) => ledger.credits(order),
  },
  findOwner: {
    action: null,
    run: findOwnerForOperator,
  },
  /** Reads what is stored about an account's owner. The owner sees in the activity list that the operator did. */
  exportOwner: {
    action: { ...ofAccount, end: (user) => (user === null ? unchanged("no owner") : done()) },
    run: exportForOperator,
  },
  listActivity: {
    action: null,
    run: ({ notify }, order) => notify.activityLog.listEvents(order),
  },
  listRequests: {
    action: null,
    run: ({ requests }, { account, before, max }) => requestsPage(requests, account, before, max),
  },
  listEntries: {
    action: null,
    run: ({ ledger }, order) => ledger.entries(order),
  },
  openAccount: {
    action: { ...ofAccount, end: (_, { credits }) => done(`${credits?.amount ?? 0} credits`) },
    run: openForOperator,
  },
  suspendAccount: {
    action: ofAccount,
    run: ({ ledger }, order) => ledger.suspendAccount(order),
  },
  resumeAccount: {
    action: ofAccount,
    run: ({ ledger }, order) => ledger.resumeAccount(order),
  },
  closeAccount: {
    action: { ...ofAccount, end: ({ forfeited }) => done(`${forfeited} credits forfeited`) },
    run: closeForOperator,
  },
  resetPasskeys: {
    action: {
      ...ofAccount,
      end: ({ found, passkeys }) =>
        found
          ? done(`${passkeys} ${passkeys === 1 ? "passkey" : "passkeys"} removed`)
          : unchanged("nobody has signed up"),
    },
    run: resetPasskeysForOperator,
  },
  setEmail: {
    action: {
      ...ofAccount,
      end: ({ outcome }) =>
        outcome === "changed" ? done() : unchanged(outcome.replaceAll("_", " ")),
    },
    run: setEmailForOperator,
  },
  createKey: {
    action: ofKey,
    run: createKeyForOperator,
  },
  revokeKey: {
    action: ofKey,
    run: revokeKeyForOperator,
  },
  limitKey: {
    action: ofKey,
    run: limitKeyForOperator,
  },
  rotateKey: {
    action: {
      ...ofKey,
      end: (_, { previousUntil, now }) =>
        done(
          previousUntil > now
            ? `the old secret works until ${new Date(previousUntil).toISOString()}`
            : "the old secret stopped working",
        ),
    },
    run: rotateKeyForOperator,
  },
  relabelKey: {
    action: ofKey,
    run: ({ ledger }, order) => ledger.relabelKey(order),
  },
  grant: {
    action: {
      ...ofAccount,
      end({ outcome }, { amount, id }) {
        if (outcome === "granted") return done(`${amount} credits as ${id}`);
        return unchanged(outcome === "no_account" ? "no account" : `${id} was granted before`);
      },
    },
    run: ({ ledger }, order) => ledger.grant(order),
  },
  clawback: {
    action: {
      ...ofAccount,
      end: ({ outcome, clawedBack }, { grant }) =>
        outcome === "clawed_back"
          ? done(`${clawedBack} credits of ${grant} are clawed back`)
          : unchanged(`${grant}: ${outcome.replaceAll("_", " ")}`),
    },
    run: clawBackForOperator,
  },
};
