import { isWorse, type Level, levelOf } from "#ledger/events.ts";
import type { AccountState } from "#ledger/port.ts";
import type { PostgresQuery } from "./pool.ts";

/** An account whose row is locked until the transaction ends. */
export type LockedAccount = {
  no: number;
  state: AccountState;
  lowBalance: number;
  toldLevel: Level;
};

const ROW = `no, state, low_balance AS "lowBalance", told_level AS "toldLevel"`;

/** The account's row, locked: the first lock of every transaction that changes something of it. */
export async function lockAccount(
  query: PostgresQuery,
  account: string,
): Promise<LockedAccount | null> {
  const sql = `SELECT ${ROW} FROM account WHERE id = $1 FOR NO KEY UPDATE`;
  const [row] = await query<LockedAccount>(sql, [account]);
  return row ?? null;
}

/** Several, by their numbers, in the order in which everybody locks them. */
export const lockAccounts = (query: PostgresQuery, numbers: readonly number[]) =>
  query<LockedAccount>(
    `SELECT ${ROW} FROM account WHERE no = ANY ($1) ORDER BY no FOR NO KEY UPDATE`,
    [numbers],
  );

export async function balanceNow(
  query: PostgresQuery,
  accountNo: number,
  now: number,
): Promise<number> {
  const [row] = await query<{ sum: number }>("SELECT balance_at($1, $2) AS sum", [accountNo, now]);
  return row?.sum ?? 0;
}

/** Notes in silence that a balance has come to a better level: so its owner is told when it falls again. */
export async function noteIfBetter(
  query: PostgresQuery,
  { no, lowBalance, toldLevel }: LockedAccount,
  now: number,
): Promise<void> {
  if (toldLevel === "enough") return;
  const level = levelOf(await balanceNow(query, no, now), lowBalance);
  if (isWorse(toldLevel, level)) await noteLevels(query, [[no, level]]);
}

/** What the owners of these accounts know of their balances from now on. */
export async function noteLevels(
  query: PostgresQuery,
  levels: readonly (readonly [accountNo: number, level: Level])[],
): Promise<void> {
  await query(
    `UPDATE account a SET told_level = t.level FROM unnest($1::bigint[], $2::text[]) t (no, level) WHERE a.no = t.no`,
    [levels.map(([no]) => no), levels.map(([, level]) => level)],
  );
}
