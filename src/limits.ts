/**
 * Every bound of the service in one place, with its unit and its reason.
 * The contract of the API names the public ones; an operator's settings are in `config.ts`.
 */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const KB = 1024;
const MB = 1024 * KB;

/** The specification's "1 MB" and "4 KB", counted in UTF-8 bytes of the decoded field; the bound itself is allowed. */
export const MARKDOWN_BYTES_MAX = MB;
export const HASH_TEXT_BYTES_MAX = MB;
export const QR_TEXT_BYTES_MAX = 4 * KB;
/** Of the JSON value itself; around it there may be white space and a byte order mark. */
export const ECHO_VALUE_BYTES_MAX = MB;
export const UUID_BODY_BYTES_MAX = 16 * KB;

export const QR_WIDTH_MIN = 64;
export const QR_WIDTH_MAX = 2048;
export const QR_WIDTH_DEFAULT = 256;
export const UUID_COUNT_MAX = 500;

/**
 * The raw body that a text field of so many bytes may need: a character written as `\u0041` takes six
 * bytes for one, and 16 KB are left for the other fields, white space and a byte order mark.
 */
export const SPACE_BYTES = 16 * KB;
export const bodyBytesFor = (fieldBytesMax: number) => 6 * fieldBytesMax + SPACE_BYTES;

/** A refused body is read and dropped this far past its limit, so that the connection can go on being used. */
export const DRAIN_SLACK_BYTES = 64 * KB;
/** And for this long: a client on a slow line gets its refusal now and loses the connection. */
export const DRAIN_WAIT_MS = 500;

/** JSON nested deeper than this is refused: it is no data anyone sends, and recursion elsewhere has an end. */
export const JSON_DEPTH_MAX = 512;

/** Answers from this size on are compressed for those who accept it: below, the saving is less than a packet. */
export const COMPRESS_FROM_BYTES = 2 * KB;

export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
export const IDEMPOTENCY_KEPT_MS = DAY_MS;

/** Idempotency looks back 24 hours and reversals look for a debit by its row, so rows are kept twice as long at the least. */
export const ROLL_UP_AFTER_DAYS_MIN = 2;
export const ROLL_UP_AFTER_DAYS_DEFAULT = 30;

/** Below this balance its owner is told, until they choose another bound. */
export const LOW_BALANCE_DEFAULT = 20;
/** Before a grant expires its owner is told, so many days ahead each. */
export const EXPIRY_NOTICE_DAYS = [30, 7] as const;

/** The first call of an account is free up to this price. */
export const FREE_CALL_CREDITS_DEFAULT = 1;
export const STARTER_CREDITS_DEFAULT = 100;
export const STARTER_DAYS_DEFAULT = 90;

/** Resend's own: other providers take letters in the same form. */
export const MAIL_API_URL_DEFAULT = "https://api.resend.com/emails";

export const KEY_LABEL_CHARS_MAX = 100;
/** Keys that are not revoked: one per environment is advised, and a list should stay one that a person can read. */
export const KEYS_PER_ACCOUNT_MAX = 25;
/** Days of usage that are told at once: a year and a month for comparing. */
export const USAGE_DAYS_MAX = 400;
/** RFC 5321, section 4.5.3.1.3: a path of 256 octets with its two angle brackets. */
export const EMAIL_CHARS_MAX = 254;
/** Beyond this a sum of grants could leave the integers that JSON carries exactly (2^53). */
export const GRANT_CREDITS_MAX = 1_000_000_000_000;

/** The price of a call: a million calls at this price stay within the sums above. */
export const PRICE_CREDITS_MAX = 1_000_000;

export const HEADER_BYTES_MAX = 32 * KB;
export const HEADERS_TIMEOUT_MS = 10_000;
/** Headers and body together; 6 MB at 128 KB/s arrive in 48 s. */
export const REQUEST_TIMEOUT_MS = 60_000;
/**
 * At the edge, of the body alone: while it comes, its length is taken from the little room of an isolate, so whoever stalls
 * must soon make place. A text of 1 MB needs 70 KB/s; 6 MB, the same all in escapes, 420 KB/s.
 */
export const WORKER_BODY_TIMEOUT_MS = 15_000;

/** Longer than the usual 60 s of a proxy, so that the proxy closes first and never writes into a closing connection. */
export const KEEP_ALIVE_MS = 65_000;
/** Longer than any call takes, the wait for its body and a thread included. */
export const SILENCE_MAX_MS = 90_000;
/** Each takes about 20 KB while idle. */
export const CONNECTIONS_MAX = 10_000;

/** Bodies and answers of large calls that are held at once, in all and for one account: beyond it 503, uncharged. */
export type MemoryLimits = {
  bytes: number;
  bytesPerAccount: number;
  callsPerAccount: number;
  /** What was held for so long counts no more: its call is over, and nobody was told. */
  heldMsMax: number;
};
/** On a machine. Calls of one account: a quarter of what waits for the threads, so that others get there too. */
export const NODE_MEMORY: MemoryLimits = {
  bytes: 256 * MB,
  bytesPerAccount: 128 * MB,
  callsPerAccount: 16,
  // Here every end is told.
  heldMsMax: Number.POSITIVE_INFINITY,
};
/** In an isolate of 128 MB. */
export const WORKER_MEMORY: MemoryLimits = {
  bytes: 20 * MB,
  bytesPerAccount: 12 * MB,
  callsPerAccount: 4,
  heldMsMax: 60_000,
};

/** A call waits this long for the ledger before it is refused with 503; a commit normally takes well under 10 ms. */
export const LEDGER_TIMEOUT_MS = 5_000;
/** What reads or moves all that an account has, at the edge: with millions of debits it takes seconds. */
export const WHOLE_ACCOUNT_TIMEOUT_MS = 25_000;
/** Orders waiting for the ledger at once; at 4,000 a second the last one waits as long as the time-out above. */
export const LEDGER_QUEUE_MAX = 20_000;
/** Orders in one transaction: past some hundreds a batch gains nothing, and the first in it waits longer. */
export const LEDGER_BATCH_MAX = 512;

/** A tool on a worker thread is stopped after this: the worst input found within bounds takes 3.4 s. */
export const TOOL_TIMEOUT_MS = 20_000;
/** Large inputs waiting for a worker thread at once; each may hold 6 MB. */
export const TOOL_QUEUE_MAX = 64;

/** What the pages send: a label, an address, a password. */
export const DASHBOARD_BODY_BYTES_MAX = 64 * KB;
/** A message of Stripe's has one object in it, some KB. */
export const STRIPE_MESSAGE_BYTES_MAX = 256 * KB;

/** Records that an import sends at once, as JSON; and the body around them. */
export const IMPORT_PAGE_BYTES_MAX = MB;
export const OPERATOR_BODY_BYTES_MAX = IMPORT_PAGE_BYTES_MAX + 64 * KB;
