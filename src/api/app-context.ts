import type { CallContext } from "#calls/call-context.ts";
import type { RequestContext } from "#calls/request-context.ts";
import type { Ledger } from "#ledger/port.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { Readiness } from "./readiness.ts";

/**
 * Everything that a runtime passes to the app. The app depends on no runtime and no store: each runtime builds its own
 * context and serves the same API. A member is null if the runtime lacks it.
 */
export type AppContext = CallContext & {
  /** The tools that the app serves, in the order of its lists. */
  tools: readonly Tool[];
  ledger: Ledger;
  readiness: Readiness;
  /** What the operator should mend although calls succeed, each a sentence for any client. Omitted: the runtime knows of nothing. */
  warnings?(): readonly string[];
  /** Keeps work alive after the response. Null if the process outlives the request anyway. */
  waitUntil: ((work: Promise<unknown>) => void) | null;
  /** Null if the runtime keeps no metrics. */
  metrics: Metrics | null;
  /** Called once per response, after it was made; null if the runtime keeps no record. `access-log.ts` makes the entry of a log. */
  record:
    | ((
        context: RequestContext,
        status: number,
        durationMs: number,
        /** Undefined for a response to what is no request. */
        connection: unknown,
      ) => void)
    | null;
};

export type Metrics = {
  /** The bearer token that may read the metrics; null: only clients on the same machine may. */
  token: string | null;
  /** Whether the client is on this machine, and knows the service as a host of this machine. */
  isLocal(request: Request, connection: unknown): boolean;
  read(): Promise<{ contentType: string; text: string }>;
  /** Counts a key that was rejected without a question to the ledger. */
  countThrottledKey(): void;
  /** Counts a call that was settled after its hold had ended. */
  countLateSettlement(): void;
};
