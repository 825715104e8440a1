import type { GrantRow, KeyRow, OpenGrant } from "#ledger/rules/rows.ts";
import { clearUnsaved, type KnownAccount } from "../ledger/known-account.ts";
import {
  ACCOUNT_COLUMNS,
  accountValues,
  GRANT_COLUMNS,
  grantValues,
  KEY_COLUMNS,
  keyValues,
  RECORD_COLUMNS,
  REVERSAL_COLUMNS,
  recordValues,
  reversalValues,
  writeJson,
} from "../ledger/row-columns.ts";
import { insertSql, type SqlDriver } from "./driver.ts";
import type { NewDebits } from "./new-debits.ts";
import type { UsageSums } from "./usage-sums.ts";

/** Returns the function that writes the changes that the rules made. */
export function createSaver(
  driver: SqlDriver,
  newDebits: NewDebits,
  usageSums: UsageSums,
  onEvent: () => void,
) {
  const statements = prepareStatements(driver);

  function saveGrant(accountNo: number, grant: GrantRow): void {
    if (grant.no === 0) statements.insertGrant.run(accountNo, ...grantValues(grant));
    else statements.updateGrant.run(...grantValues(grant), grant.no);
  }

  /** SQLite writes an index if the statement names one of its columns, so a debit names as few columns as possible. */
  function saveDrawn({ no, remaining }: OpenGrant): void {
    if (remaining > 0) statements.setRemaining.run(remaining, no);
    else statements.setSpent.run(no);
  }

  function updateKey({
    no,
    label,
    lastUsedAt,
    revokedAt,
    limits,
    spent,
    ...secrets
  }: KeyRow): void {
    statements.updateKey.run(label, lastUsedAt, revokedAt, writeJson(limits), writeJson(spent), no);
    const { sha256, start, previousSha256, previousUntil } = secrets;
    // These columns have indexes, and most keys are never rotated.
    if (previousSha256 !== null)
      statements.setSecret.run(sha256, start, previousSha256, previousUntil, no);
  }

  function save(known: KnownAccount): void {
    const { unsaved } = known;
    if (unsaved.isEmpty) return;
    const { account, keys, grants, usedKeys, drawn, records } = unsaved;
    let accountNo = known.row?.no ?? 0;
    if (account !== null && accountNo === 0) {
      accountNo = statements.insertAccount.get(...accountValues(account))?.["no"] as number;
    } else if (account !== null) {
      const [, , ...values] = accountValues(account);
      statements.updateAccount.run(...values, accountNo);
    }
    for (const key of keys?.values() ?? []) {
      if (key.no === 0) statements.insertKey.run(accountNo, ...keyValues(key));
      else updateKey(key);
    }
    for (const grant of grants?.values() ?? []) saveGrant(accountNo, grant);
    for (const { no, lastUsedAt, spent } of usedKeys?.values() ?? []) {
      if (spent === null) statements.useKey.run(lastUsedAt, no);
      else statements.spendKey.run(lastUsedAt, writeJson(spent), no);
    }
    for (const grant of drawn?.values() ?? []) saveDrawn(grant);
    newDebits.collect(known, accountNo, unsaved.debits);
    for (const { reversedAt, at, callId } of unsaved.reversed) {
      const values = [reversedAt, accountNo, at, callId];
      if (statements.reverseInJournal.run(...values) === 0) statements.reverse.run(...values);
    }
    for (const reversal of unsaved.reversals)
      statements.insertReversal.run(accountNo, ...reversalValues(reversal));
    if (unsaved.sums.length > 0) usageSums.add(accountNo, unsaved.sums);
    for (const { callId, at } of unsaved.forgottenCalls)
      statements.forgetCall.run(accountNo, callId, at);
    for (const record of records?.values() ?? [])
      statements.insertRecord.run(accountNo, ...recordValues(record));
    if (unsaved.clearEvents) statements.clearEvents.run(accountNo);
    for (const { at, content } of unsaved.events) {
      const { kind, ...data } = content;
      statements.insertEvent.run(accountNo, at, kind, JSON.stringify(data));
      onEvent();
    }
    clearUnsaved(unsaved);
  }

  return { save };
}

const set = (columns: string) => columns.replaceAll(",", " = ?,").concat(" = ?");

function prepareStatements(driver: SqlDriver) {
  const changing = ACCOUNT_COLUMNS.replace("id, created_at, ", "");
  const reverse = (of: string) =>
    driver.prepare(
      `UPDATE ${of} SET reversed_at = ?1 WHERE account_no = ?2 AND at = ?3 AND call_id = ?4`,
    );
  return {
    insertAccount: driver.prepare(insertSql("account", ACCOUNT_COLUMNS, 1, "RETURNING no")),
    updateAccount: driver.prepare(`UPDATE account SET ${set(changing)} WHERE no = ?`),
    insertKey: driver.prepare(insertSql("api_key", `account_no, ${KEY_COLUMNS}`)),
    updateKey: driver.prepare(
      "UPDATE api_key SET label = ?, last_used_at = ?, revoked_at = ?, limits = ?, budget_spent = ? WHERE no = ?",
    ),
    setSecret: driver.prepare(
      "UPDATE api_key SET sha256 = ?, start = ?, previous_sha256 = ?, previous_until = ? WHERE no = ?",
    ),
    spendKey: driver.prepare("UPDATE api_key SET last_used_at = ?, budget_spent = ? WHERE no = ?"),
    useKey: driver.prepare("UPDATE api_key SET last_used_at = ? WHERE no = ?"),
    insertGrant: driver.prepare(insertSql("credit_grant", `account_no, ${GRANT_COLUMNS}`)),
    updateGrant: driver.prepare(`UPDATE credit_grant SET ${set(GRANT_COLUMNS)} WHERE no = ?`),
    setSpent: driver.prepare("UPDATE credit_grant SET remaining = 0, spent = 1 WHERE no = ?"),
    setRemaining: driver.prepare("UPDATE credit_grant SET remaining = ? WHERE no = ?"),
    reverseInJournal: reverse("debit_journal"),
    reverse: reverse("debit_by_account"),
    insertReversal: driver.prepare(insertSql("reversal", `account_no, ${REVERSAL_COLUMNS}`)),
    // The new record replaces an expired one that was not deleted yet.
    insertRecord: driver.prepare(
      insertSql("idempotency", `account_no, ${RECORD_COLUMNS}`).replace(
        "INSERT",
        "INSERT OR REPLACE",
      ),
    ),
    forgetCall: driver.prepare(
      "DELETE FROM idempotency WHERE account_no = ? AND call_id = ? AND at = ?",
    ),
    insertEvent: driver.prepare(insertSql("event", "account_no, at, kind, data")),
    clearEvents: driver.prepare("DELETE FROM event WHERE account_no = ?"),
  };
}
