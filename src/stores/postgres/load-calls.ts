import type { AccountRow, OpenGrant } from "#ledger/rules/rows.ts";
import { cache, type KnownAccount } from "../ledger/known-account.ts";
import { OPEN_GRANT } from "../ledger/row-columns.ts";
import { GRANTS_AT_FIRST } from "../ledger/working-set.ts";
import { EXPIRY_SQL } from "../sql/grant-sql.ts";
import { arrayOf, literalOf } from "./literals.ts";
import { type LoadedAccount, type Loading, texts, type Wanted } from "./loading.ts";
import {
  CALL_KEY_COLUMNS,
  type LoadedKey,
  type PackedRow,
  packed,
  readAccount,
  readCallKey,
  readGrantOfKey,
  readOpenGrant,
  unpack,
} from "./packed-rows.ts";

/** Loading what a call needs: its account, its key, and the grants that are spent first. */

export function loadCallKeys(asked: readonly Wanted<"callKey">[]): Loading {
  const names = arrayOf(texts([...new Set(asked.map(({ wanted }) => wanted))]));
  return {
    sql: packed(`SELECT ${CALL_KEY_COLUMNS} FROM api_key k WHERE ${hasSecret(names)}`),
    take(rows) {
      const bySha256 = new Map<string, LoadedKey>();
      for (const row of unpack(rows, readCallKey)) nameKey(bySha256, row, row);
      for (const { of, wanted } of asked) takeCallKey(of.known, wanted, bySha256.get(wanted));
    },
  };
}

/** Whether a key has one of these secrets, or had it before its last rotation. */
const hasSecret = (names: string) =>
  `(k.sha256 = ANY (${names}) OR k.previous_sha256 = ANY (${names}))`;

/** Enters a value under both secrets of a key. */
function nameKey<Value>(names: Map<string, Value>, key: LoadedKey, value: Value): void {
  names.set(key.sha256, value);
  if (key.previousSha256 !== null) names.set(key.previousSha256, value);
}

/** Puts the key into the account. Returns whether it belongs to the account. */
function takeCallKey(known: KnownAccount, sha256: string, key: LoadedKey | undefined): boolean {
  const isOwn = key !== undefined && key.accountNo === known.row?.no;
  cache.callKey(known, sha256, isOwn ? key : null);
  return isOwn;
}

/** Queries the first spendable grants of an account in the order in which they are spent. */
const firstGrants = (accountNo: string, now: number, limit: number) => `
  SELECT ${OPEN_GRANT.columns} FROM credit_grant
  WHERE account_no = ${accountNo} AND spent = 0 AND ${EXPIRY_SQL} > ${literalOf(now)}
  ORDER BY ${EXPIRY_SQL}, granted_at, no LIMIT ${limit}`;

/** A call's order: its key and its time. */
export type Call = { of: LoadedAccount; callKey: string; now: number };

/**
 * Locks the accounts, and loads them and the keys, each with the first grants of its account. If a key belongs to another account, the
 * grants are loaded separately.
 */
export function loadCalls(accounts: Map<string, LoadedAccount>, calls: readonly Call[]): Loading {
  const ids = arrayOf(texts([...accounts.keys()]));
  const names = arrayOf(texts([...new Set(calls.map(({ callKey }) => callKey))]));
  const now = calls.reduce((first, call) => Math.min(first, call.now), Number.MAX_SAFE_INTEGER);
  return {
    sql: `SELECT accounts, calls FROM load_calls(${ids}, ${names}, ${literalOf(now)}, ${GRANTS_AT_FIRST})`,
    take(rows) {
      takeAccounts(accounts, unpack(rows, readAccount, "accounts"));
      const bySha256 = new Map<string, { key: LoadedKey; grants: OpenGrant[] }>();
      for (const { key, grant } of unpack(rows, readCall, "calls")) {
        const earlier = bySha256.get(key.sha256);
        if (earlier === undefined)
          nameKey(bySha256, key, { key, grants: grant === null ? [] : [grant] });
        else if (grant !== null) earlier.grants.push(grant);
      }
      for (const { of, callKey } of calls) {
        if (of.known.callKeys?.has(callKey)) continue;
        const call = bySha256.get(callKey);
        const isOwn = takeCallKey(of.known, callKey, call?.key);
        if (isOwn) takeGrants(of, call?.grants, GRANTS_AT_FIRST, now);
      }
    },
  };
}

export function takeAccounts(accounts: Map<string, LoadedAccount>, rows: AccountRow[]): void {
  for (const row of rows) {
    const account = accounts.get(row.id);
    if (account !== undefined) account.known.row = row;
  }
}

const readCall = (row: PackedRow) => ({ key: readCallKey(row), grant: readGrantOfKey(row) });

function takeGrants(of: LoadedAccount, grants: OpenGrant[] = [], limit: number, now: number): void {
  of.known.grants = grants;
  of.known.areAll = grants.length < limit;
  of.known.grantsFrom = now;
  of.grantsMax = limit;
}

/** Loads the first grants in the order in which they are spent, as of the earliest order. The orders are some milliseconds apart. */
export function loadGrants(asked: readonly Wanted<"grants">[]): Loading {
  const accounts = new Set<LoadedAccount>();
  let now = Number.MAX_SAFE_INTEGER;
  let limit = GRANTS_AT_FIRST;
  for (const { of, context } of asked) {
    accounts.add(of);
    now = Math.min(now, context.now);
    limit = Math.max(limit, of.grantsMax);
  }
  const ids = arrayOf(texts(Array.from(accounts, ({ known }) => known.id)));
  return {
    sql: packed(`SELECT a.no AS account_no, g.* FROM account a
      CROSS JOIN LATERAL (${firstGrants("a.no", now, limit)}) g WHERE a.id = ANY (${ids})`),
    take(rows) {
      const byAccount = new Map<number, OpenGrant[]>();
      for (const { accountNo, grant } of unpack(rows, readGrantOfAccount)) {
        const grants = byAccount.get(accountNo);
        if (grants === undefined) byAccount.set(accountNo, [grant]);
        else grants.push(grant);
      }
      for (const of of accounts) takeGrants(of, byAccount.get(of.known.row?.no ?? 0), limit, now);
    },
  };
}

const readGrantOfAccount = (row: PackedRow) => ({
  accountNo: row.number(),
  grant: readOpenGrant(row),
});
