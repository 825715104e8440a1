import type { Counted } from "#ledger/call-ledger.ts";
import { type DebitOrder, type DebitOutcome, NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import { admit, admitHeavy, askKey, askStatus, requireGood, throwUnpaid } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import { readBody, SMALL_BYTES } from "./body.ts";
import { type Call, paymentOf, refOf, setPrice } from "./call.ts";
import {
  chargeReversed,
  chargeUnknown,
  clientLeft,
  idempotencyKeyRequired,
  idempotencyKeyReused,
  unavailable,
} from "./call-errors.ts";
import type { ApiResponse } from "./exchange.ts";
import { malformedIdempotencyKey, Repeated, repeatResponse } from "./idempotency.ts";
import { bodyBytesMaxOf, requireBodyType } from "./read-input.ts";
import { heldBytes } from "./reply-pieces.ts";
import type { CallResponse, PreparedCall, RunSteps, ToolJob } from "./run-tool.ts";

/**
 * A call of a tool, in six steps. A client sees errors in this order:
 *
 *     authenticate   the key's format (401)
 *     admit          key (401, 403), rate (429), credits (402): only where an early check saves work
 *     read           idempotency key (400, 429), body (400, 408, 413, 415), a repeat during the first call (409)
 *     run            input (400, 413, 415), type of the response (406), the tool's own errors
 *     charge         key (401, 403), rate (429), credits (402), a reused idempotency key (400)
 *     respond
 *
 * A tool whose runs cost its operator money pays before its work: for it, `run` is that of held-call.ts, and there is no `charge`.
 *
 * A 503 can come from any step that needs the ledger, memory or a thread. An error of `read` or `run` comes after those of
 * `admit`, so the ledger is asked before such an error is reported. Where nothing of this happens and `admit` needs no check, a call asks the
 * ledger once, in `charge`.
 */
export async function callTool(call: Call): Promise<ApiResponse> {
  const isHeld = call.tool.effect !== "none";
  try {
    // Here and in the steps, `await` only a promise: awaiting a value would cost every call.
    const authenticated = authenticate(call);
    if (authenticated !== undefined) await authenticated;
    const admitted = admit(call);
    if (admitted !== undefined) await admitted;
    call.lap("key");
    try {
      await read(call);
      await (isHeld ? runHeld(call) : run(call));
    } catch (error) {
      await askStatus(call);
      throw error;
    }
    if (!isHeld) await charge(call);
    return await respond(call);
  } finally {
    call.release();
  }
}

/**
 * Responds with the price of a call with this input. The request is checked in the same place and way as a call; the tool does not run.
 * Nothing is charged, so neither the balance nor an idempotency key matters. It counts towards the rates.
 *
 * Throws the errors of a call, in their order, without those of credits and idempotency keys.
 */
export async function quoteCall(call: Call): Promise<ApiResponse> {
  const { deps, tool, request, context } = call;
  try {
    await authenticate(call);
    const { price } = await askKey(call);
    await readCallBody(call, true);
    const job = { ...jobOf(call), fingerprint: false, isQuote: true };
    const quoted = await deps.app.runTool(tool, job, call.caller.account, stepsOf(call));
    call.lap("tool");
    const body = JSON.stringify({ ok: true, credits: price ?? quoted.credits ?? tool.price });
    return await deps.replier.response(
      { body, type: "application/json" },
      request.headers,
      context,
    );
  } finally {
    call.release();
  }
}

/**
 * The third step of a call: its body, with the memory for it. Throws what `readBody` throws, `invalid_request` for a malformed
 * idempotency key, and `rate_limited` or `idempotency_in_progress` for a repeat.
 */
async function read(call: Call): Promise<void> {
  const { deps, tool, caller, sentIdempotencyKey, idempotencyKey } = call;
  if (sentIdempotencyKey !== null && idempotencyKey === null)
    throw malformedIdempotencyKey(sentIdempotencyKey);
  // A model cannot set a key, and its host sends a message once: over MCP, a call without a key is a new one.
  if (tool.effect === "act" && idempotencyKey === null && !call.context.isMcp)
    throw idempotencyKeyRequired(tool.name);
  const name =
    idempotencyKey === null ? null : deps.repeats.nameOf(caller.account, tool.name, idempotencyKey);
  if (name !== null) deps.repeats.checkReplays(name);
  await readCallBody(call);
  if (name === null) return;
  deps.repeats.begin(name);
  call.repeatName = name;
}

/** Reads the body, with the memory for it, or the file of a tool that takes one. Throws what `readBody` and `receiveFile` throw. */
async function readCallBody(call: Call, isQuote = false): Promise<void> {
  const { deps, tool, request, context, caller } = call;
  if (tool.file !== undefined) {
    // Loaded by the first such call, because the tools that come with Toolbooth take none.
    const { receiveFile } = await import("./receive-file.ts");
    return receiveFile(call, isQuote);
  }
  // All calls of a message of MCP have the lease of the message, in which its bytes are counted already.
  if (request.lease !== undefined) call.lease = request.lease;
  else if (call.mayBeLarge) call.lease = deps.budget.of(caller.account);
  const contentType = request.headers.get("content-type");
  const counted = context.isMcp ? null : call.lease;
  const body = await readBody(request, bodyBytesMaxOf(tool, contentType), counted, {
    timeoutMs: deps.app.bodyTimeoutMs,
    beforeContinue: () => requireBodyType(tool, contentType),
    onReceived(bytes) {
      context.receivedBytes = bytes;
    },
  });
  call.body = body;
  call.lap("body");
  // The body looked small if it had no Content-Length or was compressed.
  call.isHeavy = body.byteLength >= tool.heavyFromBytes;
  // Asked here, because a thread may take the bytes.
  call.isLarge = body.byteLength > SMALL_BYTES;
  if (call.isHeavy) await admitHeavy(call);
  if (call.isLarge) {
    call.lease ??= deps.budget.of(caller.account);
    // No large call starts while responses exceed the budget.
    const waited = call.lease.take(0);
    if (waited !== undefined) await waited;
  }
}

/** The fourth step of a call: the tool makes the response of the body (run-tool.ts), here or on another thread. */
async function run(call: Call): Promise<void> {
  const { deps, tool, caller } = call;
  const job = jobOf(call);
  // The job has it, and gives it up.
  call.body = NO_BYTES;
  const result = await deps.app.runTool(tool, job, caller.account, stepsOf(call));
  // Only a replay needs the body again.
  if (call.isLarge && call.idempotencyKey === null) job.body = NO_BYTES;
  call.job = job;
  setResult(call, result);
}

/** Only what may run on a thread waits for one. */
const stepsOf = (call: Call): RunSteps | undefined =>
  call.isHeavy || call.tool.isOwn === true ? { onThread: () => call.lap("queue") } : undefined;

function setResult(call: Call, result: CallResponse): void {
  if (result.credits !== undefined) setPrice(call, result.credits);
  if (call.isLarge) call.lease?.set(heldBytes(result.body) + (call.job?.body.byteLength ?? 0));
  call.result = result;
  call.lap("tool");
}

/**
 * The same for a call that pays before its work, with its charge. A repeat gets the kept response, and runs nothing. Loaded by the first
 * such call, because the tools that come with Toolbooth need none of it.
 */
async function runHeld(call: Call): Promise<void> {
  const { HeldCall } = await import("./held-call.ts");
  const { deps, tool, caller } = call;
  const held = new HeldCall(call);
  const job = jobOf(call);
  call.body = NO_BYTES;
  try {
    const begin = (prepared: PreparedCall) => held.begin(prepared);
    const result = await deps.app.runTool(tool, job, caller.account, { ...stepsOf(call), begin });
    setResult(call, result);
    await held.settle(result);
  } catch (error) {
    if (!(error instanceof Repeated)) throw await held.fail(error);
    setResult(call, { ...error.response, fingerprint: null });
  }
}

/** Runs the tool of a replay with the time and the random bytes of the first call. */
const runAgain = (
  { deps, tool, job, caller }: Call,
  first: Pick<ToolJob, "receivedAt" | "random">,
): Promise<CallResponse> =>
  deps.app.runTool(tool, { ...(job as ToolJob), ...first }, caller.account);

function jobOf(call: Call): ToolJob {
  const { body, upload, request, context, tool, caller, idempotencyKey } = call;
  return {
    body,
    contentType: request.headers.get("content-type"),
    query: queryOf(request.url),
    accept: request.headers.get("accept"),
    receivedAt: context.receivedAt,
    random: null,
    fingerprint: idempotencyKey !== null,
    isOfModel: context.isMcp,
    ...(upload?.file && { file: upload.file }),
    ...(tool.isOwn === true && { caller: { account: caller.account, idempotencyKey } }),
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

/**
 * The fifth step of a call: the debit, which decides about key, account, rate, credits and idempotency key in one transaction.
 * Throws the caller's own error if the call was not charged, unless it repeats another one.
 */
async function charge(call: Call): Promise<void> {
  const { deps, context } = call;
  const order = orderOf(call);
  call.order = order;
  if (deps.app.hasLeft?.(call.connection)) throw clientLeft();
  let counted: Counted<DebitOutcome>;
  try {
    counted = await deps.app.calls.debit(order, call.isCounted);
  } catch (cause) {
    if (cause instanceof NotCarriedOut || cause instanceof OrderRejected) throw unavailable(cause);
    return failInDoubt(call, order, cause);
  }
  call.lap("ledger");
  const isDebited = counted.outcome.outcome === "debited";
  const isCostly = call.isHeavy || call.tool.isOwn === true;
  if (call.repeatName !== null && isCostly && !isDebited) deps.repeats.countReplay(call.repeatName);
  const outcome = requireGood(call, counted);
  switch (outcome.outcome) {
    case "key_budget_exhausted":
    case "insufficient_credits":
      return throwUnpaid(call, outcome);
    case "idempotency_key_reused":
      throw idempotencyKeyReused(call.tool.file !== undefined);
    case "replayed":
      call.replay = outcome.replay;
      context.replayed = true;
      return;
    case "debited":
      call.isCharged = true;
      context.charged = outcome.charged;
      context.callId = refOf(order);
  }
}

function orderOf(call: Call): DebitOrder {
  const { context, idempotencyKey } = call;
  const { fingerprint } = call.result;
  return {
    ...paymentOf(call),
    idempotency:
      idempotencyKey === null || fingerprint === null
        ? null
        : { key: idempotencyKey, receivedAt: context.receivedAt, ...fingerprint },
  };
}

/**
 * The outcome of the debit is unknown: the call fails, and a job reverses the debit if it was made. A call with an idempotency key is
 * not reversed, because its repeat replays it.
 */
async function failInDoubt(call: Call, order: DebitOrder, cause: unknown): Promise<never> {
  const isRepeatable = order.idempotency !== null;
  const callId = markInDoubt(call);
  if (!isRepeatable) await reverse(call);
  throw chargeUnknown(callId, isRepeatable, cause);
}

/** From here on neither the charge nor the balance can be told. Returns the id of the call. */
function markInDoubt({ context, order }: Call): string {
  context.isChargeInDoubt = true;
  context.callId = refOf(order);
  return context.callId;
}

/** Reverses the debit of the call, now or later. Never rejects. */
const reverse = ({ deps, order }: Call): Promise<void> =>
  deps.app.reverseLater({ account: order.account, callId: order.callId, at: order.now });

/** The last step of a call. A call that was charged and whose response cannot be made is reversed. */
async function respond(call: Call): Promise<ApiResponse> {
  const { deps, request, context, connection, replay } = call;
  if (replay !== null)
    call.result = await repeatResponse(call.result, replay, (first) => runAgain(call, first));
  const { lease } = call;
  try {
    const made = deps.replier.response(call.result, request.headers, context, lease);
    const response = made instanceof Promise ? await made : made;
    // A client that does not read its response holds the memory of a call.
    if (call.isLarge && lease !== null) deps.app.whenSent?.(connection, lease.toResponse().release);
    return response;
  } catch (error) {
    if (!call.isCharged) throw error;
    // Its repeat would fail again, so it is reversed even if it has an idempotency key.
    const callId = markInDoubt(call);
    await reverse(call);
    throw chargeReversed(callId, error);
  }
}
