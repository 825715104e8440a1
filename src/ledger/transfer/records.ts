import * as z from "zod";
import { LEVELS } from "../events.ts";
import { GRANT_KINDS } from "../port.ts";
import { purchaseRecord } from "./purchase-record.ts";

/**
 * What a ledger holds, as records that name accounts, keys and grants by their ids; times are milliseconds since 1970 UTC.
 * `lines.ts` makes lines of JSON of them.
 */
const name = z.string().min(1);
const time = z.int().min(0);
const count = z.int().min(0);
/** Lines that were written before the member came are good lines. */
const sinceLater = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

/** What each grant paid, in burn order, where several did; else null. */
const parts = z
  .array(z.strictObject({ id: name, kind: z.enum(GRANT_KINDS), credits: z.int().min(1) }))
  .min(2)
  .nullable();
type Paid = { credits: number; grant: string | null; parts: z.infer<typeof parts> };
const addsUp = ({ credits, grant, parts }: Paid) =>
  parts === null ||
  (parts[0]?.id === grant && parts.reduce((sum, part) => sum + part.credits, 0) === credits);
const ADDS_UP = "the parts add up to the credits, and the first one names the grant";

export const transferRecord = z.discriminatedUnion("record", [
  z.strictObject({
    record: z.literal("account"),
    id: name,
    createdAt: time,
    state: z.enum(["open", "suspended", "closed"]),
    freeCall: z.enum(["open", "used", "withheld"]),
    lowBalance: sinceLater(count),
    /** Null where it was not noted: what is so when the lines are taken in is told nobody. */
    notifiedLevel: sinceLater(z.enum(LEVELS)),
  }),
  z.strictObject({ record: z.literal("address"), email: name, account: name, createdAt: time }),
  z.strictObject({ record: z.literal("closedAddress"), emailHash: name, closedAt: time }),
  z.strictObject({
    record: z.literal("key"),
    id: name,
    account: name,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    start: z.string(),
    label: z.string(),
    createdAt: time,
    lastUsedAt: time.nullable(),
    revokedAt: time.nullable(),
  }),
  z.strictObject({
    record: z.literal("grant"),
    account: name,
    id: name,
    kind: z.enum(GRANT_KINDS),
    amount: z.int().min(1),
    remaining: count,
    voided: count,
    /** Null where nothing was voided. */
    voidedAt: sinceLater(time),
    grantedAt: time,
    expiresAt: time.nullable(),
    waivedExpiresAt: sinceLater(time),
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
      /** The grant that paid, or the first of several; null where nothing was taken. */
      grant: name.nullable(),
      parts,
      reversedAt: time.nullable(),
    })
    .refine(addsUp, ADDS_UP),
  /** Calls of one UTC hour that are no longer kept one by one. */
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
      /** Whether the debit is among the debits still, or was rolled up. */
      debitKept: z.boolean(),
      /** Of the debit. Null where nothing was taken, and each in older lines. */
      grant: sinceLater(name),
      parts,
      key: sinceLater(name),
      tool: sinceLater(name),
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

export type TransferRecord = z.infer<typeof transferRecord>;
export type RecordKind = TransferRecord["record"];
export type RecordOf<Kind extends RecordKind> = Extract<TransferRecord, { record: Kind }>;
export type RecordCounts = Partial<Record<RecordKind, number>>;

/** What is wrong with the lines, in one sentence that names the line. */
export class TransferError extends Error {}

/** Why a store does not take a good record: what it says does not go with the lines before it. */
const STORE_FAULTS = {
  again: "says again what an earlier line has said",
  unknown: "names an account or a key that no earlier line has",
  contradiction: "contradicts itself, or names a grant that no earlier line has",
  character: "holds the character U+0000, which this database does not take",
};

export const storeFault = (fault: keyof typeof STORE_FAULTS, line: number, kind: RecordKind) =>
  new TransferError(`Line ${line} (${kind}) ${STORE_FAULTS[fault]}`);

export const totalsFault = (faults: readonly string[]) =>
  new TransferError(`The books in these lines do not reconcile: ${faults.slice(0, 3).join("; ")}`);
