import { callRef, createIds } from "#ids.ts";
import type { DebitOrder, Replay } from "#ledger/port.ts";
import { createRecentAccounts } from "#ledger/recent-names.ts";
import { UPLOAD_LIMITS } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { AppContext } from "./app-context.ts";
import { type BadKeys, createBadKeys } from "./bad-keys.ts";
import { SMALL_BYTES } from "./body.ts";
import type { ApiRequest } from "./exchange.ts";
import { parseIdempotencyKey, Repeats } from "./idempotency.ts";
import type { KeptResponses } from "./kept-responses.ts";
import {
  createMemoryBudget,
  type MemoryBudget,
  type MemoryLease,
  OF_FILES,
} from "./memory-budget.ts";
import { millisecondsText, Replier } from "./reply.ts";
import type { RequestContext, TimedPart } from "./request-context.ts";
import type { CallResponse, ToolJob } from "./run-tool.ts";
import type { Upload } from "./stored-file.ts";

/** A request with an API key: a call, or one that only asks whether its key is good, as a message of MCP does. */
export type KeyedRequest = {
  readonly deps: CallDeps;
  /** The tool that the client calls; null if it calls none. */
  readonly tool: Tool | null;
  readonly request: Pick<ApiRequest, "headers" | "url">;
  readonly context: RequestContext;
  /** What the server knows about the client. */
  readonly connection: unknown;
  /** Set by `authenticate`. */
  caller: Caller;
  /** The network address of the client; null if it is not known. Set by `authenticate`. */
  address: string | null;
  /** If the ledger keeps a call under this key, this one needs no credits. Null if there is none, or it is malformed. */
  readonly idempotencyKey: string | null;
  /** The ledger was asked for the key's status, which also counted the request for the rate limit. */
  isCounted: boolean;
  /** What the call costs in credits; 0 if there is none. */
  price: number;
  /** The price depends on the input, which has not been read: it is `price` at least. */
  isPriceLeast: boolean;
};

const NO_CALLER: Caller = { key: "", account: "", keySha256: "", keyId: null, known: false };
const NO_BYTES = new Uint8Array();

/** A request that has a key and calls no tool. */
export const keyedRequest = (
  deps: CallDeps,
  request: KeyedRequest["request"],
  context: RequestContext,
  connection: unknown,
): KeyedRequest => ({
  ...{ deps, tool: null, request, context, connection, idempotencyKey: null },
  ...{ caller: NO_CALLER, address: null, isCounted: false, price: 0, isPriceLeast: false },
});

/** The input or the account decides the price. */
export function setPrice(request: KeyedRequest, credits: number): void {
  request.price = credits;
  request.isPriceLeast = false;
}

/** A call of a tool. Each of its steps (call-tool.ts) reads what the steps before it have set. */
export class Call implements KeyedRequest {
  readonly deps: CallDeps;
  readonly tool: Tool;
  readonly request: ApiRequest;
  readonly context: RequestContext;
  readonly connection: unknown;
  /** The header as it was sent. */
  readonly sentIdempotencyKey: string | null;
  readonly idempotencyKey: string | null;
  /** The Content-Length; NaN if the length of the body, inflated, is not known. */
  readonly announcedBytes: number;
  /** Whether the body is, or may turn out to be, larger than SMALL_BYTES. */
  readonly mayBeLarge: boolean;

  // authenticate
  caller = NO_CALLER;
  address: string | null = null;

  // admit
  isCounted = false;
  price: number;
  isPriceLeast: boolean;

  // read
  body: Uint8Array = NO_BYTES;
  /** The body is so large that the tool takes about a millisecond or more. */
  isHeavy = false;
  /** The body is larger than SMALL_BYTES. */
  isLarge = false;
  /** The memory of a large call; null for a small one. */
  lease: MemoryLease | null = null;
  /** The file of a call of a tool that takes one. */
  upload: Upload | null = null;
  /** By which its repeats are recognized. Set while the call runs; null without an idempotency key. */
  repeatName: string | null = null;

  // run
  /** Kept for a replay, which runs the tool again. */
  job: ToolJob | null = null;
  result!: CallResponse;

  // charge
  order!: Pick<DebitOrder, "account" | "callId" | "now">;
  isCharged = false;
  /** The first call with the same idempotency key, whose response this one repeats. */
  replay: Replay | null = null;

  #lapAt: number;

  constructor(
    deps: CallDeps,
    tool: Tool,
    request: ApiRequest,
    context: RequestContext,
    connection: unknown,
  ) {
    this.deps = deps;
    this.tool = tool;
    this.request = request;
    this.context = context;
    this.connection = connection;
    this.isPriceLeast = tool.priceOf !== undefined;
    this.price = this.isPriceLeast ? Math.min(1, tool.price) : tool.price;
    context.isMcp = request.lease !== undefined;
    const sent = request.headers.get("idempotency-key");
    this.sentIdempotencyKey = sent;
    this.idempotencyKey = sent === null ? null : parseIdempotencyKey(sent);
    this.announcedBytes = announcedBytesOf(request);
    this.mayBeLarge = !(this.announcedBytes <= SMALL_BYTES);
    this.#lapAt = context.startedAt;
  }

