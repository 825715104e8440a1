import { NotCarriedOut } from "../port.ts";
import type { RecordKind, TransferRecord } from "./records.ts";

/** What belongs to one account, each kind after those whose records it names. */
export const ACCOUNT_RECORDS = [
  "account",
  "key",
  "grant",
  "debit",
  "usage",
  "reversal",
  "idempotency",
] as const satisfies RecordKind[];

/** A place in the records of an account: after which row of which kind. */
export type RecordPlace = {
  kind: (typeof ACCOUNT_RECORDS)[number];
  after: readonly (string | number | null)[] | null;
};

/** The account's import has not come to its end; nothing else is done to it before, however often it is asked. */
export class BeingMoved extends NotCarriedOut {}

/**
 * Accounts whose ledgers move, each for itself: their records read out page by page, or taken in. While they are taken in
 * the account is not open for anything else, and it opens only when its books reconcile. All of it may be sent again.
 */
export type MoveOperations = {
  /**
   * `hold`: calls are refused for some seconds, so that what several pages say belongs together. Pages with the same
   * `state` say together what the books were at one moment.
   */
  exportRecords: [
    { account: string; max: number; hold: boolean } & RecordPlace,
    { records: TransferRecord[]; after: RecordPlace["after"]; state: string },
  ];
  /** What an import that did not come to its end has left goes away. */
  beginImport: [{ account: string }, { outcome: "begun" | "finished_before" }];
  /** All of the records or none; those that are there already are left as they are. */
  importRecords: [{ account: string; records: readonly TransferRecord[] }, { taken: number }];
  /** The account's books; where they reconcile, the account is open. */
  finishImport: [{ account: string; now: number }, { ok: boolean; faults: string[] }];
};

/** The port to them. */
export type AccountMoves = {
  [Name in keyof MoveOperations]: (
    order: MoveOperations[Name][0],
  ) => Promise<MoveOperations[Name][1]>;
};
