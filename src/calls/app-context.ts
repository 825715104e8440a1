import type { Brand } from "#brand.ts";
import type { RandomBytes } from "#ids.ts";
import type { CallLedger } from "#ledger/call-ledger.ts";
import type { Ledger, Reversal } from "#ledger/port.ts";
import type { MemoryLimits } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { CreditSales } from "#top-up.ts";
import type { RequestContext } from "./request-context.ts";
import type { CallResponse, RunSteps, ToolJob } from "./run-tool.ts";
import type { FileStore } from "./stored-file.ts";

/**
 * Everything that calls, and what else is served beside them, need of their runtime and its store, on which they do not depend: each
 * runtime makes its own context and serves the same API. A member is null if the runtime lacks it.
 */
export type AppContext = CallStores &
  CallPlatform & {
    settings: CallSettings;
    /** How the service sells credits, for the errors of accounts that have none; null if that is not known. Never rejects. */
    sales(): CreditSales | null | Promise<CreditSales | null>;
  };

/** The storage of calls. */
export type CallStores = {
  ledger: Ledger;
  /** The ledger as calls use it. */
  calls: CallLedger;
  readiness: Readiness;
  /** What the operator should mend although calls succeed, each a sentence for any client. Omitted: the runtime knows of nothing. */
  warnings?(): readonly string[];
  /**
   * Reverses a call that gets 503 although its debit may exist: at once, or when the ledger is reachable again. Resolves
   * as soon as the reversal is certain; never rejects.
   */
  reverseLater(call: Reversal): Promise<void>;
};

/** What a runtime supplies to calls: the tools, clocks, random bytes, digests, threads for heavy work, and what its server knows of a connection. */
export type CallPlatform = {
  /** How much memory large calls may hold at once. */
  memory: MemoryLimits;
  /** Where the files of calls are; null if the runtime has no disk, and no tool takes one. */
  uploads: FileStore | null;
  /** How long a body may take to arrive, in milliseconds; null if the HTTP server enforces a limit. */
  bodyTimeoutMs: number | null;
  /**
   * Runs a tool. Large inputs run on other threads, so that they do not delay small calls; the accounts share the threads.
   */
  runTool(tool: Tool, job: ToolJob, account: string, steps?: RunSteps): Promise<CallResponse>;
  /**
   * Calls `then` when the response on a connection has been sent or the connection is closed; null where large responses are
   * sent in pieces, which say that themselves.
   */
  whenSent: ((connection: unknown, then: () => void) => void) | null;
  /** Whether the client's connection is known to be lost, so that the call need not be charged; null if the runtime does not tell. */
  hasLeft: ((connection: unknown) => boolean) | null;
  /** Wraps the pieces of a large response in a stream of `bytes` bytes. */
  sendStream(pieces: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array>;
  /**
   * The network address of the client, from what the server passed as `connection`; null if it is not known. Never from a header
   * that the client itself could have sent.
   */
  clientAddress(connection: unknown): string | null;
  /** The time of day in milliseconds since 1970 UTC, by which credits are granted and spent. */
  now(): number;
  /** A monotonic clock in milliseconds, for durations and the rate limit. */
  elapsed(): number;
  random: RandomBytes;
  /** SHA-256 of a key in hex, for a key that the process does not know. Returns no promise where the runtime hashes synchronously. */
  hashKey(key: string): string | Promise<string>;
  /** Compresses a response; null if the runtime does so itself. */
  compress: ((encoding: "br" | "gzip", bytes: Uint8Array | string) => Promise<Uint8Array>) | null;
  /** Logs a failure of the service. Clients never see these messages. */
  logError(message: string, details: ErrorDetails): void;
  /** The tools that the app serves, in the order of its lists. */
  tools: readonly Tool[];
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

/** What is logged with an error. */
export type ErrorDetails = {
  requestId?: string;
  traceId?: string;
  /** The id of the call, as `callRef` (ids.ts) writes it. */
  callId?: string;
  cause?: unknown;
};

export type CallSettings = Brand & {
  /** Base of the links in responses, without a trailing slash. Never taken from a request's Host header. */
  publicUrl: string;
  /** Calls per second for each account, with bursts of twice as many; 0 disables the limit. */
  rateLimit: number;
  /** The first successful call of an account is free if its price is at most this many credits. */
  freeCallCredits: number;
  /** The first one signs new keys; all of them verify keys. */
  secrets: readonly string[];
};

/** Why calls would fail now. */
export type Unready = {
  /** One sentence for any client. It contains no paths, addresses or messages of the database. */
  message: string;
  /** For the log. */
  cause?: unknown;
};

/** Returns why calls would fail now, or null if they would succeed. Never rejects. */
export type Readiness = () => Promise<Unready | null>;

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
