import type { Counted, FarLedger } from "#ledger/far-ledger.ts";
import type { DebitOutcome, KeyStatus } from "#ledger/port.ts";
import { CALL_PRICE } from "#limits.ts";
import type { AppContext } from "./app-context.ts";
import { type Authenticator, invalidKey } from "./authenticate.ts";
import { penniless, settleDebit, suspended, tooOften, unavailable } from "./caller-refusals.ts";
import { createRecentAccounts } from "./recent-accounts.ts";
import type { OpenVisit } from "./visit.ts";

/**
 * With a ledger that is a journey away: body and tool go first, then it is asked once, for the debit where there is an
 * answer, for the key's standing where body or tool refuse. Its refusal wins, so that the order which a client sees is
 * the same as anywhere.
 *
 * Work for nothing has an end: where an account was refused a moment ago, the standing is asked for before body and tool, and
 * the debit follows as a second journey. Nobody is refused by what is remembered here.
 */
export const createFarVisits = (
  app: AppContext,
  keys: Authenticator,
  ledger: FarLedger,
): OpenVisit => {
  const refusals = createRefusals(app);
  return (caller, context, mayRepeat) => {
    const { account, keySha256 } = caller;
    /** The standing was found good, and the call was counted with it. */
    let isAsked = false;

    /** Throws for key and rate; what is left was judged by the ledger itself. */
    function note<Outcome extends DebitOutcome | KeyStatus>({
      outcome,
      rate,
    }: Counted<Outcome>): Exclude<Outcome, { outcome: "invalid_key" }> {
      context.rate = rate ?? context.rate;
      if (outcome.outcome === "invalid_key") {
        keys.forget(caller);
        refusals.badKey.note(account);
        context.rate = null;
        throw invalidKey();
      }
      if (outcome.outcome === "rate_limited") {
        refusals.account.note(account);
        context.charged = 0;
        context.balance = outcome.balance;
        throw tooOften(app, rate?.retryAfterSeconds ?? 1);
      }
      if (outcome.outcome === "account_suspended") refusals.account.note(account);
      return outcome as Exclude<Outcome, { outcome: "invalid_key" }>;
    }

    async function ask(): Promise<void> {
      if (isAsked) return;
      const now = app.now();
      const counted = await ledger.keyStatus({ account, keySha256, now }).catch((cause) => {
        throw unavailable(cause);
      });
      isAsked = true;
      const standing = note(counted);
      if (standing.outcome === "account_suspended") throw suspended(context, standing.balance);
      keys.remember(caller);
      context.balance = standing.balance;
      if (standing.freeCall || mayRepeat || standing.balance >= CALL_PRICE) return;
      refusals.credits.note(account);
      throw penniless(app, context, standing.balance);
    }

    /** With an idempotency key the debit alone decides about credits. */
    const wasRefused = () =>
      refusals.account.has(account) || (!mayRepeat && refusals.credits.has(account));
    const isStranger = () => !caller.known && refusals.badKey.has(account);

    return {
      enter: (heavy) => (isStranger() || (heavy && wasRefused()) ? ask() : undefined),
      reconsider: () => (isStranger() || wasRefused() ? ask() : undefined),
      refuse: ask,
      debit: (order) => ledger.debit(order, isAsked).then(note),
      settle(outcome) {
        if (outcome.outcome === "invalid_key") throw invalidKey();
        // Its tag need not be computed again.
        keys.remember(caller);
        if (outcome.outcome === "insufficient_credits") refusals.credits.note(account);
        settleDebit(app, context, outcome);
      },
    };
  };
};

/** Accounts by what was refused of late. The beginning of a key is no secret, so a bad one says nothing about good ones. */
const createRefusals = ({ elapsed }: AppContext) => ({
  badKey: createRecentAccounts(elapsed),
  account: createRecentAccounts(elapsed),
  credits: createRecentAccounts(elapsed),
});