  /** Ends a part of the time that the response and the logs report. `name`: for the response, which has none twice. */
  lap(part: TimedPart, name: string = part): void {
    const { context } = this;
    const now = this.deps.app.elapsed();
    const ms = now - this.#lapAt;
    context.timing += `${name};dur=${millisecondsText(ms)}, `;
    context.times[part] = (context.times[part] ?? 0) + ms;
    this.#lapAt = now;
  }

  /** Frees what only a call that is under way holds. */
  release(): void {
    if (this.repeatName !== null) this.deps.repeats.end(this.repeatName);
    // That of a message of MCP is released with the message, which may have further calls.
    if (this.request.lease === undefined) this.lease?.release();
    this.upload?.release();
  }
}

/** The id of the call that the order pays for, as clients and operators get it. */
export const refOf = ({
  account,
  callId,
  now,
}: Pick<DebitOrder, "account" | "callId" | "now">): string => callRef({ account, callId, at: now });

/** What an order that pays for a call has, whether the call has run or not. It has the id of the call. */
export function paymentOf(call: Call): Omit<DebitOrder, "idempotency"> {
  const { deps, tool, caller, address, price } = call;
  const { app } = deps;
  const payment: Omit<DebitOrder, "idempotency"> = {
    account: caller.account,
    keySha256: caller.keySha256,
    callId: deps.newId("call"),
    tool: tool.name,
    credits: price,
    freeCallCredits: app.settings.freeCallCredits,
    now: app.now(),
    address,
  };
  // A local ledger has named the key in its status, without which no unknown key gets here.
  if (app.calls.isRemote && caller.keyId === null) payment.namesKey = true;
  return payment;
}

/** Whether the body is, or may turn out to be, larger than SMALL_BYTES. */
export const mayBeLarge = (request: Pick<ApiRequest, "headers">): boolean =>
  !(announcedBytesOf(request) <= SMALL_BYTES);

const announcedBytesOf = ({ headers }: Pick<ApiRequest, "headers">): number =>
  headers.get("content-encoding") !== null
    ? Number.NaN
    : Number(headers.get("content-length") ?? Number.NaN);

/** What the calls of a process have in common: its runtime, and what the process remembers from one call to the next. */
export class CallDeps {
  readonly app: AppContext;
  readonly replier: Replier;
  readonly keys = new KnownKeys();
  readonly badKeys: BadKeys;
  readonly recentErrors: RecentErrors;
  readonly budget: MemoryBudget;
  /** Of the files of calls, which are on the disk. */
  readonly files: MemoryBudget;
  readonly repeats: Repeats;
  /** Made by the first call that pays before its work (held-call.ts). */
  kept: KeptResponses | null = null;
  readonly newId: (prefix: string) => string;

  constructor(app: AppContext) {
    this.app = app;
    this.replier = new Replier(app);
    this.badKeys = createBadKeys(app.elapsed, () => app.metrics?.countThrottledKey());
    this.recentErrors = new RecentErrors(app.elapsed);
    this.budget = createMemoryBudget(app.memory, app.elapsed);
    this.files = createMemoryBudget(UPLOAD_LIMITS, app.elapsed, OF_FILES);
    this.repeats = new Repeats(app.elapsed);
    this.newId = createIds(app.random);
  }
}

/** Who makes a call: the account that its key claims, and what this process knows of the key. */
export type Caller = {
  /** The secret itself, by which the process recognizes it. Never logged. */
  readonly key: string;
  readonly account: string;
  readonly keySha256: string;
  /** The key's id, for the access log. Null until the ledger has named it to this process. */
  keyId: string | null;
  /** The ledger has accepted this key in this process before. This saves a hash and a query, and grants nothing. */
  readonly known: boolean;
};

/** Keys remembered per process, about 400 bytes each. The oldest is dropped first. */
const KNOWN_KEYS_MAX = 20_000;

/** The keys that the ledger has accepted in this process. */
class KnownKeys {
  readonly #callers = new Map<string, Caller>();

  find(key: string): Caller | undefined {
    return this.#callers.get(key);
  }

  remember(caller: Caller): void {
    const earlier = this.#callers.get(caller.key);
    if (earlier !== undefined) {
      earlier.keyId ??= caller.keyId;
      return;
    }
    if (this.#callers.size >= KNOWN_KEYS_MAX)
      this.#callers.delete(this.#callers.keys().next().value as string);
    this.#callers.set(caller.key, { ...caller, known: true });
  }

  forget({ key }: Caller): void {
    this.#callers.delete(key);
  }
}

/**
 * Accounts that had an error a moment ago. Their calls ask a remote ledger first, which bounds wasted work. This list alone
 * never rejects a call.
 */
class RecentErrors {
  readonly badKey;
  readonly rejected;
  readonly poor;

  constructor(elapsed: () => number) {
    this.badKey = createRecentAccounts(elapsed);
    this.rejected = createRecentAccounts(elapsed);
    this.poor = createRecentAccounts(elapsed);
  }

  /** Whether the next call of the caller is likely to have an error. `isHeavy`: its work is costly. */
  areLikely({ account, known }: Caller, isHeavy: boolean): boolean {
    // The account part of a key is public, so a bad key must not affect a key that was valid here.
    if (!known && this.badKey.has(account)) return true;
    return isHeavy && (this.rejected.has(account) || this.poor.has(account));
  }
}
