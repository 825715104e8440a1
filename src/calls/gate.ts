import type { Counted } from "#ledger/call-ledger.ts";
import type {
  BudgetExhausted,
  DebitOrder,
  DebitOutcome,
  KeyStatus,
  KeyStatusOrder,
} from "#ledger/port.ts";
import { createRecentAccounts } from "#ledger/recent-names.ts";
import { topUp } from "#top-up.ts";
import { type Authenticator, type Caller, invalidKey } from "./authenticate.ts";
import type { BadKeys } from "./bad-keys.ts";
import type { CallContext } from "./call-context.ts";
import {
  accountSuspended,
  idempotencyKeyReused,
  insufficientCredits,
  keyBudgetExhausted,
  keyExpired,
  keyNotAllowed,
  rateLimited,
  unavailable,
} from "./call-errors.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Everything that a call asks of the ledger. Each step throws the caller's own error, if any, in the order key (401),
 * account (403), rate (429), credits (402), and stores the balance and the rate for the response headers.
 *
 * Most calls contact the ledger once, for the debit, which decides about key, account and credits in one transaction. The
 * rate is counted with it: for a local ledger by this process, before the transaction; for a remote one where the ledger is.
 * A call also asks for the key's status before work that a bad key would waste, and after an error of the body or the
 * tool, because the caller's own error takes precedence.
 */
export type Gate = {
  /**
   * Called before the body is read, and again if the body turns out to be large. `isHeavy`: the tool's work is costly.
   */
  enter(isHeavy: boolean): Promise<void> | undefined;
  /**
   * Asks for the key's status unless the call has asked before: after an error of the body or the tool, and if there is no
   * debit. Throws the caller's own error, if any.
   */
  askStatus(): Promise<void>;
  /** Rejects if the outcome is unknown. */
  debit(order: DebitOrder): Promise<Counted<DebitOutcome>>;
  /**
   * Throws if the debit was not made, or returns a promise that rejects. Otherwise the call was debited or is a replay.
   */
  settle(counted: Counted<DebitOutcome>): Settled | Promise<never>;
};

export type Settled = Extract<DebitOutcome, { outcome: "debited" | "replayed" }>;

export type CallAtGate = {
  caller: Caller;
  context: RequestContext;
  /** The tool that the client calls; null if it calls none. */
  tool: string | null;
  /** In credits. */
  price: number;
  /** The network address of the client; null if it is not known. */
  address: string | null;
  /** The idempotency key. If the ledger keeps a call under it, the call needs no credits. */
  repeatKey: string | null;
};

export type OpenGate = (call: CallAtGate) => Gate;

