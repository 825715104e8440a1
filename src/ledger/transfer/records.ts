import * as z from "zod";
import { accountOfKeyId, isAccountId } from "#ids.ts";
import {
  EMAIL_CHARS_MAX,
  GRANT_CREDITS_MAX,
  HOUR_MS,
  KEY_LABEL_CHARS_MAX,
  PRICE_CREDITS_MAX,
} from "#limits.ts";
import { parseNetwork } from "#networks.ts";
import { LEVELS } from "../events.ts";
import { GRANT_KINDS } from "../model.ts";

/**
 * The contents of a ledger as records, for export and import. Records refer to accounts, keys and grants by their ids. Times
 * are milliseconds since 1970 UTC. `lines.ts` converts records to lines of JSON. Someone may have edited the lines, or written them with
 * another program.
 */
const TIME = "must be a whole number of milliseconds since 1970 UTC";
/** The last millisecond of the year 9999. Dates of later times cannot be written in four digits, and some cannot be written at all. */
const TIME_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const ID_CHARS_MAX = 255;

/** A lone surrogate has no UTF-8 form. */
const hasControl = (text: string) => /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text);
const atMost = (chars: number) => `must have at most ${chars} characters`;

const text = z
  .string()
  .refine((value) => !hasControl(value), "must not have line breaks or other control characters");
const name = text.min(1);
const token = name.max(ID_CHARS_MAX, atMost(ID_CHARS_MAX));
const id = token.refine((value) => !/[/\\]/.test(value), "must be an id, not a path");
/** Operators choose some of them, such as `operator:invoice/2027/31`. */
const grantId = token;
const accountId = z.string().refine(isAccountId, "must be acc_ and 12 letters and digits");
const keyId = z
  .string()
  .refine((value) => accountOfKeyId(value) !== undefined, "must be the id of a key");
const email = z
  .string()
  .refine(
    (value) =>
      value.length <= EMAIL_CHARS_MAX &&
      /^[^\s@]+@[^\s@]+$/.test(value) &&
      !hasControl(value) &&
      value === value.toLowerCase(),
    "must be an email address in lowercase",
  );
const emailHash = z.string().regex(/^[0-9a-f]{64}$/, "must be the hash of an email address");
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const time = z
  .int(TIME)
  .min(0, TIME)
  .max(TIME_MAX, "must be a time in milliseconds since 1970 UTC, before the year 10000");
const count = z.int().min(0);
/** What each grant paid, in the order in which they are spent; null if fewer than two grants paid. */
const parts = z
  .array(z.strictObject({ id: grantId, kind: z.enum(GRANT_KINDS), credits: z.int().min(1) }))
  .min(2)
  .nullable();
type Paid = { credits: number; grant: string | null; parts: z.infer<typeof parts> };
const addsUp = ({ credits, grant, parts }: Paid) =>
  parts === null ||
  (parts[0]?.id === grant && parts.reduce((sum, part) => sum + part.credits, 0) === credits);
const ADDS_UP = "the parts must add up to the credits, and the first one must be of the grant";

/** As `KeyLimits`. */
const keyLimits = z.strictObject({
  expiresAt: time.nullable(),
  tools: z.array(name).min(1).nullable(),
  budgets: z.strictObject({
    total: count.nullable(),
    month: count.nullable(),
    day: count.nullable(),
  }),
  networks: z
    .array(z.string().refine((network) => parseNetwork(network) !== null, "must be a network"))
    .min(1)
    .nullable(),
  rate: z.int().min(1).nullable(),
});
/** As `KeySpent`. */
const keySpent = z.strictObject({ since: time, on: time, day: count, month: count, total: count });

/**
 * A purchase as a record: the offer, the state of its payment, and its grant. Money is in minor
 * units of the currency. Its account must exist, unless `trouble` is `no_account`.
 */
const purchaseRecord = z.strictObject({
  record: z.literal("purchase"),
  id,
  account: accountId,
  createdAt: time,
  offer: id,
  kind: z.enum(["pack", "lifetime"]),
  name,
  credits: z.int().min(1),
  months: z.int().min(1).nullable(),
  price: count,
  currency: name,
  session: id.nullable(),
  payment: id.nullable(),
  status: z.enum(["open", "pending", "paid", "failed", "expired"]),
  paidAt: time.nullable(),
  paid: count,
  refunded: count,
  refundedAt: time.nullable(),
  dispute: z.enum(["none", "open", "won", "lost"]),
  payUrl: name.nullable(),
  receiptUrl: name.nullable(),
  invoiceUrl: name.nullable(),
  grant: grantId.nullable(),
  voided: count,
  spent: count,
  trouble: z.enum(["account_closed", "no_account"]).nullable(),
  updatedAt: time,
});

