import * as z from "zod";
import { purchaseRecord } from "./purchase-record.ts";
import { transferRecord } from "./records.ts";

/**
 * Lines of earlier versions, said as they are said today; what they lack gets the value that it had then. The records
 * themselves (`records.ts`) know one form alone.
 */
function renewRecord(value: unknown): unknown {
  const line = asLine.safeParse(value).data;
  return line === undefined ? value : (RENEWALS[line.record]?.(line) ?? line);
}

const asLine = z.looseObject({ record: z.string() });
type Line = z.infer<typeof asLine>;

/** A record as any version wrote it. */
export const givenRecord = z.preprocess(renewRecord, transferRecord);
export const givenPurchase = z.preprocess(renewRecord, purchaseRecord);

const RENEWALS: Record<string, (line: Line) => Line> = {
  account: ({ toldLevel, ...line }) =>
    toldLevel === undefined ? line : { ...line, notifiedLevel: toldLevel },
  idempotency: ({ answerSha256, ...line }) =>
    answerSha256 === undefined ? line : { ...line, responseSha256: answerSha256 },
  /** Credits that were paid back were `withdrawn`, a figure that could only rise and had no version. */
  grant({ withdrawn, ...line }) {
    if ("clawback" in line) return withdrawn === undefined ? line : { ...line, withdrawn };
    return { ...line, clawback: withdrawn ?? 0, clawbackVersion: 0 };
  },
  /** A call cost one credit, from one grant; the free first call alone cost none. */
  debit: (line) => ({ isFree: line["credits"] === 0, parts: null, ...line }),
  usage: (line) => ({
    freeCalls: Number(line["calls"]) - Number(line["credits"]),
    ...line,
  }),
  reversal: (line) => ({ parts: null, ...line }),
  /** What was due again of a grant that was withdrawn whole was a second grant: that is the one to settle from then on. */
  purchase: ({ restoredGrant, ...line }) =>
    restoredGrant == null ? line : { ...line, grant: restoredGrant },
};
