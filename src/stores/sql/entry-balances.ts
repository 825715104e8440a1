import {
  ENTRY_KINDS,
  type EntriesOrder,
  type EntriesPage,
  type EntryKind,
  type EntryPosition,
  hasGaps,
  parseCursor,
} from "#ledger/entries.ts";
import { hourOf, UsageNotSummed } from "#ledger/port.ts";
import { BALANCE_ENTRIES_MAX, HOUR_MS, UNSUMMED_DEBITS_MAX } from "#limits.ts";
import { accountNoSql, balanceSql, HELD_SQL } from "./grant-sql.ts";
import type { Addition } from "./ledger-read.ts";
import { limitSql, type SqlQuery, sql, textSql } from "./sql-database.ts";
import { HOUR_SQL } from "./usage.ts";

/**
 * The balance after an entry is the balance now, less everything that came later. Whole hours come from the sums of the usage, so
 * that the cost depends on the number of hours, keys and tools since the entry and not on that of calls. The rest of the entry's
 * own hour is summed entry by entry.
 */
export function addBalances(page: EntriesPage, order: EntriesOrder): Addition<EntriesPage> {
  const { account, now, filter } = order;
  // Without gaps between the entries, one balance is enough for all of them.
  const isEach = hasGaps(filter);
  const asked = isEach ? page.entries : page.entries.slice(0, 1);
  const positions = asked.map(({ id }) => parseCursor(id));
  const accountNo = accountNoSql(account);
  const from = Math.min(...positions.map(({ at }) => nextHour(at)), nextHour(now));
  const most = summedMax(positions.length);
  return {
    queries: [
      sql`SELECT ${balanceSql(now)} AS balance, ${HELD_SQL} AS held FROM account a WHERE id = ${account}`,
      sql`SELECT count(*) AS unsummed FROM (${unsummedSql(accountNo, from)}) d`,
      hoursSql(accountNo, from, now),
      ...positions.map((position) => restOfHourSql(accountNo, position, now, most)),
    ],
    outcome([owners = [], counts = [], hours = [], ...rests]) {
      const [[owner], [counted]] = [owners, counts];
      if (Number(counted?.["unsummed"]) > UNSUMMED_DEBITS_MAX)
        throw new UsageNotSummed("Many calls are not summed yet");
      const balances = positions.map(({ at }, index) => {
        const [rest] = rests[index] ?? [];
        if (Number(rest?.["entries"]) > most) return null;
        let later = Number(rest?.["credits"] ?? 0);
        for (const { hour, credits } of hours)
          if (Number(hour) >= nextHour(at)) later += Number(credits);
        // A hold has no entry.
        return Number(owner?.["balance"] ?? 0) + Number(owner?.["held"] ?? 0) - later;
      });
      let [next = null] = balances;
      const entries = page.entries.map((entry, index) => {
        const balance = isEach ? (balances[index] ?? null) : next;
        if (next !== null) next -= entry.credits;
        return { ...entry, balance };
      });
      return { ...page, entries };
    },
  };
}

/** How many entries of its hour are summed for each of so many positions. */
const summedMax = (positions: number) => Math.floor(BALANCE_ENTRIES_MAX / positions);

const nextHour = (at: number) => hourOf(at) + HOUR_MS;

/** Durable Objects allow five terms, so half of them are a query of their own. */
function union(queries: SqlQuery[]): SqlQuery {
  const half = Math.ceil(queries.length / 2);
  const [first, second] = [queries.slice(0, half), queries.slice(half)].map((some) =>
    some.reduce((all, query) => sql`${all} UNION ALL ${query}`),
  ) as [SqlQuery, SqlQuery];
  return sql`SELECT * FROM (${first}) a UNION ALL SELECT * FROM (${second}) b`;
}

/** Debits that are neither reversed nor in the sums. */
const unsummedSql = (accountNo: SqlQuery, from: number): SqlQuery =>
  sql`SELECT at, credits FROM debit WHERE account_no = ${accountNo} AND at >= ${from}
    AND at >= (SELECT summed_until FROM account WHERE no = ${accountNo}) AND reversed_at IS NULL
    ${limitSql(UNSUMMED_DEBITS_MAX + 1)}`;

