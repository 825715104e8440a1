/**
 * Every bound of the service, with its unit and its reason. Bounds that an operator can set are in `config/`; their
 * defaults are here.
 */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const KB = 1024;
const MB = 1024 * KB;

/** In UTF-8 bytes of the decoded field. A text of exactly this size is allowed. */
export const MARKDOWN_BYTES_MAX = MB;
/** Also of the bytes that `base64` stands for. */
export const HASH_TEXT_BYTES_MAX = MB;
/** Far longer than any block of SHA-2, beyond which a key is hashed first. */
export const HMAC_KEY_BYTES_MAX = 4 * KB;
export const QR_TEXT_BYTES_MAX = 4 * KB;
/** In bytes of the JSON value, without the white space and the byte order mark around it. */
export const ECHO_VALUE_BYTES_MAX = MB;
export const UUID_BODY_BYTES_MAX = 16 * KB;

/** Servers commonly accept URLs of this length, and it is far below the 16 KB that a body has for its other fields. */
export const BASE_URL_CHARS_MAX = 2048;

export const QR_WIDTH_MIN = 64;
export const QR_WIDTH_MAX = 2048;
export const QR_WIDTH_DEFAULT = 256;
/** In modules. ISO/IEC 18004, section 5.3.8, asks for a quiet zone of 4 modules on all sides. */
export const QR_MARGIN_DEFAULT = 4;
export const QR_MARGIN_MAX = 16;
export const UUID_COUNT_MAX = 500;

/**
 * The raw body that a text field of so many bytes may need: a character written as `\u0041` takes six bytes instead of
 * one. 16 KB are left for the other fields, white space and a byte order mark.
 */
export const SPACE_BYTES = 16 * KB;
export const bodyBytesFor = (fieldBytesMax: number) => 6 * fieldBytesMax + SPACE_BYTES;

/** A form has one file and a few fields; each part has a header or two. Also of a form without parts. */
export const FORM_PARTS_MAX = 20;
export const FORM_PART_HEADER_BYTES_MAX = 4 * KB;

/** A rejected body is read and dropped up to this far past its limit, so that the connection can be reused. */
export const DRAIN_SLACK_BYTES = 64 * KB;
/** And at most this long: a client on a slow line gets its error now and loses the connection. */
export const DRAIN_WAIT_MS = 500;

/**
 * How long a 429 is held back. A client that does not heed it would otherwise ask again as fast as it is answered, and keep the
 * thread busy for the others.
 */
export const RATE_LIMITED_WAIT_MS = 100;

/** Deeper JSON is rejected: no client sends such data, and it would exhaust the stack of recursive code. */
export const JSON_DEPTH_MAX = 512;

/** Smaller responses are not compressed, because that saves less than a packet. */
export const COMPRESS_FROM_BYTES = 2 * KB;

/** Faults that an error lists. A body of a megabyte can have half a million, which would make a large and useless response. */
export const FINDINGS_MAX = 20;

export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
export const IDEMPOTENCY_KEPT_MS = DAY_MS;
/**
 * A node whose clock differs from that of its database by more warns, and what it keeps for repeats has the time of the database. More
 * than an order usually waits for the store.
 */
export const CLOCKS_APART_MS = 5_000;
/** Replays of large inputs with one key. They cost as much CPU as the first call, and no credits. */
export const REPLAYS_PER_MINUTE_MAX = 10;

/** A hold's lease is the time limit of its tool and this, for what a node may do before and after: its call is never released while it runs. */
export const LEASE_MARGIN_MS = 10_000;
/** The lease of a call that holds its price: at most twice the longest time limit of a tool, so that the end of a silent one is near. */
export const LEASE_MS_MAX = 20 * 60_000;
/** A response that is kept under an idempotency key, as it is sent. */
export const KEPT_RESPONSE_BYTES_MAX = MB;
/** What is kept for an account, compressed and encrypted. It is checked before a call, so the calls that run at once may exceed it. */
export const KEPT_BYTES_MAX = 100 * MB;
/** The holds that a step of `expireHolds` ends. Each is decided like a call, and calls wait for the step. */
export const EXPIRED_HOLDS_A_STEP = 100;

