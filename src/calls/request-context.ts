import type { ApiError, ErrorCode } from "#errors.ts";
import type { Rate } from "#ledger/throttle.ts";

/** `queue`: waiting for a thread of the tool. */
export type TimedPart = "key" | "body" | "queue" | "tool" | "ledger";

/** The state of one request. The headers of its response are made from it. */
export type RequestContext = {
  requestId: string;
  method: string;
  /** The route's pattern, not the path: metrics must have few labels. */
  route: string;
  tool: string | null;
  /** The trace that the request belongs to (W3C Trace Context); null if the client sent none. */
  traceId: string | null;
  /** By the monotonic clock. */
  startedAt: number;
  /** By the time of day, in milliseconds since 1970 UTC. */
  receivedAt: number;
  account: string | null;
  /** The id of the API key, also of one that is revoked or expired. Null where there is none, and until the ledger has named it. */
  key: string | null;
  /** The network address of the client; null if it is not known, or was not needed. */
  address: string | null;
  /** Whether the call came in a message of MCP. */
  isMcp: boolean;
  /** Both are null until the ledger has identified the caller. */
  charged: number | null;
  balance: number | null;
  /** The id of the call (`callRef`) if it was debited, or may have been. Of a repeat, that of the first call if its outcome is unknown. */
  callId: string | null;
  /** Whether the debit may have been made, or is being reversed, so that neither the charge nor the balance can be told. */
  isChargeInDoubt: boolean;
  rate: Rate | null;
  replayed: boolean;
  /** The parts of Server-Timing so far: `key;dur=0.1, `. */
  timing: string;
  /** The same in milliseconds; for the ledger also the time for the status of the key. Null for what did not happen. */
  times: Record<TimedPart, number | null>;
  /** The bytes of the body as transferred; null if it was not read. */
  receivedBytes: number | null;
  /** The body of the response, or its length in bytes. */
  sent: string | Uint8Array | number;
  code: ErrorCode | null;
  /** The error that the response has; null without one. */
  problem: ApiError | null;
};
