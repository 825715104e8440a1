import * as z from "zod";
import { ACCOUNT_RECORDS } from "#ledger/transfer/account-moves.ts";
import { transferRecord } from "#ledger/transfer/records.ts";
import { faultOfAddress } from "../move-actions.ts";
import { account, count, time } from "./members.ts";

/** Inputs and outputs of operations that export and import accounts. */

const place = z
  .strictObject({
    kind: z.enum(ACCOUNT_RECORDS),
    after: z
      .array(z.union([z.string().max(1_000), z.number(), z.null()]))
      .max(8)
      .nullable(),
  })
  .nullable();
const snapshot = z.string().max(100).nullable();
const recordOf = <Kind extends "address" | "closedAddress" | "starterClaim">(kind: Kind) =>
  transferRecord.options.find((one) => one.shape.record.value === kind) as Extract<
    (typeof transferRecord.options)[number],
    { shape: { record: z.ZodLiteral<Kind> } }
  >;
const addressRecord = z
  .union([recordOf("address"), recordOf("closedAddress"), recordOf("starterClaim")])
  .refine((record) => faultOfAddress(record) === null, "not a valid address record");

export const MOVE_SCHEMAS = {
  knowsKeys: {
    input: z.strictObject({ starts: z.array(z.string().max(100)).max(1_000) }),
    output: z.object({ known: z.array(z.boolean()) }),
  },
  openSnapshot: {
    input: z.strictObject({}),
    output: z.object({ snapshot }),
  },
  exportAccount: {
    input: z.strictObject({ account, place, snapshot, hold: z.boolean() }),
    output: z.object({
      records: z.array(transferRecord),
      next: place,
      state: z.string().nullable(),
    }),
  },
  importAccount: {
    input: z.strictObject({
      account,
      createdAt: time,
      begin: z.boolean(),
      finish: z.boolean(),
      now: time,
      records: z.array(transferRecord).max(10_000),
    }),
    output: z.object({ outcome: z.enum(["taken", "opened", "opened_before"]) }),
  },
  importAddresses: {
    input: z.strictObject({ records: z.array(addressRecord).max(100) }),
    output: z.object({
      taken: count,
      refused: z.array(z.object({ account: z.string(), by: z.string().nullable() })),
    }),
  },
};
