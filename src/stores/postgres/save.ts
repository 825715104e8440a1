import type { EventContent } from "#ledger/events.ts";
import type { CallKey, OpenGrant } from "#ledger/rules/rows.ts";
import type { KnownAccount, Unsaved } from "../ledger/known-account.ts";
import {
  ACCOUNT,
  DEBIT,
  GRANT,
  HOLD,
  KEPT_CALL,
  KEY,
  RECORD,
  REVERSAL,
  replacing,
} from "../ledger/row-columns.ts";
import { sqliteHolds } from "../schema/holds.ts";
import { sqlitePrices } from "../schema/own-prices.ts";
import { ledgerAccounts, ledgerSums } from "../schema/sqlite-ledger.ts";
import { addKeptSql } from "../sql/usage.ts";
import { writeJson } from "../stored-row.ts";
import { arrayOf, type Column, copyLine, literalOf, rowsFrom } from "./literals.ts";
import type { PostgresMessage } from "./pool.ts";

/** The changes of the rules as one message: a statement for each kind of row, and a COPY for the debits. */
export type Saving = Pick<PostgresMessage, "statements" | "copy">;

/** An event to write. `index`: the position of its order in the batch. */
export type NewEvent = { index: number; account: KnownAccount; at: number; content: EventContent };

type Values = readonly (string | number | null)[];
type Rows = Values[];
const NONE: readonly never[] = [];

export function savingOf(accounts: readonly KnownAccount[]): Saving {
  const rows = rowsOf(accounts);
  const statements = [
    insert("account", ACCOUNT.columns, rows.newAccounts),
    update("account", ACCOUNT.columns, 2, rows.accounts),
    insert("api_key", KEY.columns, rows.newKeys),
    update("api_key", KEY.columns, 2, rows.keys),
    insert("credit_grant", GRANT.columns, rows.newGrants),
    update("credit_grant", GRANT.columns, 3, rows.grants),
    saveCalls(rows.usedKeys, rows.drawn),
    addToSums(rows.sums),
    insert("reversal", REVERSAL.columns, rows.reversals),
    // The new record replaces an expired one that was not deleted yet.
    insert("idempotency", RECORD.columns, rows.records, replacing(RECORD.columns)),
    insert("hold", HOLD.columns, rows.holds),
    renewHolds(rows.renewed),
    deleteHolds(rows.ended),
    ...rows.cleared,
    deleteKept(rows.forgotten),
    insert("kept_call", KEPT_COLUMNS, rows.kept, replacing(KEPT_COLUMNS)),
    ...rows.others,
  ];
  return {
    statements: statements.filter((statement) => statement !== null),
    copy: rows.debits === "" ? undefined : { into: DEBITS, rows: rows.debits },
  };
}

const KEPT_COLUMNS = `${KEPT_CALL.columns}, response`;
const DEBITS = `debit (account_no, ${DEBIT.columns})`;

