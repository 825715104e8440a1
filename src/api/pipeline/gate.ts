import type { Counted } from "#ledger/call-ledger.ts";
import type { DebitOrder, DebitOutcome, KeyStatus } from "#ledger/port.ts";
import type { AppContext } from "../app-context.ts";
import { type Authenticator, type Caller, invalidKey } from "./authenticate.ts";
import {
  accountSuspended,
  idempotencyKeyReused,
  insufficientCredits,
  rateLimited,
  unavailable,
} from "./call-errors.ts";
import { createRecentAccounts } from "./recent-accounts.ts";
import type { RequestContext } from "./reply.ts";

/**
 * All that a call asks of the ledger. Each step throws the caller's own error, if there is one, in the order key (401),
 * account (403), rate (429), credits (402), and stores the balance and the rate for the headers of the response.
 *
 * A call asks the ledger once, at the debit, which decides all four in one transaction. It asks for the key's status
 * first where that avoids useless work, and after an error of the body or the tool, because the caller's error goes
 * before theirs.
 */
export type Gate = {
  /** Called before the body is read, and again where the body turns out to be large. `isHeavy`: the tool's work is costly. */
  enter(isHeavy: boolean): Promise<void> | undefined;
  /**
   * Asks for the key's status, unless that was done before: after an error of the body or the tool, and where there is no
   * debit. Throws the caller's own error, if there is one.
   */
  askStatus(): Promise<void>;
  /** Rejects where the outcome is unknown. */
  debit(order: DebitOrder): Promise<Counted<DebitOutcome>>;
  /** Throws where the debit was not made. Otherwise the call was debited, or repeats an earlier one. */
  settle(counted: Counted<DebitOutcome>): Settled;
};

export type Settled = Extract<DebitOutcome, { outcome: "debited" | "replayed" }>;

export type CallAtGate = {
  caller: Caller;
  context: RequestContext;
  /** In credits. */
  price: number;
  /** The call carries an idempotency key. It may be a replay, so the debit alone decides about credits. */
  mayRepeat: boolean;
};

export type OpenGate = (call: CallAtGate) => Gate;

export function createGate(app: AppContext, keys: Authenticator): OpenGate {
  const { calls, settings } = app;
  const recent = createRecentErrors(app.elapsed);

  return (call) => {
    const { caller, context, price, mayRepeat } = call;
    const { account, keySha256 } = caller;
    /** The key's status was requested, which also counted the call for the rate limit. */
    let isCounted = false;

    /** Throws for the key, the account and the rate. */
    function check<Outcome extends DebitOutcome | KeyStatus>({ outcome, rate }: Counted<Outcome>) {
      context.rate = rate ?? context.rate;
      if (outcome.outcome === "invalid_key") {
        keys.forget(caller);
        recent.badKey.add(account);
        context.rate = null;
        throw invalidKey();
      }
      keys.remember(caller);
      context.charged = 0;
      context.balance = outcome.balance;
      if (outcome.outcome === "account_suspended" || outcome.outcome === "rate_limited") {
        recent.rejected.add(account);
        throw outcome.outcome === "account_suspended"
          ? accountSuspended()
          : rateLimited(settings.rateLimit, rate?.retryAfterSeconds ?? 1);
      }
      return outcome as Passed<Outcome>;
    }

    function tooFewCredits(balance: number) {
      recent.poor.add(account);
      return insufficientCredits(balance, price, settings.publicUrl);
    }

    async function askStatus(): Promise<void> {
      if (isCounted) return;
      const order = { account, keySha256, now: app.now() };
      const counted = await calls.keyStatus(order).catch((cause) => {
        throw unavailable(cause);
      });
      isCounted = true;
      const status = check(counted);
      const isFree = status.freeCall && price <= settings.freeCallCredits;
      if (mayRepeat || isFree || status.balance >= price) return;
      throw tooFewCredits(status.balance);
    }

    /** A local ledger is asked before costly work for an unknown key. A remote one is asked only after recent errors. */
    const asksFirst = (isHeavy: boolean): boolean =>
      calls.isRemote
        ? recent.areLikely(call, isHeavy)
        : isHeavy || !caller.known || calls.isOverRate(account);

    return {
      // No promise where the ledger is not asked: awaiting one would cost every call.
      enter: (isHeavy) => (asksFirst(isHeavy) ? askStatus() : undefined),
      askStatus,
      debit: (order) => calls.debit(order, isCounted),
      settle(counted) {
        const outcome = check(counted);
        if (outcome.outcome === "insufficient_credits") throw tooFewCredits(outcome.balance);
        if (outcome.outcome === "idempotency_key_reused") throw idempotencyKeyReused();
        if (outcome.outcome === "debited") context.charged = outcome.charged;
        return outcome;
      },
    };
  };
}

/**
 * Accounts that had an error a moment ago. The remote ledger is asked first about their calls, which bounds useless work.
 * No call is rejected because of this memory alone.
 */
function createRecentErrors(elapsed: () => number) {
  const badKey = createRecentAccounts(elapsed);
  const rejected = createRecentAccounts(elapsed);
  const poor = createRecentAccounts(elapsed);
  return {
    badKey,
    rejected,
    poor,
    areLikely({ caller: { account, known }, mayRepeat }: CallAtGate, isHeavy: boolean): boolean {
      // The account part of a key is public, so a bad key says nothing about a key that was good here.
      if (!known && badKey.has(account)) return true;
      return isHeavy && (rejected.has(account) || (!mayRepeat && poor.has(account)));
    },
  };
}

type Passed<Outcome> = Exclude<
  Outcome,
  { outcome: "invalid_key" | "account_suspended" | "rate_limited" }
>;
