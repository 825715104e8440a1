import type { Counted, FarLedger } from "#credits/far-ledger.ts";
import { CALL_PRICE } from "#limits.ts";
import { type Authenticator, invalidKey } from "./authenticate.ts";
import { penniless, settleDebit, suspended, tooOften, unavailable } from "./caller-refusals.ts";
import type { House } from "./house.ts";
import type { OpenVisit } from "./visit.ts";

/**
 * With a ledger that is a journey away: body and tool go first, then it is asked once, for the debit where there is an
 * answer, for the key's standing where body or tool refuse. Its refusal wins, so that the order which a client sees is
 * the same as anywhere.
 */
export const createFarVisits =
  (house: House, keys: Authenticator, ledger: FarLedger): OpenVisit =>
  (caller, trace, mayRepeat) => {
    /** Throws where the rate is used up; what is left was judged by the ledger itself. */
    function note<Outcome extends { outcome: string }>({
      outcome,
      rate,
    }: Counted<Outcome>): Outcome {
      trace.rate = rate;
      if (outcome.outcome === "rate_limited" && "balance" in outcome) {
        trace.charged = 0;
        trace.balance = outcome.balance as number;
        throw tooOften(house, rate?.retryAfterSeconds ?? 1);
      }
      return outcome as Outcome;
    }

    return {
      enter: () => undefined,
      reconsider: () => undefined,
      async refuse() {
        const { account, keySha256 } = caller;
        const counted = await ledger
          .standing({ account, keySha256, now: house.now() })
          .catch((cause) => {
            throw unavailable(cause);
          });
        const standing = note(counted);
        if (standing.outcome === "invalid_key") throw invalidKey();
        if (standing.outcome === "account_suspended") throw suspended(trace, standing.balance);
        keys.remember(caller);
        trace.balance = standing.balance;
        if (standing.freeCall || mayRepeat) return;
        if (standing.balance < CALL_PRICE) throw penniless(house, trace, standing.balance);
      },
      debit: async (order) => note(await ledger.debit(order)),
      settle(outcome) {
        if (outcome.outcome === "invalid_key") throw invalidKey();
        settleDebit(house, trace, outcome);
      },
    };
  };