/** Collects the unsaved changes of all accounts by table. */
function rowsOf(accounts: readonly KnownAccount[]) {
  const rows = {
    newAccounts: [] as Rows,
    accounts: [] as Rows,
    newKeys: [] as Rows,
    keys: [] as Rows,
    newGrants: [] as Rows,
    grants: [] as Rows,
    reversals: [] as Rows,
    usedKeys: [] as CallKey[],
    drawn: [] as OpenGrant[],
    sums: [] as Rows,
    records: [] as Rows,
    holds: [] as Rows,
    renewed: [] as Rows,
    ended: [] as Rows,
    cleared: [] as string[],
    forgotten: [] as Rows,
    kept: [] as Rows,
    debits: "",
    others: [] as string[],
  };
  for (const known of accounts) {
    const { unsaved } = known;
    if (unsaved === null) continue;
    const no = known.row?.no ?? 0;
    const { account } = unsaved;
    if (account !== null && account.no === 0) rows.newAccounts.push(ACCOUNT.values(account));
    else if (account !== null) rows.accounts.push([no, ...ACCOUNT.values(account)]);
    for (const key of unsaved.keys?.values() ?? NONE) {
      if (key.no === 0) rows.newKeys.push([no, ...KEY.values(key)]);
      else rows.keys.push([key.no, ...KEY.values(key)]);
    }
    for (const grant of unsaved.grants?.values() ?? NONE) {
      if (grant.no === 0) rows.newGrants.push([no, ...GRANT.values(grant)]);
      else rows.grants.push([grant.no, ...GRANT.values(grant)]);
    }
    for (const key of unsaved.usedKeys?.values() ?? NONE) rows.usedKeys.push(key);
    for (const grant of unsaved.drawn) rows.drawn.push(grant);
    for (const { hour, keyNo, tool, calls, credits } of unsaved.sums)
      rows.sums.push([no, hour, keyNo, tool, calls, credits]);
    for (const debit of unsaved.debits) rows.debits += copyLine(no, DEBIT.values(debit));
    for (const record of unsaved.records?.values() ?? NONE)
      rows.records.push([no, ...RECORD.values(record)]);
    for (const reversal of unsaved.reversals)
      rows.reversals.push([no, ...REVERSAL.values(reversal)]);
    for (const { at, callId, reversedAt } of unsaved.reversed) {
      const where = `account_no = ${no} AND at = ${literalOf(at)} AND call_id = ${literalOf(callId)}`;
      rows.others.push(`UPDATE debit SET reversed_at = ${literalOf(reversedAt)} WHERE ${where}`);
    }
    for (const { callId, at } of unsaved.forgottenCalls) {
      rows.others.push(...forgetSql(no, literalOf(callId), literalOf(at)));
    }
    if (unsaved.holds ?? unsaved.keptCalls ?? unsaved.clearKept) addHeld(rows, no, unsaved);
    if (unsaved.clearEvents) rows.others.push(`DELETE FROM event WHERE account_no = ${no}`);
  }
  return rows;
}

type HeldRows = Record<"holds" | "renewed" | "ended" | "forgotten" | "kept", Rows> & {
  cleared: string[];
};

function addHeld(rows: HeldRows, no: number, { holds, keptCalls, clearKept }: Unsaved): void {
  for (const { row, change } of holds?.values() ?? NONE) {
    const { at, callId, leaseUntil, hasLapsed } = row;
    if (change === "made") rows.holds.push([no, ...HOLD.values(row)]);
    else if (change === "ended") rows.ended.push([no, at, callId]);
    else rows.renewed.push([no, at, callId, leaseUntil, hasLapsed ? 1 : 0]);
  }
  if (clearKept) rows.cleared.push(`DELETE FROM kept_call WHERE account_no = ${no}`);
  for (const kept of keptCalls?.values() ?? NONE) {
    if (kept.row === null) rows.forgotten.push([no, kept.tool, kept.key]);
    else rows.kept.push([no, ...KEPT_CALL.values(kept.row), kept.response]);
  }
}

const HOLD_KEY = ["account_no", "at", "call_id"];

function renewHolds(rows: Rows): string | null {
  if (rows.length === 0) return null;
  const from = rowsFrom("t", columnsOf([...HOLD_KEY, "lease_until", "has_lapsed"], rows));
  return `UPDATE hold h SET lease_until = t.lease_until, has_lapsed = t.has_lapsed FROM ${from}
    WHERE h.account_no = t.account_no AND h.at = t.at AND h.call_id = t.call_id`;
}

function deleteHolds(rows: Rows): string | null {
  if (rows.length === 0) return null;
  return `DELETE FROM hold h USING ${rowsFrom("t", columnsOf(HOLD_KEY, rows))}
    WHERE h.account_no = t.account_no AND h.at = t.at AND h.call_id = t.call_id`;
}

function deleteKept(rows: Rows): string | null {
  if (rows.length === 0) return null;
  return `DELETE FROM kept_call k USING ${rowsFrom("t", columnsOf(["account_no", "tool", "key"], rows))}
    WHERE k.account_no = t.account_no AND k.tool = t.tool AND k.key = t.key`;
}

