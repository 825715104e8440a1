import { concatBytes } from "@noble/hashes/utils.js";
import { ApiError } from "#errors.ts";
import { callRef } from "#ids.ts";
import {
  type CallRef,
  type HoldOrder,
  type HoldOutcome,
  NotCarriedOut,
  OrderRejected,
  type SettleOrder,
  type SettleOutcome,
} from "#ledger/port.ts";
import {
  KEPT_BYTES_MAX,
  KEPT_RESPONSE_BYTES_MAX,
  LEASE_MARGIN_MS,
  OWN_TIME_LIMIT_MS,
} from "#limits.ts";
import { type Passed, requireGood, throwUnpaid } from "./admit.ts";
import { type Call, paymentOf, refOf, setPrice } from "./call.ts";
import {
  chargeUnknown,
  clientLeft,
  idempotencyInProgress,
  idempotencyKeyReused,
  idempotencyKeyTaken,
  mayHaveActed,
  outcomeUnknown,
  tooLargeToKeep,
  tooMuchKept,
  unavailable,
} from "./call-errors.ts";
import { Repeated } from "./idempotency.ts";
import { KeptResponses } from "./kept-responses.ts";
import { isLargeText } from "./reply-pieces.ts";
import type { CallResponse, PreparedCall } from "./run-tool.ts";

/**
 * A call of a tool that costs its operator money or changes the world (`Tool.effect`). It pays before its work:
 *
 *     prepare   reads and checks the input (400, 413, 415, 406), in the tool's thread
 *     hold      key (401, 403), rate (429), credits (402) and idempotency key (400, 409) in one transaction; a repeat ends here
 *     run       the tool
 *     settle    the charge, and the response for repeats, in one transaction
 *
 * While the tool runs, the hold is renewed. A call that fails is released: its credits come back, and so does its idempotency key, unless
 * it may have changed the world.
 */
export class HeldCall {
  readonly #call: Call;
  #order: HoldOrder | null = null;
  /** The hold that is being made, which may succeed although the tool's thread has died meanwhile. */
  #holding: Promise<unknown> = Promise.resolve();
  #isHeld = false;
  /** 0 for the free first call; null until the price is held. */
  #heldCredits: number | null = null;
  #renewal: ReturnType<typeof setInterval> | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Holds the price, when the input has been checked. Returns the id of the call. Throws the errors of `hold`, and `Repeated`. */
  begin({ credits, bodySha256 }: PreparedCall): Promise<string> {
    setPrice(this.#call, credits);
    this.#call.lap("tool", "check");
    const holding = this.#hold(bodySha256);
    this.#holding = holding.catch(() => {});
    return holding;
  }

  async #hold(bodySha256: string | null): Promise<string> {
    const { deps, connection } = this.#call;
    if (deps.app.hasLeft?.(connection)) throw clientLeft();
    const order = this.#orderOf(bodySha256);
    this.#order = order;
    const { isCounted } = this.#call;
    // Whatever comes of it, the ledger has been asked. Asked for the status, it would tell of what this hold may hold.
    this.#call.isCounted = true;
    const counted = await deps.app.calls.hold(order, isCounted).catch((cause) => {
      if (!(cause instanceof NotCarriedOut)) this.#withdraw();
      throw unavailable(cause);
    });
    this.#call.lap("ledger", "hold");
    await this.#requireHeld(requireGood(this.#call, counted), order);
    this.#isHeld = true;
    const { leaseMs } = order;
    this.#renewal = setInterval(() => this.#renew(), leaseMs / 2);
    this.#call.context.callId = refOf(order);
    return refOf(order);
  }

  #orderOf(bodySha256: string | null): HoldOrder {
    const { tool, idempotencyKey } = this.#call;
    return {
      ...paymentOf(this.#call),
      idempotency:
        idempotencyKey === null || bodySha256 === null
          ? null
          : { key: idempotencyKey, bodySha256, keptBytesMax: KEPT_BYTES_MAX },
      leaseMs: (tool.timeLimitMs ?? OWN_TIME_LIMIT_MS) + LEASE_MARGIN_MS,
      onCrash: onCrashOf(tool),
    };
  }

