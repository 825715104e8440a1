import {
  type ActivityEvent,
  type ActivityLog,
  EVENTS_KEPT,
  type EventEmailed,
  type EventKind,
  type NewEvent,
  type UserRecord,
} from "#accounts/activity-log.ts";
import { CLAIM_NETWORK_KEPT_MS } from "#accounts/starter-claim.ts";
import { EMAILS_BEFORE_SECURITY_STOPS } from "#email/bounds.ts";
import { emailJob } from "#email/email-queue.ts";
import { DAY_MS, HOUR_MS, SECURITY_EMAILS_OF_A_KIND_MAX } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { rowOf } from "../stored-row.ts";
import { insertJob } from "./add-jobs.ts";
import { WAITING } from "./emails.ts";
import {
  lastRows,
  readCursor,
  type SqlDatabase,
  type SqlQuery,
  sql,
  textSql,
} from "./sql-database.ts";
import { createUserChanges } from "./user-changes.ts";

/**
 * The activity log of a user's security events over a database, and what changes a user. Each operation is one batch.
 *
 * `lockUser`: statements that lock a user until the end of the batch, for a database with concurrent writers.
 */
export function createActivityLog(
  db: SqlDatabase,
  lockUser: (user: string) => readonly SqlQuery[] = () => [],
): ActivityLog {
  return {
    recordEvent: (order) => recordEvent(db, order),
    async recordFailedSignIn({ email, at, address, browser }) {
      const kind: EventKind = "sign_in_failed";
      const user = sql`(SELECT id FROM users WHERE email = ${email})`;
      const ofHour = sql`user_id = ${user} AND kind = ${kind} AND at >= ${at - (at % HOUR_MS)}`;
      const [counted, inserted] = await db.batch([
        sql`UPDATE user_event SET times = times + 1, at = ${at}, address = ${address}, browser = ${browser}
            WHERE no = (SELECT max(no) FROM user_event WHERE ${ofHour}) RETURNING no`,
        sql`INSERT INTO user_event (user_id, at, kind, address, browser)
            SELECT id, ${at}, ${kind}, ${address}, ${browser} FROM users
            WHERE email = ${email} AND NOT EXISTS (SELECT 1 FROM user_event WHERE ${ofHour})
            RETURNING no`,
        dropOldest(user, kind),
      ]);
      return { recorded: counted?.length === 1 || inserted?.length === 1 };
    },
    async listEvents({ user, after, max }) {
      const rows = await lastRows(
        db,
        sql`SELECT * FROM user_event WHERE user_id = ${user} AND no < ${readCursor(after)}
            ORDER BY no DESC LIMIT ${max + 1}`,
      );
      const next = rows.length > max ? String(rows[max - 1]?.["no"]) : null;
      return { events: rows.slice(0, max).map(readEvent), next };
    },
    async findUser({ account }) {
      const [row] = await lastRows(db, sql`SELECT id, email FROM users WHERE account = ${account}`);
      return row === undefined
        ? null
        : { user: row["id"] as string, email: row["email"] as string };
    },
    async findAddress({ user }) {
      const [row] = await lastRows(db, sql`SELECT email FROM users WHERE id = ${user}`);
      return row === undefined ? null : { email: row["email"] as string };
    },
    readUser: (order) => readUser(db, order.account),
    ...createUserChanges(db, lockUser),
    async forgetStale({ now, max, eventsBefore = 0 }) {
      const end = new Date(now).toISOString();
      const forgotten = await db.batch([
        sql`DELETE FROM user_session WHERE id IN (
              SELECT id FROM user_session WHERE "expiresAt" < ${end} LIMIT ${max}) RETURNING id`,
        sql`DELETE FROM user_token WHERE id IN (
              SELECT id FROM user_token WHERE "expiresAt" < ${end} LIMIT ${max}) RETURNING id`,
        sql`DELETE FROM sign_in_attempt WHERE id IN (
              SELECT id FROM sign_in_attempt WHERE "expiresAt" < ${end} LIMIT ${max}) RETURNING id`,
        sql`DELETE FROM email_requested WHERE at <= ${now - DAY_MS}`,
        sql`UPDATE starter_claim SET network = '' WHERE account IN (
              SELECT account FROM starter_claim
              WHERE network <> '' AND at < ${now - CLAIM_NETWORK_KEPT_MS} LIMIT ${max})`,
        sql`DELETE FROM user_event WHERE no IN (
              SELECT no FROM user_event WHERE at < ${eventsBefore} ORDER BY at LIMIT ${max})
            RETURNING no`,
      ]);
      return { forgotten: forgotten.flat().length };
    },
  };
}

async function recordEvent(
  db: SqlDatabase,
  { user, at, kind, detail, address, browser = null, emails = null }: NewEvent,
): ReturnType<ActivityLog["recordEvent"]> {
  const recorded = await db.batch([
    sql`INSERT INTO user_event (user_id, at, kind, detail, address, browser, emailed)
        SELECT id, ${at}, ${kind}, ${detail}, ${address}, ${browser},
          ${emails === null ? sql`NULL` : emailVerdict(user, kind, at)}
        FROM users WHERE id = ${user}
        RETURNING emailed`,
    ...(emails === null
      ? []
      : [
          ...emails.each.map((email) => insertJob(emailJob(email), at, isNewest(user, "each"))),
          insertJob(emailJob(emails.summary), at, isNewest(user, "summary")),
        ]),
    dropOldest(sql`${user}`, kind),
  ]);
  const [row] = recorded[0] ?? [];
  return {
    recorded: row !== undefined,
    emailed: (row?.["emailed"] ?? null) as EventEmailed | null,
  };
}