export function createGate(app: CallContext, keys: Authenticator, badKeys: BadKeys): OpenGate {
  const { calls, settings } = app;
  const recent = createRecentErrors(app.elapsed);

  return (call) => {
    const { caller, context, tool, price, address, repeatKey } = call;
    const { account, keySha256 } = caller;
    if (!caller.known) badKeys.check({ address, account, keySha256 });
    /** The ledger was asked for the key's status, which also counted the call for the rate limit. */
    let isCounted = false;

    /** Throws the errors of the key, the account and the rate. */
    function check<Outcome extends DebitOutcome | KeyStatus>({ outcome, rate }: Counted<Outcome>) {
      context.rate = rate ?? context.rate;
      if ("keyId" in outcome && outcome.keyId !== undefined) {
        caller.keyId = outcome.keyId;
        context.key = outcome.keyId;
      }
      if (outcome.outcome === "invalid_key" || outcome.outcome === "key_expired") {
        keys.forget(caller);
        recent.badKey.add(account);
        badKeys.add({ address, account, keySha256 });
        context.rate = null;
        throw outcome.outcome === "invalid_key" ? invalidKey() : keyExpired(outcome.expiredAt);
      }
      keys.remember(caller);
      context.charged = 0;
      context.balance = outcome.balance;
      switch (outcome.outcome) {
        case "account_suspended":
          recent.rejected.add(account);
          throw accountSuspended();
        case "key_not_allowed":
          recent.rejected.add(account);
          throw keyNotAllowed(outcome);
        case "rate_limited":
          recent.rejected.add(account);
          throw rateLimited(outcome.by);
      }
      return outcome as Passed<Outcome>;
    }

    async function tooFewCredits(balance: number): Promise<never> {
      recent.poor.add(account);
      throw insufficientCredits(balance, price, topUp(await app.sales(), settings.publicUrl));
    }

    async function budgetExhausted(exhausted: BudgetExhausted, balance: number): Promise<never> {
      recent.poor.add(account);
      const { publicUrl } = settings;
      const more = topUp(await app.sales(), publicUrl);
      throw keyBudgetExhausted(exhausted, balance, price, publicUrl, more);
    }

    async function askStatus(): Promise<void> {
      if (isCounted) return;
      const order: KeyStatusOrder = {
        account,
        keySha256,
        now: app.now(),
        tool,
        credits: price,
        address,
        idempotencyKey: repeatKey,
        namesKey: true,
      };
      const askedAt = app.elapsed();
      const counted = await calls
        .keyStatus(order)
        .catch((cause) => {
          throw unavailable(cause);
        })
        .finally(() => {
          context.times.ledger = app.elapsed() - askedAt;
        });
      isCounted = true;
      const status = check(counted);
      const isFree = status.freeCall && price <= settings.freeCallCredits;
      if (status.replayable || isFree) return;
      const { balance, exhausted } = status;
      if (exhausted !== undefined) await budgetExhausted(exhausted, balance);
      if (balance < price) await tooFewCredits(balance);
    }

    /**
     * A local ledger is asked before costly work for a key that this node does not know; a remote one, only after
     * recent errors.
     */
    const asksFirst = (isHeavy: boolean): boolean =>
      calls.isRemote
        ? recent.areLikely(call, isHeavy)
        : isHeavy || !caller.known || calls.isOverRate(caller);

    return {
      // Without a question to the ledger, returns no promise: awaiting one would cost every call.
      enter: (isHeavy) => (asksFirst(isHeavy) ? askStatus() : undefined),
      askStatus,
      debit(order) {
        // A local ledger has named the key in its status, without which no unknown key gets here.
        if (calls.isRemote && caller.keyId === null) order.namesKey = true;
        return calls.debit(order, isCounted);
      },
      settle(counted) {
        const outcome = check(counted);
        if (outcome.outcome === "key_budget_exhausted")
          return budgetExhausted(outcome, outcome.balance);
        if (outcome.outcome === "insufficient_credits") return tooFewCredits(outcome.balance);
        if (outcome.outcome === "idempotency_key_reused") throw idempotencyKeyReused();
        if (outcome.outcome === "debited") context.charged = outcome.charged;
        return outcome;
      },
    };
  };
}

/**
 * Accounts that had an error a moment ago. Their calls ask the remote ledger first, which bounds wasted work. This list
 * alone never rejects a call.
 */
function createRecentErrors(elapsed: () => number) {
  const badKey = createRecentAccounts(elapsed);
  const rejected = createRecentAccounts(elapsed);
  const poor = createRecentAccounts(elapsed);
  return {
    badKey,
    rejected,
    poor,
    areLikely({ caller: { account, known } }: CallAtGate, isHeavy: boolean): boolean {
      // The account part of a key is public, so a bad key must not affect a key that was valid here.
      if (!known && badKey.has(account)) return true;
      return isHeavy && (rejected.has(account) || poor.has(account));
    },
  };
}

type Passed<Outcome> = Exclude<
  Outcome,
  {
    outcome:
      | "invalid_key"
      | "key_expired"
      | "account_suspended"
      | "key_not_allowed"
      | "rate_limited";
  }
>;
