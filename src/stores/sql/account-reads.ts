import { type EventContent, eventId } from "#ledger/events.ts";
import type { AccountState, FreeCall } from "#ledger/port.ts";
import { readKey } from "../ledger/row-columns.ts";
import { accountNoSql, balanceSql } from "./grant-sql.ts";
import type { LedgerRead } from "./ledger-read.ts";
import { sql } from "./sql-database.ts";

/** Reading an account: its row, its keys, and its events that were not handled yet. */

export const findAccount: LedgerRead<"findAccount"> = {
  queries: ({ account, now }) => [
    sql`SELECT state, created_at, free_call, low_balance, lifetime_grants, ${balanceSql(now)} AS balance
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
      lifetime: (row["lifetime_grants"] as number) > 0,
      lowBalance: row["low_balance"] as number,
    };
  },
};

export const listKeys: LedgerRead<"listKeys"> = {
  queries: ({ account }) => [
    sql`SELECT * FROM api_key WHERE account_no = ${accountNoSql(account)} ORDER BY created_at, no`,
  ],
  outcome: ([rows = []], { account }) =>
    rows.map((row) => {
      const { no: _, previousSha256, previousUntil, ...key } = readKey(row);
      const previous =
        previousSha256 === null || previousUntil === null
          ? null
          : { sha256: previousSha256, until: previousUntil };
      return { ...key, account, previous };
    }),
};

export const listEvents: LedgerRead<"listEvents"> = {
  queries: ({ max }) => [
    sql`SELECT no, (SELECT id FROM account a WHERE a.no = account_no) AS account, at, kind, data
      FROM event ORDER BY no LIMIT ${max}`,
  ],
  outcome: ([rows = []]) => ({
    events: rows.map((row) => {
      const [account, at] = [row["account"] as string, row["at"] as number];
      const content: EventContent = { kind: row["kind"], ...JSON.parse(row["data"] as string) };
      return { id: eventId(account, at, row["no"] as number), account, at, ...content };
    }),
  }),
};