/**
 * Days for which each call is kept individually. Idempotency looks back 24 hours, and reversals need the row of the debit; customers ask
 * about a call within a month. At 100 calls a second without a pause they take 47 GB.
 */
export const ROLL_UP_AFTER_DAYS = 30;

/** The owner gets an email below this balance, unless they choose another value. */
export const LOW_BALANCE_DEFAULT = 20;
/** The owner gets an email this many days before a grant expires. */
export const EXPIRY_WARNING_DAYS = [30, 7] as const;

/** The first call of an account is free up to this price. */
export const FREE_CALL_CREDITS_DEFAULT = 1;
export const STARTER_CREDITS_DEFAULT = 100;
export const STARTER_DAYS_DEFAULT = 90;
/** Starter grants a UTC day: for a network (an office, a class), and for the service, which bounds what a day can give away. */
export const STARTER_BUDGETS = { perNetwork: 10, perDay: 1_000 };
/** Emails of one group that all people together can request: far more than sign-ins need, far fewer than spam filters notice. */
export const REQUESTED_EMAILS = { perHour: 300, perDay: 2_000 };

/** The API of Resend. Other providers accept emails in the same form. */
export const MAIL_API_URL_DEFAULT = "https://api.resend.com/emails";

/**
 * Entries of one kind in a user's activity log. Counting by kind keeps a thief from pushing an entry out of the log by
 * repeating something else. Entries are also deleted after a year.
 */
export const ACTIVITY_OF_A_KIND_MAX = 500;
export const ACTIVITY_KEPT_DAYS = 365;

/** The request log: how long requests are kept, and how many of an account. 100,000 take about 20 MB. */
export const REQUEST_LOG_DAYS_DEFAULT = 7;
export const REQUEST_LOG_MAX = 100_000;
/** Sums of requests by tool are of at most so many, the newest. */
export const SUMMARY_REQUESTS_MAX = 10_000;
/** Its counts by hour, which are small. */
export const REQUEST_HOURS_KEPT_MS = 30 * DAY_MS;
/**
 * Emails about security events of one kind that a user gets within 24 hours, one for each event. The next event brings a
 * summary, and those after it are only in the log. Counting by kind keeps a thief from using up the emails about
 * something else.
 */
export const SECURITY_EMAILS_OF_A_KIND_MAX = 5;

export const KEY_LABEL_CHARS_MAX = 100;
/** Keys that are not revoked. One key per environment is enough, and the list must stay readable. */
export const KEYS_PER_ACCOUNT_MAX = 25;
/** A key of this age that was not used for as long is pointed out to its owner. */
export const KEY_UNUSED_DAYS = 90;
/** The networks that one key can name. Every call with the key is compared with all of them. */
export const KEY_NETWORKS_MAX = 32;
/** How long the old secret of a rotated key can keep working. */
export const ROTATION_DAYS_MAX = 30;
/** Days of usage in one response: a year, and a month for comparison. */
export const USAGE_DAYS_MAX = 400;
/** How many entries of each kind a page of the filtered ledger looks at. Those that match may be rare. */
export const ENTRIES_SCANNED_MAX = 5_000;
/** How many entries are summed one by one for the balances of a page, which share them. With more, a balance is not known. */
export const BALANCE_ENTRIES_MAX = 500_000;
/** Rows of usage in one page. */
export const USAGE_ROWS_MAX = 10_000;
/** The debits that are not summed yet and that reading the usage sums by itself. */
export const UNSUMMED_DEBITS_MAX = 20_000;
/** The debits that are summed in one transaction between calls, and that may stay unsummed. SQLite sums them in about 7 ms. */
export const SUM_STEP_DEBITS = 5_000;
/** The debits that are summed in one transaction before usage is read. */
export const SUM_STEP_DEBITS_MAX = 10_000;
/** The expiring grants that a step of the maintenance looks at. Each is decided like a call, and calls wait for the step. */
export const DUE_GRANTS_A_STEP = 100;
/** Grants in one page. */
export const GRANTS_PAGE_MAX = 1_000;
/** RFC 5321, section 4.5.3.1.3: a path of 256 octets with its two angle brackets. */
export const EMAIL_CHARS_MAX = 254;
/** Larger grants could add up to more than 2^53, which JSON numbers do not represent exactly. */
export const GRANT_CREDITS_MAX = 1_000_000_000_000;

