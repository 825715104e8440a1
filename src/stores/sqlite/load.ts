import type { Concerned, GrantRow, Needs } from "#ledger/rules/rows.ts";
import { cache, KnownAccount } from "../ledger/known-account.ts";
import {
  ACCOUNT,
  CALL_KEY,
  DEBIT,
  GRANT,
  HOLD,
  KEPT_CALL,
  KEY,
  OPEN_GRANT,
  RECORD,
} from "../ledger/row-columns.ts";
import { GRANTS_AT_FIRST, GRANTS_FACTOR, type OrderContext } from "../ledger/working-set.ts";
import { isReversedSql } from "../sql/find-call.ts";
import { EXPIRY_SQL } from "../sql/grant-sql.ts";
import { HELD_SUMS, heldSumOf } from "../sql/held-sums.ts";
import type { SqlDriver, SqlRow, SqlStatement } from "./driver.ts";

/** Loads the rows that the rules need, row by row. */
export function createLoader(driver: SqlDriver) {
  const statements = prepareStatements(driver);
  /** By their limits. */
  const firstGrants = new Map<number, SqlStatement>();

  function firstGrantsUpTo(limit: number): SqlStatement {
    let statement = firstGrants.get(limit);
    if (statement === undefined) {
      statement = driver.prepare(firstGrantsSql(limit));
      firstGrants.set(limit, statement);
    }
    return statement;
  }

  function loadGrants(known: KnownAccount, accountNo: number, covering: number, now: number): void {
    for (let limit = GRANTS_AT_FIRST; ; limit *= GRANTS_FACTOR) {
      const rows = firstGrantsUpTo(limit).all(accountNo, now);
      const areAll = rows.length < limit;
      let remaining = 0;
      for (const row of rows) remaining += row["remaining"] as number;
      if (!areAll && remaining <= covering) continue;
      known.grants = rows.map(OPEN_GRANT.read);
      known.areAll = areAll;
      known.grantsFrom = now;
      return;
    }
  }

  function loadConcerned(accountNo: number, concerned: Concerned): GrantRow[] {
    if (concerned === "every") return statements.everyGrant.all(accountNo).map(GRANT.read);
    const [statement, names] =
      "ids" in concerned
        ? [statements.grantById, concerned.ids]
        : [statements.grantByNo, concerned.nos];
    const rows = names.map((name) => statement.get(accountNo, name));
    return rows.filter((row): row is SqlRow => row !== undefined).map(GRANT.read);
  }

  function loadHeld(known: KnownAccount, context: OrderContext, missing: Needs): void {
    const accountNo = known.row?.no ?? 0;
    const { hold, keptCall, keptResponse, keptBytes, held } = missing;
    if (hold) {
      const row = statements.hold.get(accountNo, context.at, context.callId);
      cache.hold(known, context, HOLD.find(row));
    }
    if (keptCall !== undefined) {
      const row = statements.keptCall.get(accountNo, keptCall.tool, keptCall.key);
      cache.keptCall(known, keptCall, KEPT_CALL.find(row));
    }
    if (keptResponse !== undefined) {
      const { tool, key } = keptResponse;
      const row = statements.keptResponse.get(accountNo, tool, key);
      context.keptResponse = (row?.["response"] ?? null) as string | null;
    }
    if (keptBytes) {
      const row = statements.keptBytes.get(accountNo);
      known.keptBytes = (row?.["bytes"] ?? 0) as number;
    }
    if (held) known.held = statements.held.all(accountNo).map(heldSumOf);
  }

  return {
    account: (id: string) => new KnownAccount(id, ACCOUNT.find(statements.account.get(id))),
    load(known: KnownAccount, context: OrderContext, missing: Needs): void {
      const accountNo = known.row?.no ?? 0;
      const { key, callKey, newKey, grants, sum, concerned, earlier, debit, debitKey } = missing;
      if (key !== undefined)
        cache.key(known, key, KEY.find(statements.keyById.get(key, accountNo)));
      if (callKey !== undefined) {
        const row =
          statements.keyBySha256.get(callKey, accountNo) ??
          statements.keyByPrevious.get(callKey, accountNo);
        cache.callKey(known, callKey, CALL_KEY.find(row));
      }
      if (newKey !== undefined) {
        const { id, sha256 } = newKey;
        context.isKeyTaken =
          statements.otherKey.get(id, sha256, sha256, id, accountNo) !== undefined;
      }
      if (grants !== undefined) loadGrants(known, accountNo, grants.covering, context.now);
      if (sum) {
        const row = statements.sum.get(accountNo, context.now) as SqlRow;
        context.sum = row["balance"] as number;
      }
      if (concerned !== undefined) {
        context.concerned = loadConcerned(accountNo, concerned);
        context.isEveryConcerned = concerned === "every";
      }
      if (earlier !== undefined) {
        const row = statements.record.get(accountNo, earlier.tool, earlier.key);
        cache.record(known, earlier, RECORD.find(row));
      }
      if (debit) {
        const row = statements.debit.get(accountNo, context.at, context.callId);
        cache.debit(known, context, DEBIT.find(row));
      }
      if (debitKey !== undefined)
        context.debitKey = CALL_KEY.read(statements.keyByNo.get(debitKey) as SqlRow);
      loadHeld(known, context, missing);
    },
  };
}

