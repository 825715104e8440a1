/** Every bound of notices and webhooks, with its unit and its reason. */
import { DAY_MS, HOUR_MS } from "#limits.ts";

/** One for each environment and a few to spare; every notice is sent to each of them. */
export const ENDPOINTS_MAX = 5;
/** Far longer than any that a framework makes; some servers take no longer ones. */
export const ENDPOINT_URL_CHARS_MAX = 2_048;
/** For one endpoint, which gets one at a time: what comes beyond it has failed at once, and can be sent again by hand. */
export const WAITING_FOR_ENDPOINT_MAX = 1_000;
/** Of one endpoint, by hand: enough to try a receiver out, and no way to have somebody else flooded from here. */
export const SENT_AGAIN_A_DAY_MAX = 100;

/** What the specification of Standard Webhooks advises for the whole of a request: 15 to 30 s. */
export const DELIVERY_TIMEOUT_MS = 15_000;
/** An answer is read so far that its sender is not cut off in an ordinary one, and dropped. */
export const RESPONSE_BYTES_MAX = 16 * 1024;
/** Longer than any try takes. A delivery whose process died goes out again after this. */
export const DELIVERY_LEASE_MS = 60_000;
/** On their way at once: each waits for a stranger and costs us a socket. */
export const DELIVERIES_AT_ONCE = 32;

/** The waits after each try that failed, a bit more than a day in all; after the last try it has failed for good. */
export const RETRY_WAITS_MS = [
  5_000,
  60_000,
  5 * 60_000,
  30 * 60_000,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  7 * HOUR_MS,
] as const;

/** For how long deliveries are listed, and it is known that a notice was handled. */
export const EVENTS_KEPT_MS = 30 * DAY_MS;
/** Notices that are taken from the ledger at once. */
export const EVENTS_AT_ONCE = 100;
/** How much of what an endpoint did wrong is kept. */
export const FAULT_CHARS_MAX = 300;
