import type { ActivityLog, EventKind } from "#accounts/activity-log.ts";
import type { AttemptPurpose } from "#accounts/attempts.ts";
import { EMAILS_BEFORE_CREDITS_WAIT } from "#email/bounds.ts";
import { emailJob } from "#email/email-queue.ts";
import { DAY_MS } from "#limits.ts";
import { insertJob } from "./add-jobs.ts";
import { WAITING } from "./emails.ts";
import { lastRows, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/** What a thief has added to an account may be a little older than the change of its address. */
const SUSPECT_BEFORE_MS = DAY_MS;

/** The tries of an undo by which the statements of a batch recognize that the batch made the change. Reset at its end. */
const NEW = -1;

/** The changes of users that better-auth does not make, for the activity log (`activity-log.ts`). */
export function createUserChanges(
  db: SqlDatabase,
  lockUser: (user: string) => readonly SqlQuery[],
) {
  return {
    async removePasskey({ user, passkey }) {
      const results = await db.batch([
        ...lockUser(user),
        sql`DELETE FROM user_passkey WHERE id = ${passkey} AND "userId" = ${user} RETURNING id`,
        endEmptyRequirement(user),
      ]);
      const removed = results.at(-2)?.length === 1;
      return { removed, endedRequirement: removed && results.at(-1)?.length === 1 };
    },
    async requirePasskey({ user, requires }) {
      const changed = await lastRows(
        db,
        ...lockUser(user),
        sql`UPDATE users SET "requiresPasskey" = ${isTrue(requires)} WHERE id = ${user}
              AND (${isTrue(!requires)} OR ${hasPasskey(user)}) RETURNING id`,
      );
      return { done: changed.length === 1 };
    },
    async resetPasskeys({ account }) {
      const owner = sql`(SELECT id FROM users WHERE account = ${account})`;
      const [users = [], passkeys = []] = await db.batch([
        sql`UPDATE users SET "requiresPasskey" = (1 = 0) WHERE account = ${account} RETURNING id`,
        sql`DELETE FROM user_passkey WHERE "userId" IN ${owner} RETURNING id`,
        sql`DELETE FROM user_session WHERE "userId" IN ${owner}`,
      ]);
      return { found: users.length > 0, passkeys: passkeys.length };
    },
    async changeAddress({ account, from, to, at, keptSession, undo, email }) {
      if (from === to) return { outcome: "unchanged" };
      const purpose: AttemptPurpose = "undo";
      const isNext = sql`account = ${account} AND email = ${from} AND ${isFreeFor(to, account)}`;
      const isChanged = sql`EXISTS (SELECT 1 FROM sign_in_attempt WHERE id = ${undo.id} AND tries = ${NEW})`;
      const [before = [], ...changes] = await db.batch([
        sql`SELECT email FROM address WHERE account = ${account}`,
        // It signs no user in: it has the hash of the link in place of a browser's, and no code.
        sql`INSERT INTO sign_in_attempt
              (id, purpose, email, "userId", browser, link, code, tries, "createdAt", "expiresAt")
            SELECT ${undo.id}, ${purpose}, email, id, ${undo.link}, ${undo.link}, '', ${NEW}, ${iso(at)}, ${iso(undo.until)}
            FROM users WHERE ${isNext}`,
        // The account's address follows its user's (trigger user_moved); the other statement is for accounts without a user.
        sql`UPDATE users SET email = ${to}, "updatedAt" = ${iso(at)} WHERE ${isNext} RETURNING id`,
        sql`UPDATE address SET email = ${to} WHERE ${isNext} RETURNING account`,
        sql`DELETE FROM user_session WHERE id <> ${keptSession ?? ""} AND ${isChanged}
              AND "userId" IN (SELECT id FROM users WHERE account = ${account})`,
        ...(email === null ? [] : [insertJob(emailJob(email), at, isChanged)]),
        sql`UPDATE sign_in_attempt SET tries = 0 WHERE id = ${undo.id} AND tries = ${NEW}`,
      ]);
      const [row] = before;
      if (row === undefined) return { outcome: "no_account" };
      if (row["email"] === to) return { outcome: "unchanged" };
      const isDone = [changes[1], changes[2]].some((rows) => rows?.length === 1);
      return { outcome: isDone ? "changed" : "taken" };
    },
    async undoAddressChange({ link, at }) {
      const purpose: AttemptPurpose = "undo";
      const [row] = await lastRows(
        db,
        sql`SELECT t.email, t."userId", t."createdAt", u.email AS before, u.account
            FROM sign_in_attempt t JOIN users u ON u.id = t."userId"
            WHERE t.link = ${link} AND t.purpose = ${purpose} AND t."expiresAt" > ${iso(at)}`,
      );
      if (row === undefined) return { outcome: "expired" };
      const [user, email, account] = [row["userId"], row["email"], row["account"]] as string[];
      if (user === undefined || email === undefined || account === undefined)
        return { outcome: "expired" };
      const changedAt = new Date(row["createdAt"] as string | Date);
      const since = iso(changedAt.getTime() - SUSPECT_BEFORE_MS);
      // While the link exists: of two presses at once, one undoes the change, and what was added since then stays.
      const isLive = sql`EXISTS (SELECT 1 FROM sign_in_attempt WHERE link = ${link})`;
      const isBack = sql`${isLive} AND EXISTS (SELECT 1 FROM users WHERE id = ${user} AND email = ${email})`;
      const results = await db.batch([
        ...lockUser(user),
        sql`UPDATE users SET email = ${email}, "updatedAt" = ${iso(at)}
            WHERE id = ${user} AND email <> ${email} AND ${isLive} AND ${isFreeFor(email, account)}`,
        sql`DELETE FROM user_session WHERE "userId" = ${user} AND ${isBack}`,
        sql`DELETE FROM user_passkey WHERE "userId" = ${user} AND "createdAt" >= ${since} AND ${isBack}`,
        sql`DELETE FROM user_login WHERE "userId" = ${user} AND "createdAt" >= ${since} AND ${isBack}`,
        endEmptyRequirement(user),
        // Links of earlier changes stay: their owners had the account before.
        sql`DELETE FROM sign_in_attempt WHERE "userId" = ${user} AND ${isBack}
              AND (purpose <> ${purpose} OR "createdAt" >= ${changedAt.toISOString()}) RETURNING link`,
        sql`SELECT id FROM sign_in_attempt WHERE link = ${link}`,
      ]);
      if (results.at(-1)?.length === 1) return { outcome: "taken" };
      if (!results.at(-2)?.some((forgotten) => forgotten["link"] === link))
        return { outcome: "expired" };
      return { outcome: "undone", user, email, before: String(row["before"]) };
    },
    async undoableUntil({ user, at }) {
      const purpose: AttemptPurpose = "undo";
      const [row] = await lastRows(
        db,
        sql`SELECT max("expiresAt") AS until FROM sign_in_attempt
            WHERE "userId" = ${user} AND purpose = ${purpose} AND "expiresAt" > ${iso(at)}`,
      );
      const until = (row?.["until"] ?? null) as string | Date | null;
      return { until: until === null ? null : new Date(until).getTime() };
    },
    async listUntold({ max }) {
      const rows = await lastRows(
        db,
        sql`SELECT n.user_id, u.email FROM upgrade_notice n JOIN users u ON u.id = n.user_id
            WHERE n.email_id IS NULL ORDER BY n.user_id LIMIT ${max}`,
      );
      return rows.map((row) => ({ user: String(row["user_id"]), email: String(row["email"]) }));
    },
    async tellOwner({ user, at, email }) {
      const kind: EventKind = "passwords_retired";
      // The mark in the row is this email's only where no other process has told the owner.
      const isMine = sql`EXISTS (SELECT 1 FROM upgrade_notice WHERE user_id = ${user} AND email_id = ${email.id})`;
      const results = await db.batch([
        sql`UPDATE upgrade_notice SET email_id = ${email.id} WHERE user_id = ${user} AND email_id IS NULL
              AND ${WAITING} < ${EMAILS_BEFORE_CREDITS_WAIT}`,
        insertJob(emailJob(email), at, isMine),
        sql`INSERT INTO user_event (user_id, at, kind, emailed)
            SELECT id, ${at}, ${kind}, 'each' FROM users WHERE id = ${user} AND ${isMine}`,
        sql`DELETE FROM upgrade_notice WHERE user_id = ${user} AND email_id = ${email.id}
            RETURNING user_id`,
      ]);
      return { sent: results.at(-1)?.length === 1 };
    },
  } satisfies Partial<ActivityLog>;
}

const iso = (at: number): string => new Date(at).toISOString();

/** PostgreSQL has a boolean, SQLite a number. */
const isTrue = (value: boolean): SqlQuery => (value ? sql`(1 = 1)` : sql`(1 = 0)`);

const hasPasskey = (user: string): SqlQuery =>
  sql`EXISTS (SELECT 1 FROM user_passkey WHERE "userId" = ${user})`;

/** A user without a passkey cannot require one. */
const endEmptyRequirement = (user: string): SqlQuery =>
  sql`UPDATE users SET "requiresPasskey" = (1 = 0)
        WHERE id = ${user} AND "requiresPasskey" AND NOT ${hasPasskey(user)} RETURNING id`;

/** Whether no other account has the address. */
const isFreeFor = (email: string, account: string): SqlQuery =>
  sql`NOT EXISTS (SELECT 1 FROM users AS o WHERE o.email = ${email} AND (o.account IS NULL OR o.account <> ${account}))
    AND NOT EXISTS (SELECT 1 FROM address AS o WHERE o.email = ${email} AND o.account <> ${account})`;
