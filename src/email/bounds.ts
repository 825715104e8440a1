/** Every bound of the letterbox, with its unit and its reason. */
import { DAY_MS, HOUR_MS } from "#limits.ts";

/** About 60 MB of letters: a server that is gone for a day, at seven letters a minute. */
export const QUEUED_EMAILS_MAX = 10_000;
/** From here on letters about credits wait in the ledger, and leave the rest to those that let somebody in. */
export const EMAILS_BEFORE_CREDITS_WAIT = QUEUED_EMAILS_MAX / 2;
/**
 * Notices that wait for one address, and letters about credits on their own: nobody needs a twenty-first before the first has
 * come. Letters that strangers ask for have no part in it.
 */
export const NOTIFICATIONS_PER_RECIPIENT_MAX = 20;

/**
 * What a stranger can have sent to one address: a sign-up with it, or a forgotten password. Each of the two groups
 * counts on its own (`letter-group.ts`). Four in an hour are a letter and three more for somebody who looks in the
 * wrong folder; twelve in a day are a nuisance and no flood.
 */
export const ASKED_PER_HOUR_MAX = 4;
export const ASKED_PER_DAY_MAX = 12;

/** Letters on their way at once, each over a connection of its own: most servers allow ten or more. */
export const EMAILS_AT_ONCE = 4;

export const CONNECT_TIMEOUT_MS = 10_000;
/** Some servers make strangers wait before they greet. */
export const GREETING_TIMEOUT_MS = 15_000;
/** Silence within a conversation: servers look for spam before they answer the end of the text. */
export const SILENCE_TIMEOUT_MS = 30_000;
/** One letter from the connection to the server's word that it has it. */
export const SEND_TIMEOUT_MS = 60_000;
/** Longer than any sending takes. A letter whose process died goes out again after this. */
export const LEASE_MS = 90_000;

/** The wait after the first failure of a letter; it doubles up to the second bound. */
export const RETRY_FIRST_MS = 5_000;
export const RETRY_MAX_MS = HOUR_MS;
/** RFC 5321, section 4.5.4.1, asks for four to five days of a relay; a notice older than three says little. */
export const GIVE_UP_AFTER_MS = 3 * DAY_MS;
/** While the server is out of reach one letter is tried, at most this far apart: soon after it is back, all go. */
export const PAUSE_MAX_MS = 120_000;

/** The outbox is for looking at; what is older has been seen. */
export const OUTBOX_EMAILS_MAX = 200;

/** RFC 5322, section 2.1.1: a line has at most 998 characters; a subject that people read has far fewer. */
export const SUBJECT_CHARS_MAX = 200;
