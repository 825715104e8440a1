import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { OrderRejected } from "#ledger/port.ts";
import {
  ACCOUNT_RECORDS,
  type MoveOperations,
  requireOwnRecords,
} from "#ledger/transfer/account-moves.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { createAudit } from "./audit.ts";
import { eventDueSql } from "./grant-sql.ts";
import { type SqlDialect, type SqlQuery, sql } from "./sql-database.ts";
import { RECORD_TABLES } from "./transfer-rows.ts";
import { insertFrom, type RecordTable, valuesOf } from "./transfer-table.ts";

/**
 * Importing an account into a ledger that holds other accounts. The account's records are staged as pages in a table of their own.
 * One transaction turns them into rows of the ledger if the account's totals reconcile. Before that, no operation sees them.
 */

/** The queries of one transaction, in which each may depend on the rows of those before it. A store runs them, synchronously or not. */
export type Steps<Result> = Generator<SqlQuery, Result, SqlRow[]>;

type Order<Name extends keyof MoveOperations> = MoveOperations[Name][0];
type Outcome<Name extends keyof MoveOperations> = MoveOperations[Name][1];

export function* beginImport({ account }: Order<"beginImport">): Steps<Outcome<"beginImport">> {
  yield sql`INSERT INTO account_import (account) VALUES (${account}) ON CONFLICT DO NOTHING`;
  if ((yield* lockImport(account)).isFinished) return { outcome: "finished_before" };
  const [there] = yield sql`SELECT id FROM account WHERE id = ${account}`;
  yield dropPages(account);
  if (there === undefined) return { outcome: "begun" };
  yield sql`DELETE FROM account_import WHERE account = ${account}`;
  return { outcome: "exists" };
}

export function* importRecords({
  account,
  records,
}: Order<"importRecords">): Steps<Outcome<"importRecords">> {
  const { isFinished } = yield* lockImport(account);
  requireOwnRecords(account, records);
  if (isFinished) return { taken: 0 };
  for (const [kind, own] of Map.groupBy(records, ({ record }) => record)) {
    const page = JSON.stringify(own.map(toStaged));
    const digest = bytesToHex(sha256(new TextEncoder().encode(page)));
    yield sql`INSERT INTO import_page (account, kind, sha256, records)
      VALUES (${account}, ${kind}, ${digest}, ${page}) ON CONFLICT DO NOTHING`;
  }
  return { taken: records.length };
}

/** Thrown to roll back an import whose totals do not reconcile. More records may follow. */
class DoesNotReconcile extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super("The totals do not reconcile");
    this.faults = faults;
  }
}

export function* finishImport(
  dialect: SqlDialect,
  { account, now }: Order<"finishImport">,
): Steps<Outcome<"finishImport">> {
  const { isFinished } = yield* lockImport(account);
  if (!isFinished) {
    for (const kind of ACCOUNT_RECORDS)
      yield insertStaged(RECORD_TABLES[kind], dialect, account, kind);
    yield* completeImport(now, account);
  }
  const order = { account, now };
  const audit = createAudit(dialect);
  const rows: SqlRow[][] = [];
  for (const query of audit.queries(order)) rows.push(yield query);
  const { accounts, faults } = audit.outcome(rows, order);
  if (accounts === 0) faults.push(`${account}: the record of the account itself is missing`);
  if (faults.length > 0) throw new DoesNotReconcile(faults);
  if (!isFinished) {
    yield sql`UPDATE account_import SET finished_at = ${now} WHERE account = ${account}`;
    yield dropPages(account);
  }
  return { ok: true, faults };
}

export const CONTRADICTION =
  "A record contradicts itself, an earlier record or an existing record, or refers to a record that was not imported";

/** Returns the outcome of an import that was rolled back because its totals do not reconcile; rethrows any other error. */
export function faultsOf(error: unknown): { ok: boolean; faults: string[] } {
  if (error instanceof DoesNotReconcile) return { ok: false, faults: error.faults };
  throw error;
}

const NO_IMPORT = "No import of this account was started";

/** Locks the row of an import, so that concurrent imports of the same account take turns. */
function* lockImport(account: string): Steps<{ isFinished: boolean }> {
  const [begun] = yield sql`UPDATE account_import SET finished_at = finished_at
    WHERE account = ${account} RETURNING finished_at AS "finishedAt"`;
  if (begun === undefined) throw new OrderRejected(NO_IMPORT);
  return { isFinished: begun["finishedAt"] !== null };
}

const dropPages = (account: string) => sql`DELETE FROM import_page WHERE account = ${account}`;

/** Converts a record to an object with the values of its columns. */
function toStaged(record: Order<"importRecords">["records"][number]): object {
  const rows = RECORD_TABLES[record.record];
  const values = valuesOf(rows, record);
  const members = Object.keys(rows.members).map((member, index) => [member, values[index]]);
  return Object.fromEntries(members);
}

const EACH_RECORD: Record<SqlDialect, string> = {
  sqlite: "json_each(p.records) e",
  postgres: "json_array_elements(CAST(p.records AS json)) WITH ORDINALITY e (value, key)",
};

/** Inserts the staged records of one kind in the order in which they arrived, which is the order of their row numbers. */
function insertStaged(
  rows: RecordTable,
  dialect: SqlDialect,
  account: string,
  kind: string,
): SqlQuery {
  const members = Object.entries(rows.members).map(([member, { type }]) => {
    const value = `e.value ->> '${member}'`;
    return `${type === "text" || type === "json" ? value : `CAST(${value} AS bigint)`} AS "${member}"`;
  });
  const source = `(SELECT p.no AS page, e.key AS place, ${members.join(", ")}
    FROM import_page p, ${EACH_RECORD[dialect]}
    WHERE p.account = ? AND p.kind = ?) r`;
  return {
    sql: `${insertFrom(rows, dialect, source)} ORDER BY r.page, r.place`,
    values: [account, kind],
  };
}

/**
 * Computes the columns of an account that records do not contain, after all of them were imported:
 *
 * - when the next event about a grant's expiry is due, which depends on the time
 * - how many lifetime grants are in force
 *
 * The statements repeat the rules `nextEventAt` and `isInForce`, because an import would otherwise have to read back
 * every account and grant.
 */
function completeImport(now: number, account: string): SqlQuery[] {
  const due: SqlQuery = { sql: eventDueSql("expires_at", "?"), values: [] };
  const times = (due.sql.match(/\?/g) ?? []).map(() => now);
  return [
    sql`UPDATE credit_grant SET event_due_at = ${{ ...due, values: times }}
      WHERE expires_at > ${now} AND account_no IN (
        SELECT no FROM account WHERE state <> 'closed' AND id = ${account})`,
    sql`UPDATE account SET lifetime_grants = (SELECT count(*) FROM credit_grant
      WHERE account_no = account.no AND kind = 'lifetime' AND clawback < amount)
      WHERE id = ${account}`,
  ];
}
