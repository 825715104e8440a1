import type { Address, Directory } from "#accounts/directory.ts";
import { type StarterDecision, type StarterOutcome, startOfDay } from "#accounts/starter-claim.ts";
import { DAY_MS } from "#limits.ts";
import { rowOf } from "../stored-row.ts";
import { lastRows, listOf, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/** Registers an address that has no account. The second query returns the account that has it. */
export const registration = ({ email, account, createdAt }: Address) => [
  sql`INSERT INTO address (email, account, created_at) VALUES (${email}, ${account}, ${createdAt})
      ON CONFLICT DO NOTHING`,
  sql`SELECT account FROM address WHERE email = ${email}`,
];

/** Times of a day, and of the next one by a clock that is ahead; not those of a clock that was further ahead. */
const isOfDay = (start: number, at: SqlQuery = sql`at`) =>
  sql`${at} >= ${start} AND ${at} < ${start + 2 * DAY_MS}`;

/** Who got starter credits. A claim counts the budgets and writes in one batch, so they hold under any load. */
export function createStarterClaims(
  db: SqlDatabase,
  onRegister: (email: string) => readonly SqlQuery[],
) {
  return {
    async claimStarter({ account, email, emailHashes, network, isDisposable, budgets, now }) {
      const hashes = listOf(emailHashes);
      const today = startOfDay(now);
      const exceeds = (budget: number, condition: SqlQuery) =>
        budget === 0
          ? sql`1 = 0`
          : sql`(SELECT count(*) FROM starter_claim
                 WHERE outcome = 'granted' AND ${isOfDay(today)} AND ${condition}) >= ${budget}`;
      const outcome = sql`CASE
        WHEN EXISTS (SELECT 1 FROM closed_address WHERE email_hash IN (${hashes})) THEN 'address_used'
        WHEN EXISTS (SELECT 1 FROM starter_claim
                     WHERE email_hash IN (${hashes}) AND outcome = 'granted') THEN 'address_used'
        WHEN ${isDisposable ? 1 : 0} = 1 THEN 'disposable'
        WHEN ${exceeds(network === "" ? 0 : budgets.perNetwork, sql`network <> '' AND network = ${network}`)} THEN 'network_full'
        WHEN ${exceeds(budgets.perDay, sql`1 = 1`)} THEN 'day_full'
        ELSE 'granted' END`;
      const [, holders, , claims] = await db.batch([
        ...registration({ email, account, createdAt: now }),
        sql`INSERT INTO starter_claim (account, email_hash, network, at, outcome)
            SELECT ${account}, ${emailHashes[0] ?? ""}, ${network}, ${now}, ${outcome}
            WHERE NOT EXISTS (SELECT 1 FROM starter_claim WHERE account = ${account})
              AND NOT EXISTS (SELECT 1 FROM address WHERE email = ${email} AND account <> ${account})`,
        sql`SELECT own.outcome, (SELECT count(*) FROM starter_claim AS other
              WHERE other.outcome = own.outcome AND ${isOfDay(today, sql`other.at`)}) AS times
            FROM starter_claim AS own WHERE own.account = ${account}`,
        ...onRegister(email),
      ]);
      // None if the account has another address.
      const holder = (holders?.[0]?.["account"] ?? account) as string;
      if (holder !== account) return { outcome: "taken", account: holder };
      const [row] = claims ?? [];
      return {
        outcome: row?.["outcome"] as StarterOutcome,
        isFirstToday: Number(row?.["times"]) === 1,
      };
    },
    async findStarter({ account }) {
      const [row] = await lastRows(db, sql`SELECT * FROM starter_claim WHERE account = ${account}`);
      return DECISION.find(row);
    },
    async countStarters({ since }) {
      const rows = await lastRows(
        db,
        sql`SELECT outcome, count(*) AS times FROM starter_claim WHERE ${isOfDay(since)}
            GROUP BY outcome ORDER BY outcome`,
      );
      return rows.map((row) => ({
        outcome: row["outcome"] as StarterOutcome,
        count: Number(row["times"]),
      }));
    },
    async recordStarter({ account, emailHash, at, outcome }) {
      await db.batch([
        sql`INSERT INTO starter_claim (account, email_hash, at, outcome)
            VALUES (${account}, ${emailHash}, ${at}, ${outcome}) ON CONFLICT DO NOTHING`,
      ]);
      return { recorded: true };
    },
  } satisfies Partial<Directory>;
}

const DECISION = rowOf<StarterDecision>("account, email_hash, at, outcome");
