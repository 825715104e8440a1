import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import {
  boundsFor,
  countedSince,
  NOTIFICATIONS_PER_RECIPIENT_MAX,
  queueLimitOf,
  REQUESTED_PER_DAY_MAX,
  REQUESTED_PER_HOUR_MAX,
  type RequestedCounts,
} from "#email/bounds.ts";
import { canonicalAddress } from "#email/canonical-address.ts";
import type { EmailAdded, EmailQueue, QueuedEmail } from "#email/email-queue.ts";
import { emailJob } from "#email/email-queue.ts";
import {
  type EmailKind,
  groupOf,
  kindsOf,
  REQUESTED_GROUPS,
  type RequestedGroup,
  requestedGroupOf,
} from "#email/mail.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { insertJob, isKnown } from "./add-jobs.ts";
import { listOf, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/** Adds emails to the job queue within their limits. A single batch checks the limits and writes, so that they hold under any load. */
export const createEmailQueue = (db: SqlDatabase): EmailQueue => ({
  add(order) {
    const group = requestedGroupOf(order.email.kind);
    return group === null
      ? addNotification(db, order.email, order.now)
      : addRequested(db, group, order);
  },
  async countRequested({ now }) {
    const { hour, day } = countedSince(now);
    const [rows = []] = await db.batch([
      sql`SELECT email_group, count(*) AS in_day, sum(CASE WHEN at >= ${hour} THEN 1 ELSE 0 END) AS in_hour
          FROM email_requested WHERE at >= ${day} GROUP BY email_group`,
    ]);
    return Object.fromEntries(
      REQUESTED_GROUPS.map((group) => {
        const row = rows.find((each) => each["email_group"] === group);
        return [group, { hour: Number(row?.["in_hour"] ?? 0), day: Number(row?.["in_day"] ?? 0) }];
      }),
    ) as RequestedCounts;
  },
});

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

/** Adds an email that anyone can request, within the limits of its recipient, of the network that causes it and of its group. */
async function addRequested(
  db: SqlDatabase,
  group: RequestedGroup,
  { email, now, bounds, network = "" }: Parameters<EmailQueue["add"]>[0],
): Added {
  const { id, to, kind } = email;
  const recipient = hashOf(to);
  const bound = boundsFor(bounds ?? { perHour: 0, perDay: 0 }, network);
  const since = countedSince(now);
  const toRecipient = (from: number) => sql`(SELECT count(*) FROM email_requested
    WHERE recipient = ${recipient} AND email_group = ${group} AND at > ${from})`;
  const exceeds = (max: number, where: SqlQuery, from: number) =>
    Number.isFinite(max)
      ? sql`(SELECT count(*) FROM email_requested WHERE ${where} AND at >= ${from}) >= ${max}`
      : sql`1 = 0`;
  const [ofGroup, ofNetwork] = [
    sql`email_group = ${group}`,
    sql`network <> '' AND network = ${network}`,
  ];
  const verdict = sql`CASE
    WHEN ${isKnown(id)} THEN 'known'
    WHEN ${isFullFor(kind)} THEN 'queue_full'
    WHEN ${toRecipient(now - HOUR_MS)} >= ${REQUESTED_PER_HOUR_MAX} THEN 'too_often'
    WHEN ${toRecipient(now - DAY_MS)} >= ${REQUESTED_PER_DAY_MAX} THEN 'too_often'
    WHEN ${exceeds(bound.networkHour, ofNetwork, since.hour)} THEN 'network_full'
    WHEN ${exceeds(bound.networkDay, ofNetwork, since.day)} THEN 'network_full'
    WHEN ${exceeds(bound.hour, ofGroup, since.hour)} OR ${exceeds(bound.day, ofGroup, since.day)} THEN 'total_full'
    ELSE 'new' END`;
  const [, rows] = await db.batch([
    // Also delete future times, which the clock leaves behind when it is set back.
    sql`DELETE FROM email_requested WHERE at <= ${now - DAY_MS} OR at > ${now + HOUR_MS}`,
    sql`SELECT ${verdict} AS verdict`,
    insertJob(emailJob(email), now, sql`${verdict} = 'new'`, NEW),
    sql`INSERT INTO email_requested (recipient, email_group, at, network)
        SELECT ${recipient}, ${group}, ${now}, ${network}
        WHERE EXISTS (SELECT 1 FROM job WHERE id = ${id} AND leased_until = ${NEW})`,
    sql`UPDATE job SET leased_until = 0 WHERE id = ${id} AND leased_until = ${NEW}`,
  ]);
  return outcomeOf(rows?.[0]);
}

/** Only the hash of an address is stored, because recipients are personal data: of its canonical form, for aliases are one mailbox. */
const hashOf = (address: string) =>
  bytesToHex(sha256(new TextEncoder().encode(canonicalAddress(address))));
