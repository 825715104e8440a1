import type { AccountState, FreeCall, Order } from "#ledger/port.ts";
import { KEY } from "../ledger/row-columns.ts";
import type { ReadName } from "../ledger/store-ledger.ts";
import { readJson } from "../stored-row.ts";
import { createAudit } from "./audit.ts";
import { listCredits } from "./credits.ts";
import { createEntriesRead } from "./entries.ts";
import { createFindCall } from "./find-call.ts";
import { accountNoSql, balanceSql, HELD_SQL } from "./grant-sql.ts";
import type { LedgerRead } from "./ledger-read.ts";
import { type SqlDialect, sql } from "./sql-database.ts";
import { usage } from "./usage.ts";

/** Reading an account: its row and its keys. */

export const findAccount: LedgerRead<"findAccount"> = {
  queries: ({ account, now }) => [
    sql`SELECT state, created_at, free_call, low_balance, lifetime_grants, prices, ${balanceSql(now)} AS balance,
        ${HELD_SQL} AS held
      FROM account a WHERE id = ${account}`,
  ],
  outcome([found = []], { account }) {
    const [row] = found;
    if (row === undefined) return null;
    return {
      account,
      state: row["state"] as AccountState,
      createdAt: row["created_at"] as number,
      freeCall: row["free_call"] as FreeCall,
      balance: row["balance"] as number,
      held: Number(row["held"]),
      lifetime: (row["lifetime_grants"] as number) > 0,
      lowBalance: row["low_balance"] as number,
      prices: readJson<Record<string, number>>(row["prices"]) ?? {},
    };
  },
};

export const listKeys: LedgerRead<"listKeys"> = {
  queries: ({ account }) => [
    sql`SELECT * FROM api_key WHERE account_no = ${accountNoSql(account)} ORDER BY created_at, no`,
  ],
  outcome: ([rows = []], { account }) =>
    rows.map((row) => {
      const { no: _, previousSha256, previousUntil, ...key } = KEY.read(row);
      const previous =
        previousSha256 === null || previousUntil === null
          ? null
          : { sha256: previousSha256, until: previousUntil };
      return { ...key, account, previous };
    }),
};

/** Creates the read operations. `run`: runs the queries of one of them, and returns what `Reads` says. */
export function createLedgerReads<Reads extends Record<ReadName, (order: never) => unknown>>(
  dialect: SqlDialect,
  run: <Name extends ReadName>(read: LedgerRead<Name>, order: Order<Name>) => unknown,
): Reads {
  const findCall = createFindCall(dialect);
  const entries = createEntriesRead(dialect);
  const audit = createAudit(dialect);
  const reads: { [Name in ReadName]: (order: Order<Name>) => unknown } = {
    findAccount: (order) => run(findAccount, order),
    listKeys: (order) => run(listKeys, order),
    credits: (order) => run(listCredits, order),
    findCall: (order) => run(findCall, order),
    usage: (order) => run(usage, order),
    entries: (order) => run(entries, order),
    audit: (order) => run(audit, order),
  };
  return reads as Reads;
}