/** The limit is a part of the text, because SQLite would prepare the statement again for each value of a parameter (sql/sql-database.ts). */
const firstGrantsSql = (limit: number) =>
  `SELECT ${OPEN_GRANT.columns} FROM credit_grant WHERE account_no = ? AND spent = 0 AND ${EXPIRY_SQL} > ?
   ORDER BY ${EXPIRY_SQL}, granted_at, no LIMIT ${limit}`;

function prepareStatements(driver: SqlDriver) {
  return {
    account: driver.prepare("SELECT * FROM account WHERE id = ?"),
    keyBySha256: driver.prepare(
      `SELECT ${CALL_KEY.columns} FROM api_key WHERE sha256 = ? AND account_no = ?`,
    ),
    keyByPrevious: driver.prepare(
      `SELECT ${CALL_KEY.columns} FROM api_key WHERE previous_sha256 = ? AND account_no = ?`,
    ),
    keyByNo: driver.prepare(`SELECT ${CALL_KEY.columns} FROM api_key WHERE no = ?`),
    keyById: driver.prepare("SELECT * FROM api_key WHERE id = ? AND account_no = ?"),
    otherKey: driver.prepare(
      "SELECT no FROM api_key WHERE (id = ? OR sha256 = ? OR previous_sha256 = ?) AND NOT (id = ? AND account_no = ?) LIMIT 1",
    ),
    sum: driver.prepare(
      `SELECT coalesce(sum(remaining), 0) AS balance FROM credit_grant
       WHERE account_no = ? AND spent = 0 AND ${EXPIRY_SQL} > ?`,
    ),
    everyGrant: driver.prepare("SELECT * FROM credit_grant WHERE account_no = ?"),
    grantById: driver.prepare("SELECT * FROM credit_grant WHERE account_no = ? AND id = ?"),
    grantByNo: driver.prepare("SELECT * FROM credit_grant WHERE account_no = ? AND no = ?"),
    // A call that is no longer charged must not be replayed.
    record: driver.prepare(
      `SELECT * FROM idempotency i WHERE account_no = ? AND tool = ? AND key = ? AND NOT ${isReversedSql("i")}`,
    ),
    hold: driver.prepare(
      `SELECT ${HOLD.columns} FROM hold WHERE account_no = ? AND at = ? AND call_id = ?`,
    ),
    held: driver.prepare(`SELECT ${HELD_SUMS} FROM hold WHERE account_no = ? GROUP BY 1, 2`),
    keptCall: driver.prepare(
      `SELECT ${KEPT_CALL.columns} FROM kept_call WHERE account_no = ? AND tool = ? AND key = ?`,
    ),
    keptResponse: driver.prepare(
      "SELECT response FROM kept_call WHERE account_no = ? AND tool = ? AND key = ?",
    ),
    keptBytes: driver.prepare("SELECT bytes FROM kept_bytes WHERE account_no = ?"),
    debit: driver.prepare("SELECT * FROM debit WHERE account_no = ? AND at = ? AND call_id = ?"),
  };
}
