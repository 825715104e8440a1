import { callRef, createIds } from "#ids.ts";
import { type DebitOrder, NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { Authenticator } from "./authenticate.ts";
import { isWaiting, readBody, SMALL_BYTES } from "./body.ts";
import type { CallContext } from "./call-context.ts";
import { chargeReversed, chargeUnknown, clientLeft, unavailable } from "./call-errors.ts";
import type { ApiRequest, ApiResponse } from "./exchange.ts";
import type { Gate, OpenGate } from "./gate.ts";
import {
  createReplays,
  createRunning,
  idempotencyOrder,
  malformedIdempotencyKey,
  parseIdempotencyKey,
  repeatResponse,
} from "./idempotency.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import { bodyBytesMaxOf, requireBodyType } from "./read-input.ts";
import { millisecondsText, type Replier } from "./reply.ts";
import { heldBytes } from "./reply-pieces.ts";
import type { RequestContext, TimedPart } from "./request-context.ts";
import type { CallResponse, ToolJob } from "./run-tool.ts";

/**
 * The pipeline of a call:
 *
 *     key (401, 403) -> rate (429) -> credits (402) -> body (400, 408, 413, 415) -> idempotency key (409) -> tool (400, 413)
 *       -> debit (401, 403, 429, 402; 400 for a reused idempotency key) -> response
 *
 * A client sees errors in this order; a 503 can come from any step that needs the ledger, memory or a thread. `gate.ts` asks the
 * ledger as rarely as the order allows.
 */
export type CallTool = (
  tool: Tool,
  request: ApiRequest,
  context: RequestContext,
  connection: unknown,
) => Promise<ApiResponse>;

type CallDeps = {
  app: CallContext;
  replier: Replier;
  keys: Authenticator;
  openGate: OpenGate;
  budget: MemoryBudget;
};

export function createCallTool({ app, replier, keys, openGate, budget }: CallDeps): CallTool {
  const running = createRunning();
  const replays = createReplays(app.elapsed);
  const newId = createIds(app.random);

  /**
   * If the outcome of the debit is unknown, the call fails, and a job reverses the debit if it was made. A call with an idempotency
   * key is not reversed, because its repeat replays it.
   */
  async function debit(order: DebitOrder, gate: Gate, context: RequestContext) {
    let cause: unknown;
    try {
      return await gate.debit(order);
    } catch (error) {
      cause = error;
    }
    if (cause instanceof NotCarriedOut || cause instanceof OrderRejected) throw unavailable(cause);
    const callId = doubt(order, context);
    const isRepeatable = order.idempotency !== null;
    if (!isRepeatable) await reverse(order);
    throw chargeUnknown(callId, isRepeatable, cause);
  }

  function doubt(order: DebitOrder, context: RequestContext): string {
    context.isChargeInDoubt = true;
    context.callId = callRef({ ...order, at: order.now });
    return context.callId;
  }

  const reverse = ({ account, callId, now: at }: DebitOrder): Promise<void> =>
    app.reverseLater({ account, callId, at });

  async function callTool(
    tool: Tool,
    request: ApiRequest,
    context: RequestContext,
    connection: unknown,
  ): Promise<ApiResponse> {
    const lap = createStopwatch(app, context);
    context.isMcp = request.lease !== undefined;
    const claimed = keys.authenticate(request);
    // Here and below, `await` only a promise: awaiting a value would cost every call.
    const caller = claimed instanceof Promise ? await claimed : claimed;
    context.account = caller.account;
    context.key = caller.keyId;
    const sentKey = request.headers.get("idempotency-key");
    const repeatKey = sentKey === null ? null : parseIdempotencyKey(sentKey);
    const address = app.clientAddress(connection);
    context.address = address;
    const { name, price } = tool;
    const gate = openGate({ caller, context, tool: name, price, address, repeatKey });

    const isScarce = budget.isTight() && mayBeLarge(request);
    const entering = isScarce
      ? gate.askStatus()
      : gate.enter(mayBeHeavy(tool, request) || isWaiting(request));
    if (entering !== undefined) await entering;
    lap("key");

    let job: ToolJob;
    let result: CallResponse;
    let isHeavy = false;
    let isLarge = false;
    const repeatable = repeatKey && { account: caller.account, tool: name, key: repeatKey };
    let releaseKey = () => {};
    const lease = request.lease ?? budget.of(caller.account);
    try {
      try {
        if (sentKey !== null && repeatKey === null) throw malformedIdempotencyKey(sentKey);
        if (repeatable) replays.check(repeatable);
        const contentType = request.headers.get("content-type");
        // The bytes of a message of MCP are counted already.
        const counted = context.isMcp ? null : lease;
        const body = await readBody(request, bodyBytesMaxOf(tool, contentType), counted, {
          timeoutMs: app.bodyTimeoutMs,
          beforeContinue: () => requireBodyType(tool, contentType),
          onReceived(bytes) {
            context.receivedBytes = bytes;
          },
        });
        lap("body");
        // The body looked small because it had no Content-Length or was compressed.
        isHeavy = body.byteLength >= tool.heavyFromBytes;
        // Asked here, because a thread may take the bytes.
        isLarge = body.byteLength > SMALL_BYTES;
        if (isHeavy) await gate.enter(true);
        // No large call starts while responses exceed the budget.
        const waited = isLarge ? lease.take(0) : undefined;
        if (waited !== undefined) await waited;
        if (repeatable) releaseKey = running.claim(repeatable);
        job = createJob(body, request, context, repeatKey !== null);
        result = await app.runTool(tool, job, caller.account);
        if (isLarge) {
          // Only a replay needs the body again.
          if (repeatKey === null) job.body = NO_BYTES;
          lease.set(heldBytes(result.body) + job.body.byteLength);
        }
        lap("tool");
      } catch (error) {
        await gate.askStatus();
        throw error;
      }
      const order: DebitOrder = {
        account: caller.account,
        keySha256: caller.keySha256,
        callId: newId("call"),
        tool: tool.name,
        credits: tool.price,
        freeCallCredits: app.settings.freeCallCredits,
        now: app.now(),
        address,
        idempotency: idempotencyOrder(repeatKey, result, context.receivedAt),
      };
      if (app.hasLeft?.(connection)) throw clientLeft();
      const counted = await debit(order, gate, context);
      lap("ledger");
      const isCharged = counted.outcome.outcome === "debited";
      if (repeatable && isHeavy && !isCharged) replays.add(repeatable);
      const settled = gate.settle(counted);
      const outcome = settled instanceof Promise ? await settled : settled;
      if (outcome.outcome === "replayed") {
        context.replayed = true;
        const runAgain = (again: ToolJob) => app.runTool(tool, again, caller.account);
        result = await repeatResponse(result, job, outcome.replay, runAgain);
      } else context.callId = callRef({ ...order, at: order.now });
      try {
        const made = replier.response(result, request.headers, context, lease);
        const response = made instanceof Promise ? await made : made;
        // A client that does not read its response holds the memory of a call.
        if (isLarge) app.whenSent?.(connection, lease.toResponse().release);
        return response;
      } catch (error) {
        if (!isCharged) throw error;
        // Its repeat would fail again, so it is reversed even if it has an idempotency key.
        const callId = doubt(order, context);
        await reverse(order);
        throw chargeReversed(callId, error);
      }
    } finally {
      releaseKey();
      lease.release();
    }
  }

  return callTool;
}

type HasHeaders = Pick<ApiRequest, "headers">;

/** Decides by the Content-Length. A body without one, or a compressed one, counts as large and as heavy. */
export const mayBeLarge = (request: HasHeaders) => !(announcedBytes(request) <= SMALL_BYTES);
const mayBeHeavy = (tool: Tool, request: HasHeaders) =>
  !(announcedBytes(request) < tool.heavyFromBytes);

/** NaN if the length of the body, inflated, is not known. */
const announcedBytes = ({ headers }: HasHeaders) =>
  headers.get("content-encoding") !== null
    ? Number.NaN
    : Number(headers.get("content-length") ?? Number.NaN);

function createJob(
  body: Uint8Array,
  request: ApiRequest,
  context: RequestContext,
  fingerprint: boolean,
): ToolJob {
  return {
    body,
    contentType: request.headers.get("content-type"),
    query: queryOf(request.url),
    accept: request.headers.get("accept"),
    receivedAt: context.receivedAt,
    random: null,
    fingerprint,
    isOfModel: context.isMcp,
  };
}

/** Parsing the whole URL would cost every call. */
function queryOf(url: string): string {
  const mark = url.indexOf("?");
  if (mark === -1) return "";
  const hash = url.indexOf("#", mark);
  return url.slice(mark + 1, hash === -1 ? undefined : hash);
}

const NO_BYTES = new Uint8Array();

function createStopwatch(app: CallContext, context: RequestContext): (part: TimedPart) => void {
  let last = context.startedAt;
  return (part) => {
    const now = app.elapsed();
    context.timing += `${part};dur=${millisecondsText(now - last)}, `;
    context.times[part] = (context.times[part] ?? 0) + now - last;
    last = now;
  };
}
