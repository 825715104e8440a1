/** Every bound of email, with its unit and its reason. */
import { DAY_MS, HOUR_MS } from "#limits.ts";

/** About 60 MB of emails: enough for a mail server that is down for a day, at seven emails a minute. */
export const QUEUED_EMAILS_MAX = 10_000;
/**
 * Emails about security events are added up to here. Strangers can fill the queue with emails that anyone can request,
 * and that must not keep an owner from learning of a thief. Each user has a daily limit of them (`limits.ts`).
 */
export const EMAILS_BEFORE_SECURITY_STOPS = 2 * QUEUED_EMAILS_MAX;
/** Beyond this, emails about credits wait in the ledger, which leaves the rest of the queue for sign-in emails. */
export const EMAILS_BEFORE_CREDITS_WAIT = QUEUED_EMAILS_MAX / 2;
/**
 * Queued notifications for one recipient. Emails about credits are counted separately, and emails that anyone can
 * request have their own limits. A recipient who has not received the first does not need a twenty-first.
 */
export const NOTIFICATIONS_PER_RECIPIENT_MAX = 20;

/**
 * Emails of one group (`email-group.ts`) that anyone can request for one address. Four per hour allow for three retries by a
 * user who looks in the wrong folder. Twelve per day are a nuisance but not a flood.
 */
export const REQUESTED_PER_HOUR_MAX = 4;
export const REQUESTED_PER_DAY_MAX = 12;

/** Emails sent at the same time, each over its own connection. Most servers allow ten or more connections. */
export const EMAILS_AT_ONCE = 4;

export const CONNECT_TIMEOUT_MS = 10_000;
/** Some servers delay their greeting for unknown clients. */
export const GREETING_TIMEOUT_MS = 15_000;
/** Silence within a session: servers scan for spam before they reply to the end of the message. */
export const SILENCE_TIMEOUT_MS = 30_000;
/** One email, from connecting until the server has accepted it. */
export const SEND_TIMEOUT_MS = 60_000;
/** Longer than any attempt. When the sending process dies, the email is sent again after this. */
export const LEASE_MS = 90_000;

/** The wait after an email's first failure, which doubles up to the second bound. */
export const RETRY_FIRST_MS = 5_000;
export const RETRY_MAX_MS = HOUR_MS;
/** RFC 5321, section 4.5.4.1, asks relays for four to five days; a notification is of little use after three. */
export const GIVE_UP_AFTER_MS = 3 * DAY_MS;
/**
 * While the server is unreachable, the sender tries one email at least this often, so that all are sent soon after it
 * is back.
 */
export const PAUSE_MAX_MS = 120_000;

/** The outbox is for development: older files are deleted. */
export const OUTBOX_EMAILS_MAX = 200;

/** RFC 5322, section 2.1.1, allows 998 characters on a line; a readable subject has far fewer. */
export const SUBJECT_CHARS_MAX = 200;
