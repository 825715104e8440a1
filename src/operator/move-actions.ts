import { AccountError, readEmail } from "#accounts/accounts.ts";
import type { Directory } from "#accounts/directory.ts";
import { isAccountId } from "#ids.ts";
import { ACCOUNT_RECORDS } from "#ledger/transfer/account-moves.ts";
import type { RecordOf, TransferRecord } from "#ledger/transfer/records.ts";
import type { OperatorContext } from "./context.ts";

export type AddressRecord =
  | RecordOf<"address">
  | RecordOf<"closedAddress">
  | RecordOf<"starterClaim">;

/** Returns what is wrong with an address record, without its value, or null if it is valid. */
export function faultOfAddress(record: AddressRecord): string | null {
  if (record.record !== "address")
    return /^[0-9a-f]{64}$/.test(record.emailHash)
      ? null
      : "emailHash is not the hash of an email address";
  if (!isAccountId(record.account)) return "account is not the id of an account";
  return isEmail(record.email) ? null : "email is not an email address in lowercase";
}

function isEmail(text: string): boolean {
  try {
    return readEmail(text) === text;
  } catch {
    return false;
  }
}

/** A cursor: the kind of record, and the last row of it that was read. */
type RecordCursor = {
  kind: (typeof ACCOUNT_RECORDS)[number];
  after: (string | number | null)[] | null;
};

/** Keeps a response well under a megabyte. */
const PAGE_RECORDS = 1_000;

/** Exports a page of an account's records of one or more kinds, so that a small account takes one page. */
export async function exportPage(
  { moves }: OperatorContext,
  order: { account: string; place: RecordCursor | null; snapshot: string | null; hold: boolean },
): Promise<{ records: TransferRecord[]; next: RecordCursor | null; state: string | null }> {
  const { account, place, snapshot, hold } = order;
  const records: TransferRecord[] = [];
  const states = new Set<string>();
  let next: RecordCursor | null = place ?? { kind: ACCOUNT_RECORDS[0], after: null };
  while (next !== null && records.length < PAGE_RECORDS) {
    const max = PAGE_RECORDS - records.length;
    const page = await moves.exportRecords({ account, ...next, max, snapshot, hold });
    if (page.state === null) return { records: [], next: null, state: null };
    records.push(...page.records);
    states.add(page.state);
    next = page.after === null ? kindAfter(next.kind) : { kind: next.kind, after: [...page.after] };
  }
  return { records, next, state: [...states].join(" ") };
}

function kindAfter(kind: RecordCursor["kind"]): RecordCursor | null {
  const next = ACCOUNT_RECORDS[ACCOUNT_RECORDS.indexOf(kind) + 1];
  return next === undefined ? null : { kind: next, after: null };
}

/** Imports a page of an account's records. `begin` marks the first page, `finish` the last one. */
export async function importPage(
  { index, moves }: OperatorContext,
  order: {
    account: string;
    createdAt: number;
    records: readonly TransferRecord[];
    begin: boolean;
    finish: boolean;
    now: number;
  },
): Promise<{ outcome: "taken" | "opened" | "opened_before" }> {
  const { account, createdAt, records, begin, finish, now } = order;
  if (begin) {
    // Comes first, so that the index lists every account.
    await index.record({ account, now: createdAt });
    const { outcome } = await moves.beginImport({ account });
    if (outcome === "finished_before") return { outcome: "opened_before" };
  }
  if (records.length > 0) {
    const { taken } = await moves.importRecords({ account, records });
    if (taken === 0) return { outcome: "opened_before" };
  }
  if (!finish) return { outcome: "taken" };
  const { ok, faults } = await moves.finishImport({ account, now });
  if (ok) return { outcome: "opened" };
  throw new AccountError(
    `The account was imported, but its records do not reconcile, so it accepts no calls: ${faults.slice(0, 3).join("; ")}.`,
  );
}

/** Registers addresses, and who had an account or starter credits before. `refused` lists those that belong to another account, or whose account has another address. */
export async function importAddresses(
  directory: Directory,
  records: readonly AddressRecord[],
): Promise<{ taken: number; refused: { account: string; by: string | null }[] }> {
  const refused: { account: string; by: string | null }[] = [];
  for (const record of records) {
    if (record.record === "closedAddress") {
      await directory.recordClosed({ emailHash: record.emailHash, now: record.closedAt });
      continue;
    }
    if (record.record === "starterClaim") {
      const { account, emailHash, at, outcome } = record;
      await directory.recordStarter({ account, emailHash, at, outcome });
      continue;
    }
    const { email, account, createdAt } = record;
    const { outcome } = await directory.register({ email, account, createdAt });
    if (outcome !== "taken") continue;
    const by = await directory.findByEmail({ email });
    refused.push({ account, by: by?.account ?? null });
  }
  return { taken: records.length - refused.length, refused };
}
