import * as z from "zod";
import { GRANT_KINDS } from "#ledger/port.ts";
import {
  closeForOperator,
  createKeyForOperator,
  openForOperator,
  revokeKeyForOperator,
} from "./account-actions.ts";
import {
  account,
  changing,
  count,
  credits,
  cursor,
  done,
  email,
  keyId,
  ofAccount,
  ofKey,
  pageMax,
  reading,
  time,
  unchanged,
} from "./define-operation.ts";

/** Operations on accounts, keys and credits. */

const label = z.string().max(1_000);
const grantId = z.string().regex(/^operator:[\x21-\x7e]{1,100}$/);

const address = z.object({ email: z.string(), account: z.string(), createdAt: time });
const key = z.object({
  id: z.string(),
  account: z.string(),
  sha256: z.string(),
  start: z.string(),
  label: z.string(),
  createdAt: time,
  lastUsedAt: time.nullable(),
  revokedAt: time.nullable(),
});
const grant = z.object({
  id: z.string(),
  kind: z.enum(GRANT_KINDS),
  amount: count,
  remaining: count,
  grantedAt: time,
  expiresAt: time.nullable(),
  waivedExpiresAt: time.nullable(),
});
const status = z.object({
  account: z.string(),
  state: z.enum(["open", "suspended", "closed"]),
  createdAt: time,
  freeCall: z.enum(["open", "used", "withheld"]),
  balance: z.int(),
  lifetime: z.boolean(),
});
const found = z.object({ found: z.boolean() });
/** Who gets an email about the change, and why it could not be queued. Null if nobody has signed up for the account. */
const notified = z.object({ email: z.string(), error: z.string().nullable() }).nullable();

export const ACCOUNT_OPERATIONS = {
  findAddress: reading({
    input: z.strictObject({ email }),
    output: address.nullable(),
    run: ({ directory }, order) => directory.findByEmail(order),
  }),
  listAddresses: reading({
    input: z.strictObject({ after: cursor, max: pageMax }),
    output: z.array(address),
    run: ({ directory }, order) => directory.listAddresses(order),
  }),
  findAccount: reading({
    input: z.strictObject({ account, now: time }),
    output: status.nullable(),
    run: ({ ledger }, order) => ledger.findAccount(order),
  }),
  listKeys: reading({
    input: z.strictObject({ account }),
    output: z.array(key),
    run: ({ ledger }, order) => ledger.listKeys(order),
  }),
  credits: reading({
    input: z.strictObject({ account, now: time }),
    output: z.object({ balance: z.int(), lifetime: z.boolean(), grants: z.array(grant) }),
    run: ({ ledger }, order) => ledger.credits(order),
  }),

  openAccount: changing({
    input: z.strictObject({
      account,
      email,
      now: time,
      credits: z.strictObject({ grant: grantId, amount: credits }).nullable(),
    }),
    output: z.object({ account: z.string(), email: z.string() }),
    action: { ...ofAccount, end: (_, { credits }) => done(`${credits?.amount ?? 0} credits`) },
    run: openForOperator,
  }),
  suspendAccount: changing({
    input: z.strictObject({ account, now: time }),
    output: found,
    action: ofAccount,
    run: ({ ledger }, order) => ledger.suspendAccount(order),
  }),
  resumeAccount: changing({
    input: z.strictObject({ account, now: time }),
    output: found,
    action: ofAccount,
    run: ({ ledger }, order) => ledger.resumeAccount(order),
  }),
  closeAccount: changing({
    input: z.strictObject({ account, email, now: time }),
    output: z.object({ account: z.string(), forfeited: count, notified }),
    action: { ...ofAccount, end: ({ forfeited }) => done(`${forfeited} credits forfeited`) },
    run: closeForOperator,
  }),
  createKey: changing({
    input: z.strictObject({ account, id: keyId, label, now: time }),
    output: z.object({ id: z.string(), key: z.string(), notified }),
    action: ofKey,
    run: createKeyForOperator,
  }),
  revokeKey: changing({
    input: z.strictObject({ account, id: keyId, now: time }),
    output: z.object({ found: z.boolean(), revokedAt: time.nullable(), notified }),
    action: ofKey,
    run: revokeKeyForOperator,
  }),
  relabelKey: changing({
    input: z.strictObject({ account, id: keyId, label }),
    output: found,
    action: ofKey,
    run: ({ ledger }, order) => ledger.relabelKey(order),
  }),
  grant: changing({
    input: z.strictObject({
      account,
      id: grantId,
      kind: z.literal("operator"),
      amount: credits,
      now: time,
      expiresAt: time.nullable(),
    }),
    output: z.discriminatedUnion("outcome", [
      z.object({ outcome: z.enum(["granted", "already_granted"]), grant }),
      z.object({ outcome: z.literal("no_account") }),
    ]),
    action: {
      ...ofAccount,
      end({ outcome }, { amount, id }) {
        if (outcome === "granted") return done(`${amount} credits as ${id}`);
        return unchanged(outcome === "no_account" ? "no account" : `${id} was granted before`);
      },
    },
    run: ({ ledger }, order) => ledger.grant(order),
  }),
};
