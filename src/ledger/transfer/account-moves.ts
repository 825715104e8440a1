import { NotCarriedOut, OrderRefused } from "../port.ts";
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
   * Pages with the same `state` say together what the books were at one moment. `snapshot`: that of `openSnapshot`, which
   * then is the state; where it is gone the state is null and the page is empty. Where an account is a database of its own
   * it has no snapshots: `hold` refuses its calls for some seconds, so that several pages belong together.
   */
  exportRecords: [
    { account: string; max: number; snapshot: string | null; hold: boolean } & RecordPlace,
    { records: TransferRecord[]; after: RecordPlace["after"]; state: string | null },
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
} & {
  /** A snapshot of all accounts, until no page of it is asked for any more; null where each account has its own database. */
  openSnapshot(): Promise<{ snapshot: string | null }>;
};

/** Refuses records that are of no account, or of another one than `account`. */
export function requireOwnRecords(account: string, records: readonly TransferRecord[]): void {
  for (const [index, record] of records.entries()) {
    requireAccountRecord(record.record);
    const owner = record.record === "account" ? record.id : (record as { account: string }).account;
    if (owner === account) continue;
    throw new OrderRefused(`${describeRecord(index, record)} does not belong to ${account}`);
  }
}

export function requireAccountRecord(kind: RecordKind): void {
  if ((ACCOUNT_RECORDS as readonly string[]).includes(kind)) return;
  throw new OrderRefused(`An account has no records of the kind "${String(kind).slice(0, 40)}"`);
}

export const describeRecord = (index: number, { record }: TransferRecord) =>
  `Record ${index + 1} (${record})`;
