import type { RecordOf } from "#ledger/transfer/records.ts";
import { PURCHASE_COLUMNS } from "#stores/sql/purchase-columns.ts";
import type { SqlRow, SqlValue } from "./driver.ts";

const COLUMNS = Object.entries(PURCHASE_COLUMNS).map(([member, { column }], index) => ({
  ...{ member, column },
  parameter: `?${index + 1}`,
}));

const parameterOf = (name: string) => COLUMNS.find(({ member }) => member === name)?.parameter;

/** Null, which the column refuses, where no earlier line has the account. */
const knownAccount = `CASE ${parameterOf("trouble")} WHEN 'no_account' THEN ${parameterOf("account")}
  ELSE (SELECT id FROM account WHERE id = ${parameterOf("account")}) END`;

/** Purchases as rows of SQLite (see `sqlite-transfer-rows.ts`). */
export const PURCHASE_ROWS = {
  page: `SELECT ${COLUMNS.map(({ member, column }) => `${column} AS "${member}"`).join(", ")}
    FROM purchase WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`,
  first: [0, ""],
  after: (row: SqlRow) => [row["createdAt"] as number, row["id"] as string],
  insert: `INSERT INTO purchase (${COLUMNS.map(({ column }) => column).join(", ")})
    VALUES (${COLUMNS.map(({ member, parameter }) => (member === "account" ? knownAccount : parameter)).join(", ")})`,
  values: (record: RecordOf<"purchase">) =>
    COLUMNS.map(({ member }) => (record as unknown as Record<string, SqlValue>)[member] ?? null),
};
