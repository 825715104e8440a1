import { isAccountId } from "#ids.ts";
import type { Audit, Ledger, UsageRow } from "#ledger/port.ts";
import {
  ACCOUNT_RECORDS,
  type AccountMoves,
  type RecordPlace,
} from "#ledger/transfer/account-moves.ts";
import type { RecordOf, TransferRecord } from "#ledger/transfer/records.ts";
import type { AccountIndex, IndexedAccount } from "./account-index.ts";
import { actInSteps } from "./act-in-steps.ts";
import type { Directory, DirectoryOperations } from "./directory.ts";
import { isStartUnder } from "./key-format.ts";
import type { OperatorActs } from "./operator-acts.ts";
import { DeskRefusal, readEmail } from "./people.ts";

/**
 * What operators ask of a deployed service beside what they do to single accounts: there each account's ledger is for
 * itself, so the whole is put together by who asks, account by account.
 */
export type DeploymentOperations = {
  listAccounts: [{ after: IndexedAccount | null; max: number }, IndexedAccount[]];
  /** Of one account; null where it is listed, but was never opened. */
  audit: [{ account: string; now: number }, Audit | null];
  usage: [{ account: string; from: number; to: number }, UsageRow[]];
  listActs: [Parameters<OperatorActs["list"]>[0], Awaited<ReturnType<OperatorActs["list"]>>];
  /** Whether keys that begin so were made under a secret that this service has. */
  knowsKeys: [{ starts: readonly string[] }, { known: boolean[] }];
  listClosed: DirectoryOperations["listClosed"];

  /** A page of an account's records; `state` and `hold` as in the port `AccountMoves`. */
  exportAccount: [
    { account: string; place: RecordPlace | null; hold: boolean },
    { records: TransferRecord[]; next: RecordPlace | null; state: string },
  ];
  /**
   * A page of an account that comes in: `begin` with the first, `finish` with the last one. Calls are refused until it is
   * finished; refused where the books do not reconcile.
   */
  importAccount: [
    {
      account: string;
      createdAt: number;
      records: readonly TransferRecord[];
      begin: boolean;
      finish: boolean;
      now: number;
    },
    { outcome: "taken" | "opened" | "opened_before" },
  ];
  /** Each for itself. `refused`: accounts whose address is not theirs there, and whose it is (null: they have another). */
  importAddresses: [
    { records: readonly AddressRecord[] },
    { taken: number; refused: { account: string; by: string | null }[] },
  ];
};

export type AddressRecord = RecordOf<"address"> | RecordOf<"closedAddress">;

/** What is wrong with the record of an address, without its value; null where it is as the directory keeps them. */
export function faultOfAddress(record: AddressRecord): string | null {
  if (record.record === "closedAddress")
    return /^[0-9a-f]{64}$/.test(record.emailHash) ? null : "emailHash is no hash of an address";
  if (!isAccountId(record.account)) return "account is no id of an account";
  return isEmail(record.email) ? null : "email is not an e-mail address in small letters";
}

function isEmail(text: string): boolean {
  try {
    return readEmail(text) === text;
  } catch {
    return false;
  }
}

export type DeploymentDesk = {
  [Name in keyof DeploymentOperations]: (
    order: DeploymentOperations[Name][0],
  ) => Promise<DeploymentOperations[Name][1]>;
};

export type DeploymentWiring = {
  ledger: Ledger;
  directory: Directory;
  index: AccountIndex;
  acts: Pick<OperatorActs, "list">;
  moves: AccountMoves;
  secrets: readonly string[];
};

export function createDeploymentDesk(wiring: DeploymentWiring): DeploymentDesk {
  const { ledger, directory, index, acts, moves, secrets } = wiring;
  return {
    listAccounts: index.list,
    listActs: acts.list,
    listClosed: directory.listClosed,
    usage: ledger.usage,
    async audit({ account, now }) {
      if ((await ledger.findAccount({ account, now })) === null) return null;
      // By the account the ledger finds its books, and they are all that is in them.
      return ledger.audit({ account, now });
    },
    knowsKeys: async ({ starts }) => ({
      known: starts.map((start) => isStartUnder(start, secrets)),
    }),
    exportAccount: (order) => exportPage(moves, order),
    importAccount: (order) => actInSteps(() => importPage(index, moves, order)),
    importAddresses: ({ records }) => actInSteps(() => importAddresses(directory, records)),
  };
}

/** An answer stays well under a megabyte. */
const PAGE_RECORDS = 1_000;

type Order<Name extends keyof DeploymentOperations> = DeploymentOperations[Name][0];
type Outcome<Name extends keyof DeploymentOperations> = Promise<DeploymentOperations[Name][1]>;

/** Goes on to the next kinds while there is room: a small account is one page. */
async function exportPage(
  { exportRecords }: AccountMoves,
  { account, place, hold }: Order<"exportAccount">,
): Outcome<"exportAccount"> {
  const records: TransferRecord[] = [];
  const states = new Set<string>();
  let next: RecordPlace | null = place ?? { kind: ACCOUNT_RECORDS[0], after: null };
  while (next !== null && records.length < PAGE_RECORDS) {
    const max = PAGE_RECORDS - records.length;
    const page = await exportRecords({ account, ...next, max, hold });
    records.push(...page.records);
    states.add(page.state);
    next = page.after === null ? kindAfter(next.kind) : { kind: next.kind, after: page.after };
  }
  return { records, next, state: [...states].join(" ") };
}

function kindAfter(kind: RecordPlace["kind"]): RecordPlace | null {
  const next = ACCOUNT_RECORDS[ACCOUNT_RECORDS.indexOf(kind) + 1];
  return next === undefined ? null : { kind: next, after: null };
}

async function importPage(
  index: AccountIndex,
  { beginImport, importRecords, finishImport }: AccountMoves,
  { account, createdAt, records, begin, finish, now }: Order<"importAccount">,
): Outcome<"importAccount"> {
  if (begin) {
    // First of all, so that no account is unlisted.
    await index.note({ account, now: createdAt });
    const { outcome } = await beginImport({ account });
    if (outcome === "finished_before") return { outcome: "opened_before" };
  }
  if (records.length > 0) await importRecords({ account, records });
  if (!finish) return { outcome: "taken" };
  const { ok, faults } = await finishImport({ account, now });
  if (ok) return { outcome: "opened" };
  throw new DeskRefusal(
    `The account came over, but its books do not reconcile, so it stays closed to calls: ${faults.slice(0, 3).join("; ")}.`,
  );
}

async function importAddresses(
  directory: Directory,
  records: Order<"importAddresses">["records"],
): Outcome<"importAddresses"> {
  const refused: { account: string; by: string | null }[] = [];
  for (const record of records) {
    if (record.record === "closedAddress") {
      await directory.noteClosed({ emailHash: record.emailHash, now: record.closedAt });
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