/** A record counts from the database's clock if its node's is behind. Then there is no debit of its time. */
const forgetSql = (no: number, callId: string, at: string) => [
  `DELETE FROM idempotency i WHERE account_no = ${no} AND call_id = ${callId} AND (at = ${at} OR (at > ${at} AND NOT EXISTS (
    SELECT 1 FROM debit d WHERE d.account_no = i.account_no AND d.at = i.at AND d.call_id = i.call_id)))`,
  `DELETE FROM kept_call WHERE account_no = ${no} AND call_id = ${callId} AND may_act = 0`,
  `UPDATE kept_call SET state = 'unknown', bytes = 0, response = NULL WHERE account_no = ${no} AND call_id = ${callId}`,
];

/** Returns the statement that inserts the events of all accounts in the order in which they occurred. */
export function savingOfEvents(events: readonly NewEvent[]): string[] {
  const rows = events
    .toSorted((one, other) => one.index - other.index)
    .map(({ account, at, content: { kind, ...data } }) => [
      account.row?.no ?? 0,
      at,
      kind,
      JSON.stringify(data),
    ]);
  const statement = insert("event", "at, kind, data", rows);
  return statement === null ? [] : [statement];
}

/** The text columns of the ledger's tables. All other columns are whole numbers. */
const TEXTS: ReadonlySet<string> = new Set(
  [ledgerAccounts, ledgerSums, sqliteHolds, sqlitePrices].flatMap((schema) =>
    Array.from(schema.matchAll(/(\w+) TEXT/g), ([, column = ""]) => column),
  ),
);

const columnsOf = (names: readonly string[], rows: Rows): Record<string, Column> =>
  Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        type: TEXTS.has(name) ? "text" : "bigint",
        values: rows.map((row) => row[index] as string | number | null),
      },
    ]),
  );

function insert(table: string, columns: string, rows: Rows, otherwise = ""): string | null {
  if (rows.length === 0) return null;
  const all = table === "account" ? columns : `account_no, ${columns}`;
  const from = rowsFrom("t", columnsOf(all.split(", "), rows));
  return `INSERT INTO ${table} (${all}) SELECT * FROM ${from} ${otherwise}`;
}

/** Updates rows, each given by its number and the values of all columns. The first `fixed` columns never change. */
function update(table: string, columns: string, fixed: number, rows: Rows): string | null {
  if (rows.length === 0) return null;
  const changing = columns.split(", ").slice(fixed);
  const values = rows.map(([no = null, ...row]) => [no, ...row.slice(fixed)]);
  const from = rowsFrom("t", columnsOf(["no", ...changing], values));
  const sets = changing.map((name) => `${name} = t.${name}`).join(", ");
  return `UPDATE ${table} x SET ${sets} FROM ${from} WHERE x.no = t.no`;
}

/** Saves what calls change: the use of keys, and what remains of grants. */
function saveCalls(keys: readonly CallKey[], grants: readonly OpenGrant[]): string | null {
  if (keys.length + grants.length === 0) return null;
  const columns: Column[] = [
    { type: "bigint", values: keys.map(({ no }) => no) },
    { type: "bigint", values: keys.map(({ lastUsedAt }) => lastUsedAt) },
    { type: "text", values: keys.map(({ spent }) => writeJson(spent)) },
    { type: "bigint", values: grants.map(({ no }) => no) },
    { type: "bigint", values: grants.map(({ remaining }) => remaining) },
  ];
  return `SELECT save_calls(${columns.map(arrayOf).join(", ")})`;
}

/** Adds to the sums of kept debits. Several debits of a batch may concern the same sum. */
function addToSums(rows: Rows): string | null {
  if (rows.length === 0) return null;
  const from = rowsFrom("t", columnsOf(SUM_COLUMNS, rows));
  return addKeptSql(
    `SELECT account_no, hour, key_no, tool, sum(calls), sum(credits) FROM ${from} GROUP BY 1, 2, 3, 4`,
  );
}

const SUM_COLUMNS = ["account_no", "hour", "key_no", "tool", "calls", "credits"];
