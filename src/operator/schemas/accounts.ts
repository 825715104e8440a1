import * as z from "zod";
import { EVENT_KINDS } from "#accounts/activity-log.ts";
import { keyLimitsForm } from "#accounts/key-limits.ts";
import { STARTER_OUTCOMES } from "#accounts/starter-claim.ts";
import { ENTRY_KINDS } from "#ledger/entries.ts";
import { GRANT_KINDS } from "#ledger/port.ts";
import { account, count, credits, cursor, email, keyId, pageMax, time } from "./members.ts";

/** Inputs and outputs of operations on accounts, keys and credits. */

const label = z.string().max(1_000);
const grantId = z.string().regex(/^operator:[\x21-\x7e]{1,100}$/);

const address = z.object({ email: z.string(), account: z.string(), createdAt: time });
const budget = count.nullable();
const limits = z
  .object({
    expiresAt: time.nullable(),
    tools: z.array(z.string()).readonly().nullable(),
    budgets: z.object({ total: budget, month: budget, day: budget }),
    networks: z.array(z.string()).readonly().nullable(),
    rate: z.int().nullable(),
  })
  .nullable();
const key = z.object({
  id: z.string(),
  account: z.string(),
  sha256: z.string(),
  start: z.string(),
  label: z.string(),
  createdAt: time,
  lastUsedAt: time.nullable(),
  revokedAt: time.nullable(),
  previous: z.object({ sha256: z.string(), until: time }).nullable(),
  limits,
  spent: z.object({ since: time, on: time, day: count, month: count, total: count }).nullable(),
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
  lowBalance: count,
});
const found = z.object({ found: z.boolean() });
/** Who gets an email about the change, and why it could not be queued. Null if nobody has signed up for the account. */
const notified = z.object({ email: z.string(), error: z.string().nullable() }).nullable();

const text = z.string().nullable();
/** What is stored about the owner of an account. */
const user = z.object({
  id: z.string(),
  email: z.string(),
  createdAt: time,
  account: z.string(),
  logins: z.array(z.object({ provider: z.string(), accountId: z.string(), createdAt: time })),
  sessions: z.array(
    z.object({
      id: z.string(),
      createdAt: time,
      lastSeenAt: time,
      expiresAt: time,
      address: text,
      userAgent: text,
    }),
  ),
  passkeys: z.array(
    z.object({ name: text, createdAt: time.nullable(), lastUsedAt: time.nullable() }),
  ),
  demandsPasskey: z.boolean(),
  emailChoices: z.object({ low: z.boolean(), expiring: z.boolean() }),
  endpoints: z.array(
    z.object({
      id: z.string(),
      url: z.string(),
      kinds: z.array(z.string()),
      createdAt: time,
      pausedAt: time.nullable(),
    }),
  ),
  emailsWaiting: z.array(z.object({ kind: z.string(), createdAt: time })),
});
const event = z.object({
  id: z.string(),
  at: time,
  kind: z.enum(EVENT_KINDS),
  detail: text,
  address: text,
  browser: text,
  times: count,
});
const ms = z.number().min(0).nullable();
const request = z.object({
  id: z.string(),
  at: time,
  tool: z.string(),
  status: z.int(),
  code: text,
  key: z.string(),
  via: z.enum(["http", "mcp"]),
  charged: count.nullable(),
  replayed: z.boolean(),
  times: z.object({ total: z.number(), body: ms, tool: ms, ledger: ms }),
  bytes: z.object({ received: count.nullable(), sent: count.nullable() }),
  address: text,
});
const partOfEntry = z.object({ id: z.string(), kind: z.enum(GRANT_KINDS) });
const entry = z.object({
  id: z.string(),
  at: time,
  kind: z.enum(ENTRY_KINDS),
  credits: z.int(),
  grant: partOfEntry.nullable(),
  parts: z.array(z.object({ grant: partOfEntry, credits: z.int() })).nullable(),
  tool: text,
  key: text,
  calls: count.nullable(),
});

