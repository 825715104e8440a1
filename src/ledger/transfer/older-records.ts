import * as z from "zod";
import { purchaseRecord } from "./purchase-record.ts";
import { transferRecord } from "./records.ts";

/**
 * Converts lines of earlier versions to today's format. Members that they lack get the value that applied then. So the schema
 * of the records (`records.ts`) knows only today's format.
 */
function renewRecord(value: unknown): unknown {
  const line = asLine.safeParse(value).data;
  if (line === undefined) return value;
  // Not by the name alone: "constructor" is a member of every object.
  return Object.hasOwn(RENEWALS, line.record) ? (RENEWALS[line.record]?.(line) ?? line) : line;
}

const asLine = z.looseObject({ record: z.string() });
type Line = z.infer<typeof asLine>;

/** The schema of a record that any version wrote. */
export const anyVersionRecord = z.preprocess(renewRecord, transferRecord);
export const anyVersionPurchase = z.preprocess(renewRecord, purchaseRecord);

const RENEWALS: Record<string, (line: Line) => Line> = {
  account: ({ toldLevel, ...line }) =>
    toldLevel === undefined ? line : { ...line, notifiedLevel: toldLevel },
  idempotency: ({ answerSha256, ...line }) =>
    answerSha256 === undefined ? line : { ...line, responseSha256: answerSha256 },
  /** A clawback was called `withdrawn`. It could only rise, and it had no version. */
  grant({ withdrawn, ...line }) {
    if ("clawback" in line) return withdrawn === undefined ? line : { ...line, withdrawn };
    return { ...line, clawback: withdrawn ?? 0, clawbackVersion: 0 };
  },
  /** Every call cost one credit and was paid by one grant; only the free first call cost nothing. */
  debit: (line) => ({ isFree: line["credits"] === 0, parts: null, ...line }),
  usage: (line) => ({
    freeCalls: Number(line["calls"]) - Number(line["credits"]),
    ...line,
  }),
  reversal: (line) => ({ parts: null, ...line }),
  /** Credits that became due again after a complete clawback were a second grant. That grant is the purchase's grant now. */
  purchase: ({ restoredGrant, ...line }) =>
    restoredGrant == null ? line : { ...line, grant: restoredGrant },
};
