import type { DebitOrder, DebitOutcome } from "#ledger/port.ts";
import type { Caller } from "./authenticate.ts";
import type { RequestContext } from "./reply.ts";

/**
 * One call's dealings with the ledger. Each step throws the caller's own refusal where there is one; what is known is
 * noted for the headers of the answer.
 */
export type Visit = {
  /** Before the body is read. `heavy`: the tool's work may be worth something to a stranger. */
  enter(heavy: boolean): Promise<void> | undefined;
  /** The body came in small, compressed or unannounced, and turned out heavy. */
  reconsider(): Promise<void> | undefined;
  /** Body or tool refuse: the caller's own refusal comes first. */
  refuse(): Promise<void>;
  /** Rejects where the outcome cannot be known. */
  debit(order: DebitOrder): Promise<DebitOutcome>;
  settle(outcome: DebitOutcome): void;
};

/** `mayRepeat`: the call carries an idempotency key, so that the debit alone decides about credits: it may be a replay. */
export type OpenVisit = (caller: Caller, context: RequestContext, mayRepeat: boolean) => Visit;