/** What the entries of each hour since `from`, the start of one, add to the balance. */
function hoursSql(accountNo: SqlQuery, from: number, now: number): SqlQuery {
  const rows = ([at, , credits, table]: Source): SqlQuery =>
    sql`SELECT ${textSql(HOUR_SQL.replaceAll("at", at))} AS hour, ${textSql(credits)} AS credits FROM ${textSql(table)}
      AND account_no = ${accountNo} AND ${textSql(at)} >= ${from}`;
  const { grant, expiry, void: voided, usage, reversal } = SOURCES;
  const all = union([
    ...[...grant, ...voided, ...usage, ...reversal].map(rows),
    ...expiry.map((source) => sql`${rows(source)} AND expires_at <= ${now}`),
    rows(["hour", "", "-credits", "usage_kept WHERE 1 = 1"]),
    sql`SELECT ${textSql(HOUR_SQL)} AS hour, -credits AS credits FROM (${unsummedSql(accountNo, from)}) d`,
    // The sums are without reversed debits.
    rows(["debit_at", "", "-credits", "reversal WHERE 1 = 1"]),
  ]);
  return sql`SELECT hour, CAST(sum(credits) AS BIGINT) AS credits FROM (${all}) e GROUP BY hour`;
}

/** Where entries are: the columns of their time and of what identifies them within a millisecond, their credits, and their table. */
type Source = readonly [at: string, parts: string, credits: string, table: string];
const SOURCES: Record<EntryKind, readonly Source[]> = {
  grant: [["granted_at", "id", "amount", "credit_grant WHERE 1 = 1"]],
  expiry: [["expires_at", "id", "-remaining", "credit_grant WHERE spent = 0"]],
  void: [["voided_at", "id", "-voided", "credit_grant WHERE 1 = 1"]],
  usage: [["hour", "key_no, tool", "-credits", "usage_hour WHERE 1 = 1"]],
  debit: [
    ["at", "call_id", "-credits", "debit WHERE key_no > 0"],
    ["debit_at", "call_id", "-credits", "reversal WHERE debit_kept = 0"],
  ],
  reversal: [["reversed_at", "debit_at, call_id", "credits", "reversal WHERE 1 = 1"]],
};

/** The sum of the entries between a position and the end of its hour, and their number. */
function restOfHourSql(
  accountNo: SqlQuery,
  position: EntryPosition,
  now: number,
  max: number,
): SqlQuery {
  const end = nextHour(position.at);
  const parts = ENTRY_KINDS.flatMap((kind) =>
    SOURCES[kind].map((source) => {
      const until = kind === "expiry" ? Math.min(end, now + 1) : end;
      const [at, , credits, table] = source;
      return sql`SELECT ${textSql(credits)} AS credits FROM ${textSql(table)}
        AND account_no = ${accountNo} AND ${textSql(at)} < ${until} AND ${aboveSql(kind, source, position)}`;
    }),
  );
  return sql`SELECT count(*) AS entries, CAST(coalesce(sum(credits), 0) AS BIGINT) AS credits
    FROM (SELECT * FROM (${union(parts)}) e ${limitSql(max + 1)}) e`;
}

/** The condition that an entry comes later in the ledger, which is further up in the list. */
function aboveSql(
  kind: EntryKind,
  [time, columns]: Source,
  { kind: own, at, parts }: EntryPosition,
): SqlQuery {
  if (kind === own)
    return sql`${textSql(`(${time}, ${columns})`)} > (${at}, ${valuesOf(kind, parts)})`;
  // Within a millisecond, kinds that sort later come later.
  const isLater = ENTRY_KINDS.indexOf(kind) > ENTRY_KINDS.indexOf(own);
  return sql`${textSql(time)} >= ${isLater ? at : at + 1}`;
}

function valuesOf(kind: EntryKind, [first = "", second = ""]: readonly string[]): SqlQuery {
  if (kind === "usage")
    return sql`coalesce((SELECT no FROM api_key WHERE id = ${first}), 0), ${second}`;
  return kind === "reversal" ? sql`${Number(first)}, ${second}` : sql`${first}`;
}
