import * as z from "zod";
import { parseNetwork } from "#networks.ts";
import { LEVELS } from "../events.ts";
import { GRANT_KINDS } from "../model.ts";
import { purchaseRecord, TIME } from "./purchase-record.ts";

/**
 * The contents of a ledger as records, for export and import. Records refer to accounts, keys and grants by their ids. Times
 * are milliseconds since 1970 UTC. `lines.ts` converts records to lines of JSON.
 */
const name = z.string().min(1);
const time = z.int(TIME).min(0, TIME);
const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** What each grant paid, in the order in which they are spent; null if fewer than two grants paid. */
const parts = z
  .array(z.strictObject({ id: name, kind: z.enum(GRANT_KINDS), credits: z.int().min(1) }))
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

export const transferRecord = z.discriminatedUnion("record", [
  z.strictObject({
    record: z.literal("account"),
    id: name,
    createdAt: time,
    state: z.enum(["open", "suspended", "closed"]),
    freeCall: z.enum(["open", "used", "withheld"]),
    lowBalance: count,
    notifiedLevel: z.enum(LEVELS),
  }),
  z.strictObject({ record: z.literal("address"), email: name, account: name, createdAt: time }),
  z.strictObject({ record: z.literal("closedAddress"), emailHash: name, closedAt: time }),
  z.strictObject({
    record: z.literal("starterClaim"),
    account: name,
    emailHash: name,
    at: time,
    outcome: z.enum(["granted", "address_used", "disposable", "network_full", "day_full"]),
  }),
  z
    .strictObject({
      record: z.literal("key"),
      id: name,
      account: name,
      sha256,
      start: z.string(),
      label: z.string(),
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
    ),
  z.strictObject({
    record: z.literal("grant"),
    account: name,
    id: name,
    kind: z.enum(GRANT_KINDS),
    amount: z.int().min(1),
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
      account: name,
      at: time,
      callId: name,
      key: name,
      tool: name,
      credits: count,
      /** The account's free first call. */
      isFree: z.boolean(),
      /** The grant that paid, or the first of several; null if nothing was taken. */
      grant: name.nullable(),
      parts,
      reversedAt: time.nullable(),
    })
    .refine(addsUp, ADDS_UP),
  /** The rolled-up calls of one UTC hour. */
  z.strictObject({
    record: z.literal("usage"),
    account: name,
    hour: time,
    key: name,
    tool: name,
    calls: count,
    /** How many of them were the account's free first call. */
    freeCalls: count,
    credits: count,
  }),
  z
    .strictObject({
      record: z.literal("reversal"),
      account: name,
      debitAt: time,
      callId: name,
      reversedAt: time,
      credits: count,
      /** False if the debit was rolled up. */
      debitKept: z.boolean(),
      /** As in the debit. */
      grant: name.nullable(),
      parts,
      key: name,
      tool: name,
    })
    .refine(addsUp, ADDS_UP),
  z.strictObject({
    record: z.literal("idempotency"),
    account: name,
    tool: name,
    key: name,
    at: time,
    callId: name,
    bodySha256: z.string(),
    responseSha256: z.string(),
    receivedAt: time,
    random: z.string().nullable(),
  }),
  z.strictObject({ record: z.literal("secret"), value: name }),
]);

export const RECORD_KINDS = transferRecord.options.map(({ shape }) => shape.record.value);

export type TransferRecord = z.infer<typeof transferRecord>;
export type RecordKind = TransferRecord["record"];
export type RecordOf<Kind extends RecordKind> = Extract<TransferRecord, { record: Kind }>;
export type RecordCounts = Partial<Record<RecordKind, number>>;

/** An export cannot be read or imported. The message names the line. */
export class TransferError extends Error {}