/** The price of a call. A million calls at this price stay within the bound above. */
export const PRICE_CREDITS_MAX = 1_000_000;
/** Prices that an account has of its own. They are loaded with every call of the account. */
export const OWN_PRICES_MAX = 200;

export const HEADER_BYTES_MAX = 32 * KB;
export const HEADERS_TIMEOUT_MS = 10_000;
/** For headers and body together. A text of 1 MB needs 35 KB/s; the same text in escapes (6 MB) needs 210 KB/s. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** Longer than the usual 60 s of a proxy, so that the proxy closes first and never writes into a closing connection. */
export const KEEP_ALIVE_MS = 65_000;
/** For a connection on which no response is being made. Longer than a body may take to arrive. */
export const SILENCE_MAX_MS = 90_000;
/** An idle connection takes about 25 KB, so all of them take as much as the large calls. */
export const CONNECTIONS_MAX = 10_000;

/** Bounds the memory for bodies and responses of large calls (calls/memory-budget.ts). */
export type MemoryLimits = {
  /** At least what one call may hold, so that a call that is alone always fits. */
  bytes: number;
  /** A quarter of all, so that one account cannot use it up; at least what one call may hold. */
  bytesPerAccount: number;
  /** What was taken so long ago is free: its call ended without releasing it. */
  heldMsMax: number;
};
/** How long a call waits for memory, in all. Four ordinary megabytes of Markdown take half a second at the edge, so a burst of 20 gets through. */
export const MEMORY_WAIT_MS = 2_000;
/** Bodies take memory in steps of this size, that of a chunk: because all steps are equal, no call overtakes one that waits. */
export const MEMORY_GRANT_BYTES = 64 * KB;
/** The largest body, of a call or of a message of MCP around it, as received and inflated. */
const LARGEST_CALL_BYTES =
  2 * (bodyBytesFor(MARKDOWN_BYTES_MAX) + SPACE_BYTES + MEMORY_GRANT_BYTES);
const memoryLimits = (bytes: number) => ({
  bytes,
  bytesPerAccount: Math.max(bytes / 4, LARGEST_CALL_BYTES),
});
/** On a machine, where the end of every call is reported. */
export const NODE_MEMORY: MemoryLimits = {
  ...memoryLimits(256 * MB),
  heldMsMax: Number.POSITIVE_INFINITY,
};
/** In an isolate of 128 MB. */
export const WORKER_MEMORY: MemoryLimits = { ...memoryLimits(20 * MB), heldMsMax: 60_000 };

/** How long a call waits for the ledger before the client gets 503. A commit normally takes well under 10 ms. */
export const LEDGER_TIMEOUT_MS = 5_000;
/** For reading or moving a whole account at the edge, which takes seconds if it has millions of debits. */
export const WHOLE_ACCOUNT_TIMEOUT_MS = 25_000;
/** Orders in the ledger's queue. At 4,000 orders a second the last one waits as long as LEDGER_TIMEOUT_MS. */
export const LEDGER_QUEUE_MAX = 20_000;
/** Orders in one transaction. Batches of more than a few hundred gain nothing, and their first order waits longer. */
export const LEDGER_BATCH_MAX = 512;
/** Characters of responses to keep in one transaction: some of the largest ones, so that it is over long before LEDGER_TIMEOUT_MS. */
export const LEDGER_BATCH_CHARS_MAX = 8 * MB;

/** A tool on a worker thread is stopped after this time. The slowest known input within the limits takes 3.4 s. */
export const TOOL_TIMEOUT_MS = 20_000;
/** An own tool that names no limits. */
export const OWN_BODY_BYTES_MAX = 1024 * KB;
export const OWN_TIME_LIMIT_MS = 10_000;
/** Clients and proxies must be told to wait for so long: many give up after a minute. */
export const OWN_TIME_LIMIT_MAX_MS = 10 * 60_000;
/** What an own tool may let bodies have at most: several of them fit in the memory of calls. */
export const OWN_BODY_BYTES_LIMIT = 16 * MB;
/** What it may let them have at the edge, where larger ones fit in no account's share of the memory. */
export const EDGE_BODY_BYTES_LIMIT = 12 * MB;
/** A response of an own tool is held whole, once in its thread and once outside of it. */
export const OWN_RESPONSE_BYTES_MAX = 16 * MB;
/** The file of a call, which is on the disk and not in memory. */
export const UPLOAD_BYTES_MAX = 25 * MB;
/** How long a file may take to arrive: the largest then needs 0.7 Mbit/s. */
export const UPLOAD_TIMEOUT_MS = 5 * 60_000;
/**
 * The files of all calls together. A server that finds less than this free on its disk takes no more files, so that they do not take the
 * space of the ledger. An account may have a quarter: five of the largest.
 */