  async #requireHeld(outcome: Passed<HoldOutcome>, { account, leaseMs }: HoldOrder): Promise<void> {
    const call = this.#call;
    const { context } = call;
    switch (outcome.outcome) {
      case "held":
        this.#heldCredits = outcome.credits;
        return;
      case "key_budget_exhausted":
      case "insufficient_credits":
        return throwUnpaid(call, outcome);
      case "idempotency_key_reused":
        throw idempotencyKeyReused(call.tool.file !== undefined);
      case "in_progress":
        throw idempotencyInProgress(leaseMs);
      case "outcome_unknown": {
        const { callId, at } = outcome;
        const first = callRef({ account, callId, at });
        context.callId = first;
        throw outcomeUnknown(first);
      }
      case "too_much_kept":
        throw tooMuchKept(call.tool.effect === "act");
      case "kept": {
        const kept = await this.#kept().open(outcome.response, this.#place());
        context.replayed = true;
        throw new Repeated(kept);
      }
    }
  }

  #kept(): KeptResponses {
    const { deps } = this.#call;
    deps.kept ??= new KeptResponses(deps.app.settings.secrets);
    return deps.kept;
  }

  #place() {
    const { tool, caller, idempotencyKey } = this.#call;
    return { account: caller.account, tool: tool.name, key: idempotencyKey ?? "" };
  }

  #renew(): void {
    const { deps } = this.#call;
    // What fails here is done by the next one. If the hold has ended, the settlement learns it.
    deps.app.calls.renew({ ...this.#ref(), now: deps.app.now() }).catch(() => {});
  }

  #ref(): CallRef {
    const { account, callId, now: at } = this.#order as HoldOrder;
    return { account, callId, at };
  }

  /**
   * Nothing has run, and the hold may have been made, or may be made yet, also after it was released: its order may have been sent twice.
   * The mark of a reversal keeps it from being charged.
   */
  #withdraw(): void {
    const { app } = this.#call.deps;
    const withdrawn = this.#release("free").then(() =>
      app.reverseLater({ ...this.#ref(), key: "free" }),
    );
    app.waitUntil?.(withdrawn);
  }

  async #release(key: "free" | "unknown"): Promise<boolean> {
    const { app } = this.#call.deps;
    try {
      const { released } = await app.calls.release({ ...this.#ref(), key, now: app.now() });
      return released;
    } catch (cause) {
      // The hold ends with its lease.
      app.logError("A hold could not be released", {
        callId: refOf(this.#order as HoldOrder),
        cause,
      });
      return false;
    }
  }

  /** Charges the call and keeps its response. Throws the caller's own error if the call cannot be charged any more. */
  async settle(result: CallResponse): Promise<void> {
    const call = this.#call;
    const { deps, price } = call;
    const held = this.#order as HoldOrder;
    const credits = Math.min(result.settled ?? price, price);
    const { leaseMs: _, onCrash: __, idempotency, now: at, ...paid } = held;
    const response = idempotency === null ? null : await this.#keep(result);
    const order: SettleOrder = {
      ...{ ...paid, at, credits, now: deps.app.now() },
      idempotency:
        idempotency === null || response === null
          ? null
          : { key: idempotency.key, bodySha256: idempotency.bodySha256, response },
    };
    // From here on the call is charged, or cannot be.
    call.order = held;
    const outcome = await deps.app.calls.settle(order).catch((cause) => {
      const isSure = cause instanceof NotCarriedOut || cause instanceof OrderRejected;
      if (isSure && (response === null || cause instanceof OrderRejected)) throw unavailable(cause);
      return this.#failInDoubt(order, cause);
    });
    this.#end();
    call.lap("ledger");
    await this.#requireSettled(outcome);
  }

  /** The work is done, and the charge is not known. A call with an idempotency key is not reversed: its repeat gets the kept response. */
  async #failInDoubt(order: SettleOrder, cause: unknown): Promise<never> {
    const { deps, context } = this.#call;
    const isRepeatable = order.idempotency !== null;
    context.isChargeInDoubt = true;
    this.#isHeld = false;
    const { openHolds } = deps.app.calls;
    // The work of a Worker ends with its response, so it asks no remote ledger again.
    if (isRepeatable && openHolds !== undefined) openHolds.during(this.#settleLater(order));
    else this.#end();
    if (!isRepeatable) await deps.app.reverseLater(this.#ref());
    throw chargeUnknown(refOf(this.#order as HoldOrder), isRepeatable, cause);
  }

  /** So that the response of a call whose ledger was out of reach is kept for its repeats. Until then its hold is renewed. */
  async #settleLater(order: SettleOrder): Promise<void> {
    const { app } = this.#call.deps;
    const until = app.elapsed() + SETTLE_FOR_MS;
    let fault: unknown;
    do {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_AGAIN_MS));
      try {
        this.#countIfLate(await app.calls.settle({ ...order, now: app.now() }));
        return this.#end();
      } catch (cause) {
        fault = cause;
      }
    } while (!(fault instanceof OrderRejected) && app.elapsed() < until);
    this.#end();
    app.logError("A call could not be charged after its work, and its response is not kept", {
      callId: refOf(this.#order as HoldOrder),
      cause: fault,
    });
  }

  /** The hold had ended: the call was charged anew, or could not be charged any more. */
  #countIfLate(outcome: SettleOutcome): void {
    const { metrics } = this.#call.deps.app;
    if (outcome.outcome !== "settled" || outcome.isLate) metrics?.countLateSettlement();
  }

  #end(): void {
    clearInterval(this.#renewal);
    this.#isHeld = false;
  }

  async #requireSettled(outcome: SettleOutcome): Promise<void> {
    const call = this.#call;
    const { context } = call;
    this.#countIfLate(outcome);
    if (outcome.outcome === "settled") {
      call.isCharged = true;
      context.charged = outcome.charged;
      context.balance = outcome.balance;
      return;
    }
    if (outcome.outcome === "superseded") {
      context.balance = outcome.balance;
      throw idempotencyKeyTaken();
    }
    await throwUnpaid(call, requireGood(call, { outcome, rate: null }));
  }

  async #keep({ type, body }: CallResponse): Promise<string> {
    const bytes = await bytesOf(body);
    if (bytes.byteLength > KEPT_RESPONSE_BYTES_MAX)
      throw tooLargeToKeep(this.#call.tool.name, bytes.byteLength);
    return this.#kept().seal({ type, body: bytes }, this.#place());
  }

  /** The call has failed: gives back what it holds. Returns the error that the client gets. */
  async fail(error: unknown): Promise<unknown> {
    await this.#holding;
    // Without a hold, the tool has not run.
    if (this.#heldCredits === null) return error;
    const { tool, context } = this.#call;
    const order = this.#order as HoldOrder;
    const didNothing = error instanceof ApiError && error.details.didNothing === true;
    const mayAct = tool.effect === "act" && !didNothing;
    if (this.#isHeld) await this.#giveBack(mayAct ? "unknown" : "free");
    // A call with a key whose charge is not known is repeated for its response.
    const isRepeatable = context.isChargeInDoubt && order.idempotency !== null;
    return mayAct && !isRepeatable
      ? mayHaveActed(error, refOf(order), order.idempotency !== null)
      : error;
  }

  async #giveBack(key: "free" | "unknown"): Promise<void> {
    this.#end();
    const { deps, context } = this.#call;
    if (await this.#release(key)) {
      if (context.balance !== null) context.balance += this.#heldCredits ?? 0;
    }
    // Its hold is charged when its lease has run out, or has been charged.
    else if (this.#order?.onCrash === "charge")
      await deps.app.reverseLater({ ...this.#ref(), ...(key === "free" && { key }) });
  }
}

/** A database that restarts is back by then. */
const SETTLE_FOR_MS = 5 * 60_000;
const SETTLE_AGAIN_MS = 1_000;

const onCrashOf = ({ effect, onCrash }: Call["tool"]): HoldOrder["onCrash"] =>
  effect === "read" ? "release" : onCrash === "charge" ? "charge" : "unknown";

async function bytesOf(body: CallResponse["body"]): Promise<Uint8Array> {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return isLargeText(body) ? concatBytes(...body.pieces()) : body;
}
