import * as z from "zod";
import { runSteps } from "#accounts/accounts.ts";
import { isStartUnder } from "#accounts/key-format.ts";
import { ACCOUNT_RECORDS } from "#ledger/transfer/account-moves.ts";
import { anyVersionRecord } from "#ledger/transfer/older-records.ts";
import { transferRecord } from "#ledger/transfer/records.ts";
import {
  account,
  changing,
  count,
  done,
  ofAccount,
  reading,
  time,
  unchanged,
} from "./define-operation.ts";
import { exportPage, faultOfAddress, importAddresses, importPage } from "./move-actions.ts";

/** Operations that export and import accounts, one at a time. */

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
const recordOf = <Kind extends "address" | "closedAddress">(kind: Kind) =>
  transferRecord.options.find((one) => one.shape.record.value === kind) as Extract<
    (typeof transferRecord.options)[number],
    { shape: { record: z.ZodLiteral<Kind> } }
  >;
const addressRecord = z
  .union([recordOf("address"), recordOf("closedAddress")])
  .refine((record) => faultOfAddress(record) === null, "not a valid address record");

export const MOVE_OPERATIONS = {
  /** Takes the first characters of each key and returns whether this service has the key's secret. */
  knowsKeys: reading({
    input: z.strictObject({ starts: z.array(z.string().max(100)).max(1_000) }),
    output: z.object({ known: z.array(z.boolean()) }),
    async run({ accountDeps }, { starts }) {
      const { secrets } = await accountDeps();
      return { known: starts.map((start) => isStartUnder(start, secrets)) };
    },
  }),
  openSnapshot: reading({
    input: z.strictObject({}),
    output: z.object({ snapshot }),
    run: ({ moves }) => moves.openSnapshot(),
  }),
  /** Returns a page of an account's records. See the port `AccountMoves` for `snapshot`, `hold` and `state`. */
  exportAccount: reading({
    input: z.strictObject({ account, place, snapshot, hold: z.boolean() }),
    output: z.object({
      records: z.array(transferRecord),
      next: place,
      state: z.string().nullable(),
    }),
    run: exportPage,
  }),
  /**
   * Imports a page of an account: `begin` marks the first page, `finish` the last one. The account accepts no calls until it is
   * finished. Fails if the totals do not reconcile.
   */
  importAccount: changing({
    input: z.strictObject({
      account,
      createdAt: time,
      begin: z.boolean(),
      finish: z.boolean(),
      now: time,
      records: z.array(anyVersionRecord).max(10_000),
    }),
    output: z.object({ outcome: z.enum(["taken", "opened", "opened_before"]) }),
    action: {
      ...ofAccount,
      isPart: ({ begin, finish }) => !begin && !finish,
      end: ({ outcome }) =>
        outcome === "opened_before"
          ? unchanged("opened before")
          : done(outcome === "taken" ? "import begun" : outcome),
    },
    run: (context, order) => runSteps(() => importPage(context, order)),
  }),
  /** `refused` lists accounts whose address belongs to another account here; `by` is null if they have another address. */
  importAddresses: changing({
    input: z.strictObject({ records: z.array(addressRecord).max(100) }),
    output: z.object({
      taken: count,
      refused: z.array(z.object({ account: z.string(), by: z.string().nullable() })),
    }),
    action: {
      subject: () => null,
      end: ({ taken, refused }) => done(`${taken} taken, ${refused.length} refused`),
    },
    run: ({ directory }, { records }) => runSteps(() => importAddresses(directory, records)),
  }),
};