export const ACCOUNT_SCHEMAS = {
  findAddress: {
    input: z.strictObject({ email }),
    output: address.nullable(),
  },
  listAddresses: {
    input: z.strictObject({ after: cursor, max: pageMax }),
    output: z.array(address),
  },
  findAccount: {
    input: z.strictObject({ account, now: time }),
    output: status.nullable(),
  },
  listKeys: {
    input: z.strictObject({ account }),
    output: z.array(key),
  },
  credits: {
    input: z.strictObject({
      account,
      now: time,
      after: cursor.optional(),
      max: count.optional(),
    }),
    output: z.object({
      balance: z.int(),
      lifetime: z.boolean(),
      nextExpiry: z.object({ credits: count, at: time }).nullable(),
      permanent: count.nullable(),
      hasGrants: z.boolean(),
      grants: z.array(grant),
      next: z.string().nullable(),
    }),
  },
  findOwner: {
    input: z.strictObject({ account }),
    output: z.object({
      /** Null if the account is closed or does not exist. */
      email: text,
      starter: z.object({ at: time, outcome: z.enum(STARTER_OUTCOMES) }).nullable(),
      /** Null if nobody has signed up for the account. */
      owner: z
        .object({
          createdAt: time,
          logins: z.array(z.string()),
          passkeys: count,
          demandsPasskey: z.boolean(),
          sessions: count,
          /** The newest, with failed ones. */
          signIns: z.array(event),
        })
        .nullable(),
    }),
  },
  exportOwner: {
    input: z.strictObject({ account, now: time }),
    output: user.nullable(),
  },
  listActivity: {
    input: z.strictObject({ user: z.string().max(100), after: cursor, max: pageMax }),
    output: z.object({ events: z.array(event), next: text }),
  },
  listRequests: {
    input: z.strictObject({ account, before: cursor, max: pageMax }),
    output: z.object({ rows: z.array(request), next: text }),
  },
  listEntries: {
    input: z.strictObject({
      account,
      after: z.string().max(2_000).nullable(),
      max: pageMax,
      now: time,
    }),
    output: z.object({ entries: z.array(entry), next: text }),
  },
  openAccount: {
    input: z.strictObject({
      account,
      email,
      now: time,
      credits: z.strictObject({ grant: grantId, amount: credits }).nullable(),
    }),
    output: z.object({ account: z.string(), email: z.string() }),
  },
  suspendAccount: {
    input: z.strictObject({ account, now: time }),
    output: found,
  },
  resumeAccount: {
    input: z.strictObject({ account, now: time }),
    output: found,
  },
  closeAccount: {
    input: z.strictObject({ account, email, now: time }),
    output: z.object({ account: z.string(), forfeited: count, notified }),
  },
  resetPasskeys: {
    input: z.strictObject({ account, now: time }),
    output: z.object({ found: z.boolean(), passkeys: count, notified }),
  },
  setEmail: {
    input: z.strictObject({ account, from: email, to: email, now: time }),
    output: z.object({
      /** `taken`: another account has the address. */
      outcome: z.enum(["changed", "taken", "unchanged", "no_account"]),
      notified,
    }),
  },
  createKey: {
    input: z.strictObject({
      account,
      id: keyId,
      label,
      limits: keyLimitsForm.nullable().optional(),
      now: time,
    }),
    output: z.object({ id: z.string(), key: z.string(), notified }),
  },
  revokeKey: {
    input: z.strictObject({ account, id: keyId, now: time }),
    output: z.object({ found: z.boolean(), revokedAt: time.nullable(), notified }),
  },
  limitKey: {
    input: z.strictObject({ account, id: keyId, limits: keyLimitsForm.nullable(), now: time }),
    output: z.object({ found: z.boolean(), limits, notified }),
  },
  rotateKey: {
    input: z.strictObject({ account, id: keyId, previousUntil: time, now: time }),
    output: z.object({ id: z.string(), key: z.string(), previousUntil: time, notified }),
  },
  relabelKey: {
    input: z.strictObject({ account, id: keyId, label }),
    output: found,
  },
  grant: {
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
  },
  clawback: {
    input: z.strictObject({ account, grant: z.string().min(1).max(200), credits, now: time }),
    output: z.object({
      /** `stale`: more is clawed back already. `bought`: the grant belongs to a purchase. */
      outcome: z.enum(["clawed_back", "stale", "no_grant", "bought"]),
      grant: grant.nullable(),
      /** Of the whole grant, for any reason. */
      clawedBack: count,
      spent: count,
    }),
  },
};
