import type { GrantRow, KeyRow, OpenGrant } from "#ledger/rules/rows.ts";
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
import { writeJson } from "../stored-row.ts";
import { insertSql, type SqlDriver, type SqlValue } from "./driver.ts";
import type { NewDebits } from "./new-debits.ts";
import { setChecksum } from "./row-checksum.ts";
import type { UsageSums } from "./usage-sums.ts";

/** Returns the function that writes the changes that the rules made. */
export function createSaver(
  driver: SqlDriver,
  newDebits: NewDebits,
  usageSums: UsageSums,
  onEvent: () => void,
) {
  const statements = prepareStatements(driver);
  const checksum = (values: readonly SqlValue[]) => driver.checksum?.(values) ?? null;

  /** The id and the prices are one value, so that accounts without prices keep the checksum that they had. */
  function accountSum(values: readonly SqlValue[]) {
    const [id, ...others] = values;
    const prices = others.pop() ?? "";
    return checksum([`${id}${prices}`, ...others]);
  }

  function saveGrant(accountNo: number, grant: GrantRow): void {
    const values = GRANT.values(grant);
    // All but `remaining` and `spent`, which debits change (checked-tables.ts).
    const sum = checksum([accountNo, ...values.slice(0, 3), ...values.slice(5)]);
    if (grant.no === 0) statements.insertGrant.run(accountNo, ...values, sum);
    else statements.updateGrant.run(...values, sum, grant.no);
  }

  /** SQLite writes an index if the statement names one of its columns, so a debit names as few columns as possible. */
  function saveDrawn({ no, remaining }: OpenGrant): void {
    if (remaining > 0) statements.setRemaining.run(remaining, no);
    else statements.setSpent.run(no);
  }

  function insertKey(accountNo: number, key: KeyRow): void {
    statements.insertKey.run(accountNo, ...KEY.values(key), ...keyChecksums(accountNo, key));
  }

  function keyChecksums(accountNo: number, key: KeyRow) {
    const values = KEY.values(key);
    // What calls change has a checksum of its own.
    return [
      checksum([accountNo, ...values.slice(0, 5), ...values.slice(6, -1)]),
      checksum([key.lastUsedAt, writeJson(key.spent)]),
    ];
  }

  function updateKey(accountNo: number, key: KeyRow): void {
    const { no, label, lastUsedAt, revokedAt, limits, spent, ...secrets } = key;
    const sums = keyChecksums(accountNo, key);
    const changed = [label, lastUsedAt, revokedAt, writeJson(limits), writeJson(spent)];
    statements.updateKey.run(...changed, ...sums, no);
    const { sha256, start, previousSha256, previousUntil } = secrets;
    // These columns have indexes, and most keys are never rotated.
    if (previousSha256 !== null)
      statements.setSecret.run(sha256, start, previousSha256, previousUntil, no);
  }

  function saveHeld(accountNo: number, { holds, keptCalls, clearKept }: Unsaved): void {
    for (const { row, change } of holds?.values() ?? []) {
      const { at, callId, leaseUntil, hasLapsed } = row;
      if (change === "ended") {
        statements.deleteHold.run(accountNo, at, callId);
        continue;
      }
      const values = [accountNo, ...HOLD.values(row)];
      const sum = checksum(values);
      if (change === "made") statements.insertHold.run(...values, sum);
      else statements.renewHold.run(leaseUntil, hasLapsed ? 1 : 0, sum, accountNo, at, callId);
    }
    if (clearKept) statements.clearKept.run(accountNo);
    for (const kept of keptCalls?.values() ?? []) {
      if (kept.row === null) statements.deleteKept.run(accountNo, kept.tool, kept.key);
      else statements.saveKept.run(accountNo, ...KEPT_CALL.values(kept.row), kept.response);
    }
  }

  function save(known: KnownAccount): void {
    const { unsaved } = known;
    if (unsaved === null) return;
    const { account, keys, grants, usedKeys, drawn, records } = unsaved;
    let accountNo = known.row?.no ?? 0;
    if (account !== null && accountNo === 0) {
      const values = ACCOUNT.values(account);
      accountNo = statements.insertAccount.get(...values, accountSum(values))?.["no"] as number;
    } else if (account !== null) {
      const values = ACCOUNT.values(account);
      statements.updateAccount.run(...values.slice(2), accountSum(values), accountNo);
    }
    for (const key of keys?.values() ?? []) {
      if (key.no === 0) insertKey(accountNo, key);
      else updateKey(accountNo, key);
    }
    for (const grant of grants?.values() ?? []) saveGrant(accountNo, grant);
    for (const { no, lastUsedAt, spent } of usedKeys?.values() ?? []) {
      const text = writeJson(spent);
      const sum = checksum([lastUsedAt, text]);
      if (text === null) statements.useKey.run(lastUsedAt, sum, no);
      else statements.spendKey.run(lastUsedAt, text, sum, no);
    }
    for (const grant of drawn) saveDrawn(grant);
    newDebits.collect(known, accountNo, unsaved.debits);
    for (const { reversedAt, at, callId } of unsaved.reversed) {
      const values = [reversedAt, accountNo, at, callId];
      if (statements.reverseInJournal.run(...values) === 0) statements.reverse.run(...values);
    }
    for (const reversal of unsaved.reversals) {
      const row = [accountNo, ...REVERSAL.values(reversal)];
      statements.insertReversal.run(...row, checksum(row));
    }
    if (unsaved.sums.length > 0) usageSums.add(accountNo, unsaved.sums);
    for (const record of records?.values() ?? []) {
      const row = [accountNo, ...RECORD.values(record)];
      statements.insertRecord.run(...row, checksum(row));
    }
    // A record of `idempotency` stays, and is not replayed (find-call.ts).
    for (const { callId } of unsaved.forgottenCalls) {
      statements.forgetKept.run(accountNo, callId);
      statements.loseKept.run(accountNo, callId);
    }
    if (unsaved.holds ?? unsaved.keptCalls ?? unsaved.clearKept) saveHeld(accountNo, unsaved);
    if (unsaved.clearEvents) statements.clearEvents.run(accountNo);
    for (const { at, content } of unsaved.events) {
      const { kind, ...data } = content;
      statements.insertEvent.run(accountNo, at, kind, JSON.stringify(data));
      onEvent();
    }
    known.unsaved = null;
  }

  return { save };
}

