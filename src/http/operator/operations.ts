import * as z from "zod";
import { type AddressRecord, faultOfAddress } from "#accounts/deployment-desk.ts";
import { accountOfKeyId, isAccountId } from "#ids.ts";
import { ACCOUNT_RECORDS } from "#ledger/transfer/account-moves.ts";
import { givenPurchase, givenRecord } from "#ledger/transfer/older-records.ts";
import { transferRecord } from "#ledger/transfer/records.ts";
import { EMAIL_CHARS_MAX, GRANT_CREDITS_MAX } from "#limits.ts";
import type { OperationName, Operations } from "./operator-house.ts";

/** Every operation: what its order must be, and for an act what it is about and what its outcome is called. */
type Operation<Name extends OperationName> = {
  order: z.ZodType<Operations[Name][0]>;
  /** Null for what only reads: no line is kept of it. */
  act: {
    /** The id of an account or of a key, or the name of a purchase; never an address. */
    subject(order: Operations[Name][0]): string | null;
    /** A part in the middle of an act: where it was taken it leaves no line of its own. */
    isPart?(order: Operations[Name][0]): boolean;
    /** Where it says no, nothing was done, and no line is left. */
    hasChanged?(outcome: Operations[Name][1]): boolean;
    outcome?(order: Operations[Name][0], outcome: Operations[Name][1]): string;
  } | null;
};

const account = z.string().refine(isAccountId);
const keyId = z.string().refine((id) => accountOfKeyId(id) !== undefined);
const email = z
  .string()
  .min(1)
  .max(2 * EMAIL_CHARS_MAX);
const time = z.int().min(0);
const label = z.string().max(1_000);
const pageMax = z.int().min(1).max(1_000);
const cursor = z.string().max(EMAIL_CHARS_MAX).nullable();
const grantId = z.string().regex(/^operator:[\x21-\x7e]{1,100}$/);
const credits = z.int().min(1).max(GRANT_CREDITS_MAX);
const starts = z.array(z.string().max(100)).max(1_000);
const indexPlace = z.strictObject({ account, createdAt: time }).nullable();
const place = z
  .strictObject({
    kind: z.enum(ACCOUNT_RECORDS),
    after: z
      .array(z.union([z.string().max(1_000), z.number(), z.null()]))
      .max(8)
      .nullable(),
  })
  .nullable();
const addressRecord = z
  .union(
    transferRecord.options.filter((one) =>
      ["address", "closedAddress"].includes(one.shape.record.value),
    ) as z.ZodType<AddressRecord>[],
  )
  .refine((record) => faultOfAddress(record) === null, "no address of an account");

const purchasePlace = z.strictObject({ createdAt: time, id: z.string().max(100) }).nullable();
const name = z.string().min(1).max(200);
const settleRef = z.union([
  z.strictObject({ purchase: name }),
  z.strictObject({ session: name }),
  z.strictObject({ payment: name }),
]);

const read = { act: null };
const ofAccount = { subject: (order: { account: string }) => order.account };
const ofKey = { subject: (order: { id: string }) => order.id };

export const OPERATIONS: { [Name in OperationName]: Operation<Name> } = {
  findAddress: { ...read, order: z.strictObject({ email }) },
  listAddresses: { ...read, order: z.strictObject({ after: cursor, max: pageMax }) },
  findAccount: { ...read, order: z.strictObject({ account, now: time }) },
  listKeys: { ...read, order: z.strictObject({ account }) },
  credits: { ...read, order: z.strictObject({ account, now: time }) },
  listAccounts: { ...read, order: z.strictObject({ after: indexPlace, max: pageMax }) },
  audit: { ...read, order: z.strictObject({ account, now: time }) },
  usage: { ...read, order: z.strictObject({ account, from: time, to: time }) },
  listActs: { ...read, order: z.strictObject({ after: cursor, max: pageMax }) },
  listClosed: { ...read, order: z.strictObject({ after: cursor, max: pageMax }) },
  knowsKeys: { ...read, order: z.strictObject({ starts }) },
  exportAccount: { ...read, order: z.strictObject({ account, place, hold: z.boolean() }) },

  listPurchases: { ...read, order: z.strictObject({ account, after: cursor, max: pageMax }) },
  listAllPurchases: { ...read, order: z.strictObject({ after: purchasePlace, max: pageMax }) },
  revenue: { ...read, order: z.strictObject({ from: time, to: time }) },
  listPayments: {
    order: z.strictObject({ since: time, after: name.nullable() }),
    act: {
      subject: () => null,
      isPart: ({ after }) => after !== null,
      outcome: (_, { payments, next }) =>
        `${payments.length}${next === null ? "" : " and more"} payments to compare`,
    },
  },
  settlePurchase: {
    order: z.strictObject({ ref: settleRef }),
    act: {
      subject: ({ ref }) => Object.values(ref)[0] ?? null,
      hasChanged: (settled) => settled.outcome === "settled" && settled.changed,
      outcome: (_, settled) =>
        settled.outcome === "settled"
          ? `settled ${settled.purchase.id} of ${settled.purchase.account}, ${settled.purchase.status}`
          : settled.outcome,
    },
  },

  openAccount: {
    order: z.strictObject({
      ...{ account, email, now: time },
      credits: z.strictObject({ grant: grantId, amount: credits }).nullable(),
    }),
    act: {
      ...ofAccount,
      outcome: ({ credits }) => `opened, ${credits?.amount ?? 0} credits`,
    },
  },
  suspendAccount: { order: z.strictObject({ account, now: time }), act: ofAccount },
  resumeAccount: { order: z.strictObject({ account, now: time }), act: ofAccount },
  closeAccount: {
    order: z.strictObject({ account, email, now: time }),
    act: { ...ofAccount, outcome: (_, { forfeited }) => `closed, ${forfeited} credits forfeited` },
  },
  createKey: { order: z.strictObject({ account, id: keyId, label, now: time }), act: ofKey },
  revokeKey: { order: z.strictObject({ account, id: keyId, now: time }), act: ofKey },
  relabelKey: { order: z.strictObject({ account, id: keyId, label }), act: ofKey },
  grant: {
    order: z.strictObject({
      ...{ account, id: grantId, kind: z.literal("operator"), amount: credits, now: time },
      expiresAt: time.nullable(),
    }),
    act: {
      ...ofAccount,
      outcome: (order, made) => `${made.outcome} ${order.amount} as ${order.id}`,
    },
  },
  importAccount: {
    order: z.strictObject({
      ...{ account, createdAt: time, begin: z.boolean(), finish: z.boolean(), now: time },
      records: z.array(givenRecord).max(10_000),
    }),
    act: {
      ...ofAccount,
      isPart: ({ begin, finish }) => !begin && !finish,
      outcome: (_, { outcome }) => (outcome === "taken" ? "import begun" : outcome),
    },
  },
  importAddresses: {
    order: z.strictObject({ records: z.array(addressRecord).max(100) }),
    act: {
      subject: () => null,
      outcome: (_, { taken, refused }) => `${taken} taken, ${refused.length} refused`,
    },
  },
  importPurchases: {
    order: z.strictObject({ records: z.array(givenPurchase).max(100) }),
    act: { subject: () => null, outcome: (_, { added }) => `${added} added` },
  },
};

export const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);
