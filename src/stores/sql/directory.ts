import type { AccountIndex, Address, Directory, IndexedAccount } from "#accounts/directory.ts";
import { rowOf } from "../stored-row.ts";
import { ERASED } from "./jobs.ts";
import { lastRows, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";
import { createStarterClaims, registration } from "./starter-claims.ts";

type DirectoryOptions = {
  /** Statements that lock the account's user until the end of the batch, for a database with concurrent writers. */
  lockUser?: (account: string) => readonly SqlQuery[];
  /** Statements that follow the registration of an address in its batch. */
  onRegister?: (email: string) => readonly SqlQuery[];
};

/** The directory of email addresses over a database. Each operation is one batch. */
export function createDirectory(
  db: SqlDatabase,
  { lockUser = () => [], onRegister = () => [] }: DirectoryOptions = {},
): Directory {
  const select = async (which: SqlQuery): Promise<Address[]> =>
    (await lastRows(db, sql`SELECT * FROM address WHERE ${which}`)).map(ADDRESS.read);
  return {
    ...createStarterClaims(db, onRegister),
    async register({ email, account, createdAt }) {
      const [, holders] = await db.batch([
        ...registration({ email, account, createdAt }),
        ...onRegister(email),
      ]);
      const [row] = holders ?? [];
      return { outcome: row?.["account"] === account ? "registered" : "taken" };
    },
    async findByEmail({ email }) {
      const [found = null] = await select(sql`email = ${email}`);
      return found;
    },
    async findByAccount({ account }) {
      const [found = null] = await select(sql`account = ${account}`);
      return found;
    },
    listAddresses: ({ after, max }) =>
      select(sql`email > ${after ?? ""} ORDER BY email LIMIT ${max}`),
    async forget({ account, emailHash, now }) {
      const isEmailToIt = sql`queue IN ('email', 'outbox')
        AND target = (SELECT email FROM address WHERE account = ${account})`;
      const deleted = await lastRows(
        db,
        ...lockUser(account),
        sql`INSERT INTO closed_address (email_hash, closed_at)
            SELECT ${emailHash}, ${now} FROM address WHERE account = ${account}
            ON CONFLICT DO NOTHING`,
        // Emails to it that wait, or are dead and could be retried by operators.
        sql`DELETE FROM job WHERE due_at IS NOT NULL AND ${isEmailToIt}`,
        sql`UPDATE job SET ${ERASED} WHERE erase_at IS NOT NULL AND ${isEmailToIt}`,
        sql`DELETE FROM address WHERE account = ${account} RETURNING email`,
      );
      return { found: deleted.length > 0 };
    },
    async recordClosed({ emailHash, now }) {
      await db.batch([
        sql`INSERT INTO closed_address (email_hash, closed_at) VALUES (${emailHash}, ${now})
            ON CONFLICT DO NOTHING`,
      ]);
      return { recorded: true };
    },
    async wasClosed({ emailHash }) {
      const found = await lastRows(
        db,
        sql`SELECT closed_at FROM closed_address WHERE email_hash = ${emailHash}`,
      );
      return { closed: found.length > 0 };
    },
  };
}

const ADDRESS = rowOf<Address>("email, account, created_at");

/** Whether there is no account yet, or only the account of this email address without a key: its creation did not finish. */
export async function isEmptyOrUnfinished(db: SqlDatabase, email: string): Promise<boolean> {
  const others = await lastRows(
    db,
    sql`SELECT 1 AS found FROM account a WHERE
      a.id NOT IN (SELECT account FROM address WHERE email = ${email})
      OR EXISTS (SELECT 1 FROM api_key k WHERE k.account_no = a.no) LIMIT 1`,
  );
  return others.length === 0;
}

const INDEXED = rowOf<IndexedAccount>("account, created_at");

/** The list of accounts of a ledger that stores all accounts in one database. */
export const accountsOfLedger = (db: SqlDatabase): AccountIndex => ({
  record: async () => ({ recorded: true }),
  async list({ after, max }) {
    const rows = await lastRows(
      db,
      sql`SELECT id AS account, created_at FROM account
          WHERE no > coalesce((SELECT no FROM account WHERE id = ${after?.account ?? null}), 0)
          ORDER BY no LIMIT ${max}`,
    );
    return rows.map(INDEXED.read);
  },
});

/** Lists the account that has an address, in the batch that registers the address, which comes before the account is opened. */
export const listAccountOf = (email: string) => [
  sql`INSERT INTO account_index (account, created_at)
      SELECT account, created_at FROM address WHERE email = ${email}
      ON CONFLICT DO NOTHING`,
];

/** The list of accounts in a table of its own, for accounts with a database each. */
export function createAccountIndex(db: SqlDatabase): AccountIndex {
  return {
    async record({ account, now }) {
      await db.batch([
        sql`INSERT INTO account_index (account, created_at) VALUES (${account}, ${now})
            ON CONFLICT DO NOTHING`,
      ]);
      return { recorded: true };
    },
    async list({ after, max }) {
      const rest =
        after === null
          ? sql`1 = 1`
          : sql`(created_at, account) > (${after.createdAt}, ${after.account})`;
      const rows = await lastRows(
        db,
        sql`SELECT account, created_at FROM account_index WHERE ${rest}
            ORDER BY created_at, account LIMIT ${max}`,
      );
      return rows.map(INDEXED.read);
    },
  };
}