export const transferRecord = z.discriminatedUnion("record", [
  z.strictObject({
    record: z.literal("account"),
    id: accountId,
    createdAt: time,
    state: z.enum(["open", "suspended", "closed"]),
    freeCall: z.enum(["open", "used", "withheld"]),
    lowBalance: count,
    notifiedLevel: z.enum(LEVELS),
    /** The prices by tool that the account has of its own; null without any. */
    prices: z.record(token, count.max(PRICE_CREDITS_MAX)).nullable(),
  }),
  z.strictObject({ record: z.literal("address"), email, account: accountId, createdAt: time }),
  z.strictObject({ record: z.literal("closedAddress"), emailHash, closedAt: time }),
  z.strictObject({
    record: z.literal("starterClaim"),
    account: accountId,
    emailHash,
    at: time,
    outcome: z.enum(["granted", "address_used", "disposable", "network_full", "day_full"]),
  }),
  z
    .strictObject({
      record: z.literal("key"),
      id: z.string(),
      account: accountId,
      sha256,
      start: id,
      label: text.max(KEY_LABEL_CHARS_MAX, atMost(KEY_LABEL_CHARS_MAX)),
      createdAt: time,
      lastUsedAt: time.nullable(),
      revokedAt: time.nullable(),
      previousSha256: sha256.nullable(),
      previousUntil: time.nullable(),
      limits: keyLimits.nullable(),
      budgetSpent: keySpent.nullable(),
    })
    .refine(
      ({ previousSha256, previousUntil }) => (previousSha256 === null) === (previousUntil === null),
      "the previous secret must have an end",
    )
    .refine(({ id, account }) => accountOfKeyId(id) === account, {
      ...{ path: ["id"], error: "must be the id of a key of the account" },
    }),
  z.strictObject({
    record: z.literal("grant"),
    account: accountId,
    id: grantId,
    kind: z.enum(GRANT_KINDS),
    amount: z.int().min(1).max(GRANT_CREDITS_MAX, `must be at most ${GRANT_CREDITS_MAX}`),
    remaining: count,
    voided: count,
    /** Null if nothing was voided. */
    voidedAt: time.nullable(),
    grantedAt: time,
    expiresAt: time.nullable(),
    waivedExpiresAt: time.nullable(),
    clawback: count,
    clawbackVersion: z.int(),
  }),
  purchaseRecord,
  z
    .strictObject({
      record: z.literal("debit"),
      account: accountId,
      at: time,
      callId: id,
      key: keyId,
      tool: id,
      credits: count,
      /** The account's free first call. */
      isFree: z.boolean(),
      /** The grant that paid, or the first of several; null if nothing was taken. */
      grant: grantId.nullable(),
      parts,
      reversedAt: time.nullable(),
    })
    .refine(addsUp, ADDS_UP),
  /** The rolled-up calls of one UTC hour. */
  z.strictObject({
    record: z.literal("usage"),
    account: accountId,
    hour: time.refine((value) => value % HOUR_MS === 0, "must be the start of an hour"),
    key: keyId,
    tool: id,
    calls: count,
    /** How many of them were the account's free first call. */
    freeCalls: count,
    credits: count,
  }),
  z
    .strictObject({
      record: z.literal("reversal"),
      account: accountId,
      debitAt: time,
      callId: id,
      reversedAt: time,
      credits: count,
      /** False if the debit was rolled up. */
      debitKept: z.boolean(),
      /** As in the debit. */
      grant: grantId.nullable(),
      parts,
      key: keyId,
      tool: id,
    })
    .refine(addsUp, ADDS_UP),
  z.strictObject({
    record: z.literal("idempotency"),
    account: accountId,
    tool: token,
    key: token,
    at: time,
    callId: token,
    bodySha256: text,
    responseSha256: text,
    receivedAt: time,
    random: text.nullable(),
  }),
  /** A call that may have changed the world: a repeat with its idempotency key must not run again, and gets no response. */
  z.strictObject({
    record: z.literal("actedCall"),
    account: accountId,
    tool: token,
    key: token,
    at: time,
    callId: token,
    bodySha256: text,
  }),
  z.strictObject({ record: z.literal("secret"), value: z.string().min(1) }),
]);

export const RECORD_KINDS = transferRecord.options.map(({ shape }) => shape.record.value);

export type TransferRecord = z.infer<typeof transferRecord>;
export type RecordKind = TransferRecord["record"];
export type RecordOf<Kind extends RecordKind> = Extract<TransferRecord, { record: Kind }>;
export type RecordCounts = Partial<Record<RecordKind, number>>;

/** An export cannot be read or imported. The message names the line. */
export class TransferError extends Error {}