/** Whether the event that is being recorded gets its emails, by how many events of its kind had some within 24 hours. */
function emailVerdict(user: string, kind: EventKind, at: number): SqlQuery {
  const before = sql`(SELECT count(*) FROM user_event
    WHERE user_id = ${user} AND kind = ${kind} AND at > ${at - DAY_MS} AND at <= ${at}
      AND emailed IN ('each', 'summary'))`;
  return sql`CASE
    WHEN ${WAITING} >= ${EMAILS_BEFORE_SECURITY_STOPS} THEN 'queue_full'
    WHEN ${before} < ${SECURITY_EMAILS_OF_A_KIND_MAX} THEN 'each'
    WHEN ${before} = ${SECURITY_EMAILS_OF_A_KIND_MAX} THEN 'summary'
    ELSE 'over_limit' END`;
}

/** Whether the user's newest event, which the same batch recorded, has this verdict. */
const isNewest = (user: string, emailed: EventEmailed) =>
  sql`(SELECT emailed FROM user_event WHERE user_id = ${user} ORDER BY no DESC LIMIT 1) = ${emailed}`;

const dropOldest = (user: SqlQuery, kind: EventKind) =>
  sql`DELETE FROM user_event WHERE user_id = ${user} AND kind = ${kind} AND no <= (
        SELECT no FROM user_event WHERE user_id = ${user} AND kind = ${kind}
        ORDER BY no DESC LIMIT 1 OFFSET ${EVENTS_KEPT})`;

async function readUser(db: SqlDatabase, account: string): Promise<UserRecord | null> {
  const user = sql`(SELECT id FROM users WHERE account = ${account})`;
  const [users, ...lists] = await db.batch([
    sql`SELECT * FROM users WHERE account = ${account}`,
    sql`SELECT "providerId", "accountId", "createdAt" FROM user_login WHERE "userId" = ${user}
        ORDER BY "createdAt", id`,
    sql`SELECT * FROM user_session WHERE "userId" = ${user} ORDER BY "createdAt", id`,
    sql`SELECT ${textSql(WAITING_EMAIL.columns)} FROM job WHERE queue IN ('email', 'outbox') AND due_at IS NOT NULL
          AND target = (SELECT email FROM users WHERE account = ${account}) ORDER BY no`,
    sql`SELECT low, expiring FROM notification_choice WHERE account = ${account}`,
    sql`SELECT ${textSql(ENDPOINT.columns)} FROM webhook_endpoint
        WHERE account = ${account} ORDER BY created_at, id`,
    sql`SELECT name, "createdAt", "lastUsedAt" FROM user_passkey WHERE "userId" = ${user}
        ORDER BY "createdAt", id`,
  ]);
  const [logins = [], sessions = [], emails = [], choices, ...others] = lists;
  const [endpoints = [], passkeys = []] = others;
  const { low = 1, expiring = 1 } = choices?.[0] ?? {};
  const [row] = users ?? [];
  if (row === undefined) return null;
  return {
    id: String(row["id"]),
    email: String(row["email"]),
    createdAt: readTime(row["createdAt"]),
    account,
    logins: logins.map((login) => ({
      provider: String(login["providerId"]),
      accountId: String(login["accountId"]),
      createdAt: readTime(login["createdAt"]),
    })),
    sessions: sessions.map((session) => ({
      id: String(session["id"]),
      createdAt: readTime(session["createdAt"]),
      lastSeenAt: readTime(session["updatedAt"]),
      expiresAt: readTime(session["expiresAt"]),
      address: (session["ipAddress"] || null) as string | null,
      userAgent: (session["userAgent"] || null) as string | null,
    })),
    passkeys: passkeys.map(({ name, createdAt, lastUsedAt }) => ({
      name: (name ?? null) as string | null,
      createdAt: createdAt == null ? null : readTime(createdAt),
      lastUsedAt: lastUsedAt == null ? null : readTime(lastUsedAt),
    })),
    // PostgreSQL has a boolean, SQLite a number.
    requiresPasskey: [true, 1, "1", "t", "true"].includes(row["requiresPasskey"] as never),
    emailChoices: { low: Number(low) === 1, expiring: Number(expiring) === 1 },
    endpoints: endpoints.map(ENDPOINT.read),
    emailsWaiting: emails.map(WAITING_EMAIL.read),
  };
}

const ENDPOINT = rowOf<UserRecord["endpoints"][number]>("id, url, kinds, created_at, paused_at");
const WAITING_EMAIL = rowOf<UserRecord["emailsWaiting"][number]>("kind, created_at");

/** better-auth stores times as ISO 8601 in SQLite, and as timestamps in PostgreSQL. */
const readTime = (value: unknown) =>
  (value instanceof Date ? value : new Date(String(value))).getTime();

const EVENT = rowOf<Omit<ActivityEvent, "id">>("at, kind, detail, address, browser, times");
const readEvent = (row: SqlRow): ActivityEvent => ({ id: String(row["no"]), ...EVENT.read(row) });
