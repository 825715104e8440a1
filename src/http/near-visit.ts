import type { Fault } from "#errors.ts";
import type { KeyStatus } from "#ledger/port.ts";
import type { Throttle } from "#ledger/throttle.ts";
import { CALL_PRICE } from "#limits.ts";
import { type Authenticator, invalidKey } from "./authenticate.ts";
import { penniless, settleDebit, suspended, tooOften, unavailable } from "./caller-refusals.ts";
import type { House } from "./house.ts";
import type { OpenVisit } from "./visit.ts";

/**
 * With a ledger that is near: it is asked for the key's standing before work that would be worth something to a stranger,
 * and the rate is counted on this node.
 */
export const createNearVisits =
  (house: House, keys: Authenticator, throttle: Throttle): OpenVisit =>
  (caller, trace, mayRepeat) => {
    let standing: KeyStatus | null = null;

    /** Asks once. */
    async function askStanding(): Promise<void> {
      if (standing !== null) return;
      const { account, keySha256 } = caller;
      standing = await house.ledger
        .keyStatus({ account, keySha256, now: house.now() })
        .catch((cause) => {
          throw unavailable(cause);
        });
      if (standing.outcome === "invalid_key") throw badKey();
      keys.remember(caller);
      if (standing.outcome === "account_suspended") throw suspended(trace, standing.balance);
      trace.balance = standing.balance;
    }

    /** No promise while the rate allows, which is nearly always. */
    function takeRate(): Promise<void> | undefined {
      trace.rate = throttle.take(caller.account, house.elapsed());
      return trace.rate.allowed ? undefined : refuseForRate(trace.rate.retryAfterSeconds);
    }

    async function refuseForRate(seconds: number): Promise<never> {
      await askStanding();
      throw tooOften(house, seconds);
    }

    /** The early refusal, where the balance is known. */
    function requireCredits(): void {
      if (standing?.outcome !== "good" || standing.freeCall || mayRepeat) return;
      if (standing.balance < CALL_PRICE) throw penniless(house, trace, standing.balance);
    }

    function badKey(): Fault {
      keys.forget(caller);
      // The account that the key claims is not to blame for a key that is not its own.
      if (trace.rate?.allowed) throttle.giveBack(caller.account);
      trace.rate = null;
      return invalidKey();
    }

    async function askAndRequire(): Promise<void> {
      await askStanding();
      requireCredits();
    }

    async function enterAsked(): Promise<void> {
      await askStanding();
      await takeRate();
      requireCredits();
    }

    return {
      enter(heavy) {
        return caller.known && !heavy ? takeRate() : enterAsked();
      },
      reconsider: askAndRequire,
      refuse: askAndRequire,
      debit: (order) => house.ledger.debit(order),
      settle(outcome) {
        if (outcome.outcome === "invalid_key") throw badKey();
        settleDebit(house, trace, outcome);
      },
    };
  };
