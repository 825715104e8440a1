import { OrderRejected } from "../outcome-errors.ts";
import type { RecordKind, TransferRecord } from "./records.ts";

/** The kinds of records that belong to one account. A kind comes after the kinds that its records refer to. */
export const ACCOUNT_RECORDS = [
  "account",
  "key",
  "grant",
  "debit",
  "usage",
  "reversal",
  "idempotency",
  "actedCall",
] as const satisfies RecordKind[];

/** A position in the records of an account: a kind, and the row of it after which the page starts. */
export type RecordCursor = {
  kind: (typeof ACCOUNT_RECORDS)[number];
  after: readonly (string | number | null)[] | null;
};

/**
 * Importing single accounts, page by page. No other operation sees an account before its import is finished, which requires that its
 * totals reconcile. Every operation may be repeated.
 */
export type ImportOperations = {
  /**
   * Starts an import. Deletes what an unfinished import left behind. `exists`: the ledger has the account, which was not imported;
   * nothing was started.
   */
  beginImport: [{ account: string }, { outcome: "begun" | "finished_before" | "exists" }];
  /**
   * Imports all of the records or none. Records that are already there are left unchanged. `taken`: the number of records; 0 if the
   * import was finished before, as when the last page is sent again because its response was lost.
   */
  importRecords: [{ account: string; records: readonly TransferRecord[] }, { taken: number }];
  /** Adds the account to the ledger if its totals reconcile. */
  finishImport: [{ account: string; now: number }, { ok: boolean; faults: string[] }];
};

/** The port of the import of accounts. */
export type AccountImports = {
  [Name in keyof ImportOperations]: (
    order: ImportOperations[Name][0],
  ) => Promise<ImportOperations[Name][1]>;
};

/** Creates the port of imports that submits every operation through one function. */
export const importsOver = (
  submit: <Name extends keyof ImportOperations>(
    name: Name,
    order: ImportOperations[Name][0],
  ) => Promise<ImportOperations[Name][1]>,
): AccountImports => ({
  beginImport: (order) => submit("beginImport", order),
  importRecords: (order) => submit("importRecords", order),
  finishImport: (order) => submit("finishImport", order),
});

/** What an account with a database of its own does besides. */
export type MoveOperations = ImportOperations & {
  /**
   * Returns a page of records. Pages with the same `state` show the account at the same moment. `hold` rejects the account's calls for
   * some seconds, so that several pages have the same state.
   */
  exportRecords: [
    { account: string; max: number; hold: boolean } & RecordCursor,
    { records: TransferRecord[]; after: RecordCursor["after"]; state: string },
  ];
};

/** Throws `OrderRejected` if a record does not belong to the account. */
export function requireOwnRecords(account: string, records: readonly TransferRecord[]): void {
  for (const [index, record] of records.entries()) {
    requireAccountRecord(record.record);
    const owner = record.record === "account" ? record.id : (record as { account: string }).account;
    if (owner === account) continue;
    throw new OrderRejected(
      `${describeRecord(index, record)} does not belong to the account ${account}`,
    );
  }
}

export function requireAccountRecord(kind: RecordKind): void {
  if ((ACCOUNT_RECORDS as readonly string[]).includes(kind)) return;
  throw new OrderRejected(
    `Records of kind "${String(kind).slice(0, 40)}" do not belong to an account`,
  );
}

const describeRecord = (index: number, { record }: TransferRecord) =>
  `Record ${index + 1} (${record})`;
