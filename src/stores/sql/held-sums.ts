import type { HeldSum } from "#ledger/rules/rows.ts";
import { DAY_MS } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";

/** What the holds of an account hold: columns of `hold`, to be grouped by the first two. The times are whole numbers, and so are the days. */
export const HELD_SUMS = `key_no, at / ${DAY_MS} AS day, CAST(sum(credits) AS bigint) AS held`;

export const heldSumOf = (row: SqlRow): HeldSum => ({
  keyNo: Number(row["key_no"]),
  day: Number(row["day"]) * DAY_MS,
  credits: Number(row["held"]),
});
