/** Every bound of events and webhooks, with its unit and its reason. */
import { DAY_MS, HOUR_MS } from "#limits.ts";

/** One for each environment and a few to spare. Every event is delivered to each of them. */
export const ENDPOINTS_MAX = 5;
/** Far longer than any URL that a framework generates. Some servers accept no longer ones. */
export const ENDPOINT_URL_CHARS_MAX = 2_048;
/** Deliveries waiting for one endpoint, which gets one at a time. Further ones fail at once and can be resent by hand. */
export const WAITING_FOR_ENDPOINT_MAX = 1_000;
/** Resends and test events for one endpoint within 24 hours: enough to test a receiver, too few to flood somebody else's. */
export const SENT_AGAIN_A_DAY_MAX = 100;

/** How far back the last success and the last failure of an endpoint are looked for. */
export const HISTORY_DELIVERIES_MAX = 200;

/** Standard Webhooks advises 15 to 30 s for a whole request. */
export const DELIVERY_TIMEOUT_MS = 15_000;
/** How much of a response is read before the connection is closed, so that an ordinary response is not cut off. */
export const RESPONSE_BYTES_MAX = 16 * 1024;
/** Longer than any attempt. When the delivering process dies, the delivery is attempted again after this. */
export const DELIVERY_LEASE_MS = 60_000;
/** Concurrent deliveries: each waits for a server that we do not know, and holds a socket. */
export const DELIVERIES_AT_ONCE = 32;

/** The waits after each failed attempt, a bit more than a day in all. After the last attempt the delivery has failed. */
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

/** How long deliveries are listed, and handled events are remembered. */
export const EVENTS_KEPT_MS = 30 * DAY_MS;
/** Events that one round reads from the ledger. */
export const EVENTS_AT_ONCE = 100;
/** How much of a delivery's error is stored. */
export const ERROR_CHARS_MAX = 300;