const set = (columns: string) => columns.replaceAll(",", " = ?,").concat(" = ?");

function prepareStatements(driver: SqlDriver) {
  const changing = ACCOUNT.columns.replace("id, created_at, ", "");
  const kept = `${KEPT_CALL.columns}, response`;
  const reverse = (of: string) =>
    driver.prepare(
      `UPDATE ${of} SET reversed_at = ?1${setChecksum(driver, `account_no, ${DEBIT.columns.replace("reversed_at", "?1")}`)} WHERE account_no = ?2 AND at = ?3 AND call_id = ?4`,
    );
  return {
    insertAccount: driver.prepare(
      insertSql("account", `${ACCOUNT.columns}, checksum`, 1, "RETURNING no"),
    ),
    updateAccount: driver.prepare(
      `UPDATE account SET ${set(`${changing}, checksum`)} WHERE no = ?`,
    ),
    insertKey: driver.prepare(
      insertSql("api_key", `account_no, ${KEY.columns}, checksum, use_checksum`),
    ),
    updateKey: driver.prepare(
      "UPDATE api_key SET label = ?, last_used_at = ?, revoked_at = ?, limits = ?, budget_spent = ?, checksum = ?, use_checksum = ? WHERE no = ?",
    ),
    setSecret: driver.prepare(
      "UPDATE api_key SET sha256 = ?, start = ?, previous_sha256 = ?, previous_until = ? WHERE no = ?",
    ),
    spendKey: driver.prepare(
      "UPDATE api_key SET last_used_at = ?, budget_spent = ?, use_checksum = ? WHERE no = ?",
    ),
    useKey: driver.prepare("UPDATE api_key SET last_used_at = ?, use_checksum = ? WHERE no = ?"),
    insertGrant: driver.prepare(
      insertSql("credit_grant", `account_no, ${GRANT.columns}, checksum`),
    ),
    updateGrant: driver.prepare(
      `UPDATE credit_grant SET ${set(`${GRANT.columns}, checksum`)} WHERE no = ?`,
    ),
    setSpent: driver.prepare("UPDATE credit_grant SET remaining = 0, spent = 1 WHERE no = ?"),
    setRemaining: driver.prepare("UPDATE credit_grant SET remaining = ? WHERE no = ?"),
    reverseInJournal: reverse("debit_journal"),
    reverse: reverse("debit_by_account"),
    insertReversal: driver.prepare(
      insertSql("reversal", `account_no, ${REVERSAL.columns}, checksum`),
    ),
    // The new record replaces an expired one that was not deleted yet.
    insertRecord: driver.prepare(
      insertSql("idempotency", `account_no, ${RECORD.columns}, checksum`).replace(
        "INSERT",
        "INSERT OR REPLACE",
      ),
    ),
    insertHold: driver.prepare(insertSql("hold", `account_no, ${HOLD.columns}, checksum`)),
    renewHold: driver.prepare(
      "UPDATE hold SET lease_until = ?, has_lapsed = ?, checksum = ? WHERE account_no = ? AND at = ? AND call_id = ?",
    ),
    deleteHold: driver.prepare("DELETE FROM hold WHERE account_no = ? AND at = ? AND call_id = ?"),
    saveKept: driver.prepare(insertSql("kept_call", `account_no, ${kept}`, 1, replacing(kept))),
    deleteKept: driver.prepare(
      "DELETE FROM kept_call WHERE account_no = ? AND tool = ? AND key = ?",
    ),
    forgetKept: driver.prepare(
      "DELETE FROM kept_call WHERE account_no = ? AND call_id = ? AND may_act = 0",
    ),
    loseKept: driver.prepare(
      "UPDATE kept_call SET state = 'unknown', bytes = 0, response = NULL WHERE account_no = ? AND call_id = ?",
    ),
    clearKept: driver.prepare("DELETE FROM kept_call WHERE account_no = ?"),
    insertEvent: driver.prepare(insertSql("event", "account_no, at, kind, data")),
    clearEvents: driver.prepare("DELETE FROM event WHERE account_no = ?"),
  };
}
