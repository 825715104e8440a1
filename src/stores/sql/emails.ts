import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import {
  NOTIFICATIONS_PER_RECIPIENT_MAX,
  REQUESTED_PER_DAY_MAX,
  REQUESTED_PER_HOUR_MAX,
} from "#email/bounds.ts";
import { canonicalAddress } from "#email/canonical-address.ts";
import { groupOf, isRequestable, kindsOf, queueLimitOf } from "#email/email-group.ts";
import type { EmailAdded, EmailQueue, QueuedEmail } from "#email/email-queue.ts";
import { emailJob } from "#email/email-queue.ts";
import type { EmailKind } from "#email/mail.ts";
import { boundsFor, countedSince, UNKNOWN_REQUESTER } from "#email/requested-bounds.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { insertJob, isKnown } from "./add-jobs.ts";
import { listOf, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/** Adds emails to the job queue within their limits. A single batch checks the limits and writes, so that they hold under any load. */
export const createEmailQueue = (db: SqlDatabase): EmailQueue => ({
  add: (order) =>
    isRequestable(order.email.kind)
      ? addAsked(db, order)
      : addNotification(db, order.email, order.now),
  async countRequested({ now, network }) {
    const { hour, day } = countedSince(now);
    const [rows] = await db.batch([
      sql`SELECT ${countSince(hour)} AS in_hour, ${countSince(day)} AS in_day,
            ${countSince(hour, network)} AS network_hour, ${countSince(day, network)} AS network_day`,
    ]);
    const count = (name: string) => Number(rows?.[0]?.[name]);
    return {
      hour: count("in_hour"),
      day: count("in_day"),
      networkHour: count("network_hour"),
      networkDay: count("network_day"),
    };
  },
});

/** The number of emails to anyone that were requested since then; from the network, if one is given. */
const countSince = (since: number, network?: string) =>
  network === undefined
    ? sql`(SELECT count(*) FROM email_requested WHERE at >= ${since})`
    : sql`(SELECT count(*) FROM email_requested
        WHERE network <> '' AND network = ${network} AND at >= ${since})`;

type Added = Promise<{ outcome: EmailAdded }>;

/** The value of `leased_until` by which the statements of a batch recognize the email that the batch added. Reset at its end. */
const NEW = -1;

/** Reads the verdict of a batch: the email was added, or why not. */
const outcomeOf = (verdict: SqlRow | undefined): { outcome: EmailAdded } => {
  const outcome = verdict?.["verdict"];
  return outcome === "queue_full" ||
    outcome === "recipient_full" ||
    outcome === "too_often" ||
    outcome === "total_full" ||
    outcome === "network_full"
    ? { outcome }
    : { outcome: "added" };
};

/** The number of waiting emails. Each queue is counted separately, so that the index is used. */
export const WAITING = sql`((SELECT count(*) FROM job WHERE queue = 'email' AND due_at IS NOT NULL)
  + (SELECT count(*) FROM job WHERE queue = 'outbox' AND due_at IS NOT NULL))`;

/** Whether the queue has no room for an email of this kind. */
export const isFullFor = (kind: EmailKind) => sql`${WAITING} >= ${queueLimitOf(kind)}`;

const isFor = (recipient: string) =>
  sql`queue IN ('email', 'outbox') AND target = ${recipient} AND due_at IS NOT NULL`;

/** Emails that share a limit with this kind. */
const likeIt = (kind: EmailKind) => sql`kind IN (${listOf(kindsOf(groupOf(kind)))})`;

/** Whether a notification email may be added: `new`, or the reason why not. */
export const notificationVerdict = (email: QueuedEmail, now: number): SqlQuery => sql`CASE
    WHEN ${isKnown(email.id)} THEN 'known'
    WHEN ${isFullFor(email.kind)} THEN 'queue_full'
    WHEN (SELECT count(*) FROM job
          WHERE ${isFor(email.to)} AND (useful_until IS NULL OR useful_until > ${now})
            AND ${likeIt(email.kind)}) >= ${NOTIFICATIONS_PER_RECIPIENT_MAX} THEN 'recipient_full'
    ELSE 'new' END`;

async function addNotification(db: SqlDatabase, email: QueuedEmail, now: number): Added {
  const verdict = notificationVerdict(email, now);
  const [rows] = await db.batch([
    sql`SELECT ${verdict} AS verdict`,
    insertJob(emailJob(email), now, sql`${verdict} = 'new'`),
  ]);
  return outcomeOf(rows?.[0]);
}

/**
 * Adds an email that anyone can request. It replaces a waiting email of its kind, or counts against the recipient's hourly and
 * daily limits and against those of all recipients.
 */
async function addAsked(
  db: SqlDatabase,
  { email, now, bounds, requester = UNKNOWN_REQUESTER }: Parameters<EmailQueue["add"]>[0],
): Added {
  const { id, to, kind } = email;
  const [recipient, group] = [hashOf(to), groupOf(kind)];
  // A leased email may already be on its way, so it can no longer be replaced.
  const older = sql`${isFor(to)} AND kind = ${kind} AND id <> ${id} AND leased_until <= ${now}`;
  const countAsked = (since: number) => sql`(SELECT count(*) FROM email_requested
    WHERE recipient = ${recipient} AND email_group = ${group} AND at > ${since})`;
  const { network } = requester;
  const bound = boundsFor(bounds ?? { perHour: 0, perDay: 0 }, requester);
  const since = countedSince(now);
  const exceeds = (max: number, from: number, where?: string) =>
    Number.isFinite(max) ? sql`${countSince(from, where)} >= ${max}` : sql`1 = 0`;
  const verdict = sql`CASE
    WHEN ${isKnown(id)} THEN 'known'
    WHEN EXISTS (SELECT 1 FROM job WHERE ${older}) THEN 'instead'
    WHEN ${isFullFor(kind)} THEN 'queue_full'
    WHEN ${countAsked(now - HOUR_MS)} >= ${REQUESTED_PER_HOUR_MAX} THEN 'too_often'
    WHEN ${countAsked(now - DAY_MS)} >= ${REQUESTED_PER_DAY_MAX} THEN 'too_often'
    WHEN ${exceeds(bound.networkHour, since.hour, network)} THEN 'network_full'
    WHEN ${exceeds(bound.networkDay, since.day, network)} THEN 'network_full'
    WHEN ${exceeds(bound.hour, since.hour)} OR ${exceeds(bound.day, since.day)} THEN 'total_full'
    ELSE 'new' END`;
  const isNew = sql`EXISTS (SELECT 1 FROM job WHERE id = ${id} AND leased_until = ${NEW})`;
  const [, rows] = await db.batch([
    // Also delete future times, which the clock leaves behind when it is set back.
    sql`DELETE FROM email_requested WHERE at <= ${now - DAY_MS} OR at > ${now + HOUR_MS}`,
    sql`SELECT ${verdict} AS verdict`,
    insertJob(emailJob(email), now, sql`${verdict} IN ('instead', 'new')`, NEW),
    sql`INSERT INTO email_requested (recipient, email_group, at, network)
        SELECT ${recipient}, ${group}, ${now}, ${network}
        WHERE ${isNew} AND NOT EXISTS (SELECT 1 FROM job WHERE ${older})`,
    sql`DELETE FROM job WHERE ${older} AND ${isNew}`,
    sql`UPDATE job SET leased_until = 0 WHERE id = ${id} AND leased_until = ${NEW}`,
  ]);
  return outcomeOf(rows?.[0]);
}

/** Only the hash of an address is stored, because recipients are personal data: of its canonical form, for aliases are one mailbox. */
const hashOf = (address: string) =>
  bytesToHex(sha256(new TextEncoder().encode(canonicalAddress(address))));
