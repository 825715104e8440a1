import type { ErrorCode } from "#errors.ts";
import type { RandomBytes } from "#ids.ts";
import type { CallLedger } from "#ledger/call-ledger.ts";
import type { CallRef, Ledger } from "#ledger/port.ts";
import type { MemoryLimits } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { CallResponse, ToolJob } from "./pipeline/run-tool.ts";

/**
 * Everything that a runtime hands to the app. The app knows no runtime and no store: another runtime builds another
 * context and serves the same API. What is null is what a runtime lacks.
 */
export type AppContext = {
  settings: AppSettings;
  tools: readonly Tool[];
  ledger: Ledger;
  /** How calls ask the ledger. */
  calls: CallLedger;
  /**
   * Reverses a call that gets 503 although its debit may exist: at once, or when the ledger answers again. Resolves as soon
   * as that is sure to happen; never rejects.
   */
  reverseLater(call: CallRef): Promise<void>;
  /** Keeps work alive for a while where the process may end right after a response. Null: the process lives on. */
  waitUntil: ((work: Promise<unknown>) => void) | null;
  /** How much memory large calls may hold at once. */
  memory: MemoryLimits;
  /** How long a body may take to arrive, in milliseconds; null: the server below sees to that. */
  bodyTimeoutMs: number | null;
  /** Runs a call's tool, a large input where it does not delay small calls. */
  runTool(tool: Tool, job: ToolJob): Promise<CallResponse>;
  /** Sends a large response piece by piece; `bytes` is its length. */
  sendStream(pieces: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array>;
  /** The time of day in milliseconds since 1970 UTC, by which credits are granted and spent. */
  now(): number;
  /** A clock that never goes back, in milliseconds, for durations and the rate limit. */
  elapsed(): number;
  random: RandomBytes;
  /** SHA-256 of a key in hex. It runs on every call, so each runtime gives its fastest. */
  hashKey(key: string): string | Promise<string>;
  /** Compresses a response; null where the runtime compresses by itself. */
  compress: ((encoding: "br" | "gzip", bytes: Uint8Array | string) => Promise<Uint8Array>) | null;
  /** Null where the runtime keeps no metrics. */
  metrics: Metrics | null;
  /** Called once per response, after it was made. */
  record(entry: AccessLogEntry): void;
  /** Logs what went wrong on our side and what a client must never see. */
  logError(message: string, details: { requestId?: string; cause?: unknown }): void;
};

export type AppSettings = {
  /** Base of the links in responses; never taken from a request's Host header. No slash at its end. */
  publicUrl: string;
  /** Calls a second for each account, bursts of twice as many; 0 switches the limit off. */
  rateLimit: number;
  /** The first successful call of an account is free where its price is at most this many credits. */
  freeCallCredits: number;
  /** The first makes the tags of keys, every one verifies them. */
  secrets: readonly string[];
};

export type Metrics = {
  /** The bearer token that reads them; null: clients on the same machine alone. */
  token: string | null;
  isLocal(request: Request, connection: unknown): boolean;
  read(): Promise<{ contentType: string; text: string }>;
};

/** What the access log and the metrics keep of a request. Never a key, never a body. */
export type AccessLogEntry = {
  requestId: string;
  method: string;
  /** The route's pattern, not the path that was sent: labels of metrics must stay few. */
  route: string;
  tool: string | null;
  status: number;
  code: ErrorCode | null;
  account: string | null;
  charged: number | null;
  replayed: boolean;
  durationMs: number;
};
