import type { ErrorCode } from "#errors.ts";
import type { RandomBytes } from "#ids.ts";
import type { FarLedger } from "#ledger/far-ledger.ts";
import type { CallRef, Ledger } from "#ledger/port.ts";
import type { LargeRoom } from "#limits.ts";
import type { Supply } from "#tools/tool.ts";
import type { AppAssets } from "./pages/app-shell.ts";
import type { PeopleOffer, SettingShown } from "./pages/page-options.ts";
import type { ToolAnswer, ToolJob } from "./run-tool.ts";

/**
 * Everything that a door hands to the hall. The hall knows no runtime and no store: a door of another runtime
 * builds another house and gets the same service.
 */
export type House = {
  settings: HouseSettings;
  ledger: Ledger;
  /**
   * Where every question to the ledger is a journey: it is asked once a call, and counts the rate itself. Null: it is near,
   * and asked whenever that spares work.
   */
  farLedger: FarLedger | null;
  /**
   * Reverses a call that gets 503 although its debit may exist: at once, or when the ledger answers again. Resolves as soon
   * as that is sure to happen; never rejects.
   */
  reverseLater(call: CallRef): Promise<void>;
  /** Keeps work alive for a while where the process may end right after a response. Null: the process lives on. */
  waitUntil: ((work: Promise<unknown>) => void) | null;
  /** What of large calls is held in memory at once. */
  room: LargeRoom;
  /** How long a body may take to arrive, in milliseconds; null: the server below sees to that. */
  bodyTimeoutMs: number | null;
  /**
   * Where memory is scarcer than time, large answers become bytes piece by piece while they leave; this makes of the
   * pieces a stream whose length is told before, and sees to it that their end is heard of. False: answers leave whole.
   */
  repliesInPieces:
    | false
    | ((pieces: ReadableStream<Uint8Array>, bytes: number) => ReadableStream<Uint8Array>);
  /** The time of day in milliseconds since 1970 UTC, by which credits are granted and spent. */
  now(): number;
  /** A clock that never goes back, in milliseconds, for durations and the rate limit. */
  elapsed(): number;
  random: RandomBytes;
  digest: Supply["digest"];
  /** SHA-256 of a key in hex; on every call, so a door gives the fastest that its runtime has. */
  hashKey(key: string): string | Promise<string>;
  /** Runs a large input where it does not delay small calls; null: the runtime gives each call its own time. */
  runHeavy: ((job: ToolJob) => Promise<ToolAnswer>) | null;
  /** Compresses an answer; null where the runtime compresses by itself. */
  compress: ((encoding: "br" | "gzip", bytes: Uint8Array | string) => Promise<Uint8Array>) | null;
  /** Whether the request came from the same machine: `/metrics` without a token answers only those. */
  isLocal(request: Request, connection: unknown): boolean;
  /** The text of `/metrics`, or null where the door keeps none. */
  metrics: (() => Promise<{ contentType: string; text: string }>) | null;
  /** The people's side of the service; null: this door has none, and serves the API and its documentation alone. */
  people: HousePeople | null;
  /** What the pages are built of; null where the door has no pages but those that need no script. */
  pages: HousePages | null;
  /** Told once per answer, after it was made. */
  observe(visit: Visit): void;
  /** Told of what went wrong on our side, and of what a caller must never see. */
  complain(message: string, details: { requestId?: string; cause?: unknown }): void;
};

export type HousePeople = {
  /** What people can do here, for the pages to say. */
  offer: PeopleOffer;
  /** Answers everything below `/people/`. */
  fetch(request: Request, connection: unknown): Promise<Response>;
};

export type HousePages = {
  /** Answers `/assets/<name>`. */
  answerAsset(name: string, request: Request): Promise<Response>;
  /** What the head of a page of `web/` must name; null where it was not built. */
  assetsFor(entry: string, screen?: string): Promise<AppAssets | null>;
  /** The script of the pages that need none, as `assets/front-1a2b3c.js`; null where it was not built (yet). */
  frontScript(): string | null;
};

export type HouseSettings = {
  /** Base of the links in answers; never taken from a request's Host header. No slash at its end. */
  publicUrl: string;
  version: string;
  /** Calls a second for each account, bursts of twice as many; 0 switches the limit off. */
  rateLimit: number;
  metricsToken: string | null;
  /** The first makes the tags of keys, every one verifies them. */
  secrets: readonly string[];
  /** Every setting of this version, for the page that tells operators of them; left out where the door has none. */
  table?: readonly SettingShown[];
};

/** What there is to log and to count of a request. Never a key, never a body. */
export type Visit = {
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