export const UPLOAD_LIMITS: MemoryLimits = {
  ...{ bytes: 512 * MB, bytesPerAccount: 128 * MB },
  heldMsMax: Number.POSITIVE_INFINITY,
};
/** A line that an own tool writes to the log, and what it says of an input that it rejects. */
export const OWN_TEXT_CHARS_MAX = 2_000;
/** What a tool of `forward` has beyond the time of its service, to end the request and answer. */
export const FORWARD_MARGIN_MS = 500;
/** Calls that a thread of `forward` has at once, and what their responses may have together: a thread holds them until they are whole. */
export const FORWARD_CALLS_AT_ONCE = 100;
export const FORWARD_BYTES_AT_ONCE = 100 * MB;
/** What a service says of a request that it rejects: more is not passed on. */
export const UPSTREAM_PROBLEM_BYTES_MAX = 16 * KB;
/** From this size on, a call of an own tool asks for credits before it runs. */
export const OWN_HEAVY_FROM_BYTES = 64 * KB;
/** The heap of a thread of an own tool. */
export const OWN_HEAP_MB = 256;
/**
 * Threads of an own tool that waits (effect `read` or `act`), where TOOLBOOTH_TOOL_THREADS allows no more: so many of its calls run at once.
 * The system's scheduler shares the cores among those that compute after all.
 */
export const OWN_WAITING_THREADS = 16;
/** How long a tool that has reached its time limit has to react to its signal; and how long its thread has to hear of it, on a busy machine. */
export const OWN_ABORT_GRACE_MS = 100;
export const OWN_ABORT_HEARD_MS = 2_000;
/** Reading a tool's file and what it imports. */
export const OWN_LOAD_TIMEOUT_MS = 30_000;
/** A thread of an own tool without calls ends after this time. */
export const OWN_IDLE_MS = 5 * 60_000;
/** Calls of one account that may wait for a worker thread. The memory that they may hold bounds those of all accounts. */
export const TOOL_QUEUE_PER_ACCOUNT_MAX = 64;

/** A body of the dashboard: a label, an address, a passkey's response. */
export const DASHBOARD_BODY_BYTES_MAX = 64 * KB;
/**
 * A message from Stripe contains one object of a few KB. But a dispute may have 150,000 characters of evidence
 * (docs.stripe.com/api/disputes/update), of up to three bytes each, and the message about a change has those before it, too.
 */
export const STRIPE_MESSAGE_BYTES_MAX = MB;

/** The records in one request of an import, as JSON; then the body around them. */
export const IMPORT_PAGE_BYTES_MAX = MB;
export const OPERATOR_BODY_BYTES_MAX = IMPORT_PAGE_BYTES_MAX + 64 * KB;

/** JSON-RPC messages in one body. */
export const MCP_BATCH_MAX = 100;
export const MCP_BATCH_BYTES_MAX = 64 * KB;
/** The results of a batch are held together until the last one. With so many characters of them, the rest of the batch is not served. */
export const MCP_BATCH_RESULTS_CHARS_MAX = 8 * MB;
/**
 * A larger response is in the result of MCP once, not also as text. It is far more than a host shows a model, and copies
 * of the largest (28 MB) would not fit in an isolate.
 */
export const MCP_TEXT_BYTES_MAX = 256 * KB;
/** A larger result of echo is only text: whether it is the same after parsing takes 5 ms to find out at this size. */
export const ECHOED_STRUCTURE_BYTES_MAX = 64 * KB;
/** A body of MCP without the arguments of its tools: names, ids, `_meta`, and a client's icons. */
export const MCP_ENVELOPE_BYTES_MAX = 256 * KB;
