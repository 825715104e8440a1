import { DEBIT, HOLD, RECORD, REVERSAL } from "../ledger/row-columns.ts";
import type { SqlDriver } from "./driver.ts";
import { ROW_CHECKSUM } from "./row-checksum.ts";

const allOf = ({ columns }: { columns: string }) => `account_no, ${columns}`;

/**
 * The tables whose rows have a checksum, each with its primary key and the columns that the checksum covers. The others follow from
 * other rows, and `audit` compares them (row-checks.ts): `credit_grant.remaining` and `spent`, because a debit changes nothing else;
 * `reversal.debit_kept`; and the numbers of rows (`no`), which indexes repeat. An account without prices of its own has the checksum
 * that it had before there was the column.
 */
export const CHECKED_TABLES: Readonly<Record<string, { key: string; columns: string }>> = {
  account: {
    key: "no",
    columns:
      "coalesce(id || prices, id), created_at, state, free_call, lifetime_grants, low_balance, notified_level, front_grant, rest",
  },
  api_key: {
    key: "no",
    columns:
      "account_no, id, created_at, sha256, start, label, revoked_at, previous_sha256, previous_until, limits",
  },
  credit_grant: {
    key: "no",
    columns:
      "account_no, id, kind, amount, voided, voided_at, clawback, clawback_version, granted_at, expires_at, waived_expires_at, event_due_at",
  },
  debit_by_account: { key: "account_no, at, call_id", columns: allOf(DEBIT) },
  debit_journal: { key: "at, call_id, account_no", columns: allOf(DEBIT) },
  usage_hour: {
    key: "account_no, hour, key_no, tool",
    columns: "account_no, hour, key_no, tool, calls, free_calls, credits",
  },
  reversal: { key: "account_no, debit_at, call_id", columns: allOf(REVERSAL) },
  hold: { key: "account_no, at, call_id", columns: allOf(HOLD) },
  idempotency: { key: "account_no, tool, key", columns: allOf(RECORD) },
};

/** What calls change in a key has a checksum of its own, so that a call need not read the rest. */
export const CHECKSUMS: readonly { table: string; checksum: string; columns: string }[] = [
  ...Object.entries(CHECKED_TABLES).map(([table, { columns }]) => ({
    table,
    checksum: "checksum",
    columns,
  })),
  { table: "api_key", checksum: "use_checksum", columns: "last_used_at, budget_spent" },
];

/** Computes the checksums that are missing, after rows were written without the rules (`account`: only of this account). Without `SqlDriver.checksum` it does nothing. */
export function fillChecksums(driver: SqlDriver, account: string | null): void {
  if (driver.checksum === undefined) return;
  for (const { table, checksum, columns } of CHECKSUMS) {
    const ofAccount =
      table === "account" ? "id = ?" : "account_no = (SELECT no FROM account WHERE id = ?)";
    driver
      .prepare(
        `UPDATE ${table} SET ${checksum} = ${ROW_CHECKSUM}(${columns})
         WHERE ${checksum} IS NULL ${account === null ? "" : `AND ${ofAccount}`}`,
      )
      .run(...(account === null ? [] : [account]));
  }
}
