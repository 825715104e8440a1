import { NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import {
  BeingMoved,
  describeRecord,
  type MoveOperations,
  requireAccountRecord,
  requireOwnRecords,
} from "#ledger/transfer/account-moves.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import { completeImport } from "../sql/complete-import.ts";
import { RECORD_TABLES } from "../sql/transfer-rows.ts";
import { isCursorOf } from "../sql/transfer-table.ts";
import { createSqliteReads } from "../sqlite/database.ts";
import type { SqlDriver } from "../sqlite/driver.ts";
import { constraintOf } from "../sqlite/faults.ts";
import { prepareInserts, preparePages } from "../sqlite/transfer-rows.ts";

/** A page is sent from the object to a Worker in one message. */
const PAGE_RECORDS_MAX = 5_000;
const HOLD_MS = 10_000;

type Mark = { account: string; finished: boolean };

export function createMoving(driver: SqlDriver, empty: () => Promise<void>) {
  const readMark = driver.prepare("SELECT value FROM setting WHERE name = 'import'");
  const writeMark = driver.prepare(
    "INSERT INTO setting (name, value) VALUES ('import', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const anAccount = driver.prepare("SELECT id FROM account LIMIT 1");
  const insert = prepareInserts(driver, "ignore");
  const { audit } = createSqliteReads(driver);
  /** Differs after each restart of the object, because `writes` and `heldUntil` are lost then. */
  const instanceId = crypto.randomUUID();
  let writes = 0;
  let heldUntil = 0;
  /** Undefined until it is read, once per start of the object. */
  let mark: Mark | null | undefined;

  function currentMark(): Mark | null {
    if (mark === undefined) {
      const value = readMark.get()?.["value"];
      mark = typeof value === "string" ? (JSON.parse(value) as Mark) : null;
    }
    return mark;
  }

  function setMark(next: Mark): void {
    writeMark.run(JSON.stringify(next));
    mark = next;
  }

  /** Returns the account whose import was started. */
  function importedAccount(): string {
    const current = currentMark();
    if (current === null) throw new OrderRejected(NO_IMPORT);
    return current.account;
  }

  function requireOpen(): void {
    const current = currentMark();
    if (current === null || current.finished) return;
    throw new BeingMoved(
      `The account ${current.account} is being imported; finish the import to open it`,
    );
  }

  function faultsOf(account: string, now: number) {
    const { faults } = audit({ now });
    if (anAccount.get() === undefined)
      faults.push(`${account}: the record of the account itself is missing`);
    return { ok: faults.length === 0, faults };
  }

  /** Changes nothing if the totals do not reconcile, because more records may follow. */
  function finish(account: string, now: number) {
    let outcome = { ok: false, faults: [] as string[] };
    try {
      driver.transaction("write", () => {
        for (const { sql, values } of completeImport(now)) driver.prepare(sql).run(...values);
        outcome = faultsOf(account, now);
        if (!outcome.ok) throw INCOMPLETE;
        setMark({ account, finished: true });
      });
    } catch (error) {
      if (error !== INCOMPLETE) throw error;
    }
    return outcome;
  }

  return {
    /** Call before every operation. Throws while the account is being imported, and for writes while it is held for an export. */
    enter(isRead: boolean): void {
      requireOpen();
      if (isRead) return;
      if (Date.now() < heldUntil) throw new NotCarriedOut("The account is being exported");
      writes += 1;
    },
    exportRecords({ kind, after, max, hold }: MoveOperations["exportRecords"][0]) {
      requireOpen();
      requireAccountRecord(kind);
      if (!(Number.isInteger(max) && max > 0 && max <= PAGE_RECORDS_MAX)) {
        throw new OrderRejected(`The page size must be from 1 to ${PAGE_RECORDS_MAX} records`);
      }
      if (!isCursorOf(RECORD_TABLES[kind], after))
        throw new OrderRejected(`The cursor does not fit records of kind "${kind}"`);
      if (hold) heldUntil = Date.now() + HOLD_MS;
      return { ...preparePages(driver, kind)(after, max), state: `${instanceId}:${writes}` };
    },
    async beginImport({ account }: MoveOperations["beginImport"][0]) {
      const current = currentMark();
      if (current !== null && current.account !== account) {
        throw new OrderRejected(`This object belongs to the account ${current.account}`);
      }
      if (current?.finished) return { outcome: "finished_before" };
      if (current === null && anAccount.get() !== undefined) {
        throw new OrderRejected(`The account ${account} already exists and was not imported`);
      }
      if (current !== null) await empty();
      setMark({ account, finished: false });
      return { outcome: "begun" };
    },
    importRecords({ records }: MoveOperations["importRecords"][0]) {
      const account = importedAccount();
      requireOwnRecords(account, records);
      if (currentMark()?.finished) return { taken: 0 };
      driver.transaction("write", () => {
        for (const [index, record] of records.entries()) insertRecord(index, record, insert);
      });
      return { taken: records.length };
    },
    finishImport({ now }: MoveOperations["finishImport"][0]) {
      const account = importedAccount();
      return currentMark()?.finished ? faultsOf(account, now) : finish(account, now);
    },
  } satisfies Moving;
}

const NO_IMPORT = "No import of this account was started";

/** Thrown to roll the transaction back. */
const INCOMPLETE = new Error("The totals do not reconcile");

type Moving = { enter(reads: boolean): void } & {
  [Name in keyof MoveOperations]: (
    order: MoveOperations[Name][0],
  ) => MoveOperations[Name][1] | Promise<MoveOperations[Name][1]>;
};

function insertRecord(
  index: number,
  record: TransferRecord,
  insert: (record: TransferRecord) => void,
): void {
  try {
    insert(record);
  } catch (error) {
    const where = describeRecord(index, record);
    switch (constraintOf(error)) {
      case undefined:
        throw error;
      case "unknown":
        throw new OrderRejected(
          `${where} refers to an account or a key that was not imported before it`,
        );
      default:
        throw new OrderRejected(`${where} contradicts itself or an earlier record`);
    }
  }
}
